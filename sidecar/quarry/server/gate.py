"""
The gate: which connections may speak at all. Three checks, always all of them.

1. Host: only a loopback name with our port. A page that had its own name resolved to 127.0.0.1 fails here.
2. Origin: absent, as programs send none, or exactly Obsidian's. Every web page fails here.
3. A token, in the first message, within `AUTH_TIMEOUT_S`; compared in constant time. There are two: that of the
   discovery file reads, the owner's may do everything.

A wrong token costs its connection a delay once a few have failed, so guessing also takes the guesser's time.
Unauthenticated connections are limited: when the limit is exceeded, the oldest is closed. A client with the token needs
milliseconds, so that a crowd without it does not keep it out.
"""

import hmac
from collections.abc import Callable, Hashable, Sequence

from msgspec import Struct, field

from quarry.limits import MAX_CONNECTIONS
from quarry.protocol import Access
from quarry.protocol.envelope import Error, ErrorData

OBSIDIAN_ORIGIN = "app://obsidian.md"
AUTH_TIMEOUT_S = 3.0
MAX_UNAUTHENTICATED = 32  # a dozen tools started at once fit; an idle connection costs a file descriptor
FAILURES_BEFORE_DELAY = 5
FAILURE_DELAY_S = 1.0
MIN_TOKEN_LENGTH = 32  # hexadecimal digits: 128 bits

UNAUTHORIZED = Error(
    code=Error.UNAUTHORIZED,
    message="the first message must be `initialize` with the token of this vault's discovery file",
    data=ErrorData(kind="unauthorized", next="read the discovery file again: each start makes a new token"),
)


def refuses_host(hosts: Sequence[str], port: int) -> bool:
    """Whether the Host header, which must stand exactly once, names anything but this very socket."""
    return len(hosts) != 1 or hosts[0] not in {f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"}


def refuses_origin(origins: Sequence[str]) -> bool:
    """Whether the Origin header shows that a web page is asking."""
    return len(origins) > 1 or any(origin != OBSIDIAN_ORIGIN for origin in origins)


class Gate(Struct):
    """
    Checks tokens and limits connections. One for each sidecar; its tokens are new at each start.

    `repr` omits both, so that no log can hold them.
    """

    token: str
    owner_token: str
    failures: int = 0
    members: set[Hashable] = field(default_factory=set)
    _pending: dict[Hashable, Callable[[], None]] = field(default_factory=dict)  # oldest first

    def __post_init__(self) -> None:
        if min(len(self.token), len(self.owner_token)) < MIN_TOKEN_LENGTH:  # an unset secret is never an open door
            raise ValueError("the gate needs tokens of at least 128 bits")
        if self.token == self.owner_token:
            raise ValueError("the gate needs two tokens")

    def __repr__(self) -> str:
        return f"Gate(failures={self.failures}, members={len(self.members)})"

    def register_pending(self, connection: Hashable, turn_away: Callable[[], None]) -> None:
        """Register *connection*, not yet authenticated; `turn_away` closes it if newer ones need its place."""
        self._pending[connection] = turn_away
        if len(self._pending) > MAX_UNAUTHENTICATED:
            longest_waiting = next(iter(self._pending))
            self._pending.pop(longest_waiting)()

    def admit(self, connection: Hashable) -> None:
        """Make *connection*, which has shown the token, a member."""
        self._pending.pop(connection, None)
        self.members.add(connection)

    def leave(self, connection: Hashable) -> None:
        """Forget *connection*, which has ended."""
        self._pending.pop(connection, None)
        self.members.discard(connection)

    @property
    def is_full(self) -> bool:
        """Whether one more member would be too many."""
        return len(self.members) >= MAX_CONNECTIONS

    def access_of(self, token: str) -> Access | None:
        """The access that *token* grants, None for none; compared in constant time."""
        is_reader = hmac.compare_digest(token.encode(), self.token.encode())
        is_owner = hmac.compare_digest(token.encode(), self.owner_token.encode())
        if is_reader or is_owner:
            return "owner" if is_owner else "reader"
        self.failures += 1
        return None

    @property
    def delay_s(self) -> float:
        """How long to wait before telling that a token was wrong."""
        return FAILURE_DELAY_S if self.failures >= FAILURES_BEFORE_DELAY else 0.0
