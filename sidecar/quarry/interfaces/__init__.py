"""How the outside asks: the socket, the command line and MCP, over one protocol."""

PROTOCOL_VERSION = 1
"""The version of the wire; it stands here so that `quarry --version` imports no message. See `protocol/`."""

MAX_CONNECTIONS = 64
"""How many clients a sidecar serves at a time: a person has a handful of tools; more is a flood."""

UNFINISHED = ("starting", "scanning", "indexing", "embedding")  # states in which an answer may lack notes or vectors
CHARACTERS_PER_TOKEN = 4  # as in `ranking/budget.py`, for callers that import the standard library alone
