"""
Which revisions of MCP are spoken, and in what do they differ?

Up to 2025-11-25 a client shakes hands with `initialize`, and its revision holds for the connection. From 2026-07-28 on
every request names its own in `_meta`, and there is no handshake.
"""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)
LATEST_HANDSHAKE = HANDSHAKE_VERSIONS[-1]
LATEST_STATELESS = STATELESS_VERSIONS[-1]
ALL_VERSIONS = (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS)
WITHOUT_HEADER = "2025-03-26"  # what HTTP clients speak that name no revision: the header came after it

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"


def negotiated(requested: str) -> str:
    """The revision for a client that offers *requested* in `initialize`: that one, or the latest that we speak."""
    return requested if requested in HANDSHAKE_VERSIONS else LATEST_HANDSHAKE


def is_stateless(version: str) -> bool:
    """Whether each request of *version* stands for itself."""
    return version in STATELESS_VERSIONS


def has_batches(version: str | None) -> bool:
    """Whether *version* lets a client send several messages as one array: one revision does, the next took it back."""
    return version == "2025-03-26"


def has_structured_results(version: str) -> bool:
    """Whether tools of *version* have an output schema, structured results and a title."""
    return ALL_VERSIONS.index(version) >= ALL_VERSIONS.index("2025-06-18")
