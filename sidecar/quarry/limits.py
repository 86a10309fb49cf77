"""Limits and constants of the wire. This module imports nothing, so that `quarry hook` and `--version` stay quick."""

PROTOCOL_VERSION = 1
"""Version of the wire format; see `protocol/`."""

MAX_CONNECTIONS = 64
"""Clients that a sidecar serves at a time: a person has a handful of tools; more is a flood."""

MAX_QUERY_CHARS = 4_096  # a longer query is a pasted document; a passage of it finds as much
MAX_PATH_CHARS = 4_096
MAX_ID_CHARS = 200  # of a conversation or an agent, which a client makes up; usual are 36
MAX_TEXT_CHARS = 100_000  # of a text whose similar notes are wanted
MAX_CAPTURE_BYTES = 256 * 1024  # of a new note, in UTF-8: a long article; more is a file to put into the vault
MAX_LIMIT = 100  # hits of a search
MAX_OFFSET = 100_000
MIN_TOKENS, MAX_TOKENS = 50, 100_000  # of the budget for quoted text
MIN_SNIPPET_WIDTH, MAX_SNIPPET_WIDTH = 40, 1_000  # characters
MAX_WAIT_MS = 60_000
MIN_TIER_MS, MAX_TIER_MS = 50, 60_000  # that a search of several vaults waits for one
TIER_MS = 1_000  # a sidecar that runs needs 20, one that starts 500
MAX_PAGE = 500  # folders or notes of the inspector
MAX_LISTED_TAGS = 100  # of a note in a list of notes; `note/read` returns all that are indexed, a thousand
MAX_LISTED_LINKS = 1_000  # of a note, and notes that link to it; a note of generated links has no end
SUBJECT_CONFIDENCE = 0.04  # from which a note counts as one about a subject of few words, which asks nothing
WEAK_CONFIDENCE = 0.1  # below it are 1 in 17 right first hits, and 14 in 15 of what is far from a vault

INCOMPLETE = ("starting", "scanning", "indexing")  # states in which a note may exist and not be found
UNFINISHED = (*INCOMPLETE, "embedding")  # states in which an answer may lack notes or vectors
CHARACTERS_PER_TOKEN = 4  # the usual estimate for English prose; a budget needs no tokenizer
