"""Limits and constants of the wire that every side shares; imports nothing, so that `quarry --version` stays quick."""

PROTOCOL_VERSION = 1
"""Version of the wire format; see `protocol/`."""

MAX_CONNECTIONS = 64
"""Clients that a sidecar serves at a time: a person has a handful of tools; more is a flood."""

UNFINISHED = ("starting", "scanning", "indexing", "embedding")  # states in which an answer may lack notes or vectors
CHARACTERS_PER_TOKEN = 4  # of English prose, on average
