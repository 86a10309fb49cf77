"""
The principals of requests over HTTP, by their tokens, and the vaults that are served to them.

A principal sees its `Vaults` and nothing else. Those of a named token are a part of one vault, whose own index contains
no other notes: no tool has to check which notes it may show.
"""

import hmac
import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from quarry.errors import BadRequest
from quarry.mcp.named_tokens import Grant, grant_of, grants, is_of
from quarry.mcp.vaults import MAX_WARMED, Vaults

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost")


class Principals(Protocol):
    """The principals of a server."""

    def served_to(self, token: bytes, *, is_use: bool = True) -> Vaults | None:
        """The vaults that *token* opens now; None if it opens none. *is_use*: for a new request."""

    def warm_up(self) -> None:
        """Make engines ready before the first request."""

    def close(self) -> None:
        """Close all connections that no call uses."""


class Owner:
    """The user of this machine, with the one token of *vaults*."""

    def __init__(self, token: str, vaults: Vaults) -> None:
        self._token = token.encode()
        self._vaults = vaults

    def served_to(self, token: bytes, *, is_use: bool = True) -> Vaults | None:  # noqa: ARG002
        """See `Principals`."""
        return self._vaults if hmac.compare_digest(token, self._token) else None

    def warm_up(self) -> None:
        """See `Principals`."""
        self._vaults.warm_up()

    def close(self) -> None:
        """See `Principals`."""
        self._vaults.close()


class TokenHolders:
    """The holders of named tokens of the vaults at *roots*; each request reads the grant of its token again."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """
        Prepare to serve them.

        Raises:
            BadRequest: There are none yet.
        """
        self._roots = roots
        self._served: dict[tuple[str, tuple[str, ...], bool], Vaults] = {}
        if not self._known():
            raise BadRequest(
                "no token opens this vault, so that nobody could ask; make one: quarry token add NAME --folder F --read"
            )

    def served_to(self, token: bytes, *, is_use: bool = True) -> Vaults | None:
        """See `Principals`."""
        grant = grant_of(token, is_use=is_use)
        if grant is None or not any(is_of(grant, root) for root in self._roots):
            return None
        return self._vaults_of(grant)

    def warm_up(self) -> None:
        """See `Principals`."""
        of_parts = {(grant.vault, grant.folders): grant for grant in self._known()}
        for grant in list(of_parts.values())[:MAX_WARMED]:
            self._vaults_of(grant).warm_up()

    def close(self) -> None:
        """See `Principals`."""
        for vaults in self._served.values():
            vaults.close()

    def _vaults_of(self, grant: Grant) -> Vaults:
        key = (grant.vault, grant.folders, grant.may_capture)
        if key not in self._served:
            self._served[key] = Vaults.shared(Path(grant.vault), grant.folders, may_capture=grant.may_capture)
        return self._served[key]

    def _known(self) -> list[Grant]:
        return [grant for grant in grants() if any(is_of(grant, root) for root in self._roots)]


class Address(NamedTuple):
    """Where a server listens, and the names by which clients may call it."""

    host: str
    port: int
    public_url: str | None  # of the reverse proxy in front

    @classmethod
    def read(cls, listen: str, port: int, public_url: str | None) -> "Address":
        """
        The address *listen*, an IP address with or without a port (else *port*), behind *public_url*.

        Raises:
            BadRequest: It cannot be read, or notes would cross the network in the clear.
        """
        host, number = listen, port
        before, _, after = listen.rpartition(":")
        is_number = after.isascii() and after.isdigit() and len(after) < 7
        if is_number and (listen.startswith("[") or listen.count(":") == 1):
            host, number = before, int(after)
        host = "127.0.0.1" if host == "localhost" else host.strip("[]")
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            raise BadRequest(f"--listen is {listen!r}; it takes an IP address, as in 127.0.0.1:8537") from None
        if number > 65_535:
            raise BadRequest(f"--listen is {listen!r}; a port is at most 65535")
        if public_url is None and not address.is_loopback:
            raise BadRequest(
                f"--listen is {listen}, which other machines reach, and this server has no TLS: notes and tokens would "
                "cross the network in the clear. Listen on 127.0.0.1 behind a reverse proxy on this machine, or name "
                "the address of the proxy that stands before this server: --public-url https://notes.example.org. For "
                "yourself alone, a tunnel will do: ssh -N -L PORT:127.0.0.1:PORT THIS-MACHINE"
            )
        return cls(host, number, _checked_url(public_url))

    @property
    def url(self) -> str:
        """Where clients send their requests."""
        return (self.public_url or f"http://{self._named}") + PATH

    @property
    def hosts(self) -> list[str]:
        """The values of `Host` that requests may have."""
        public = [urlsplit(self.public_url).netloc] if self.public_url else []
        return [*(f"{name}:{self.port}" for name in LOOPBACK), self._named, *public]

    @property
    def _named(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _checked_url(url: str | None) -> str | None:
    if url is None:
        return None
    try:
        parts = urlsplit(url if url.isascii() and url.isprintable() else "")
        _ = parts.port  # raises it as well
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise BadRequest(f"--public-url is {url!r}; it takes the https address of the proxy: https://notes.example.org")
    if parts.path.rstrip("/") not in ("", PATH):
        raise BadRequest(f"--public-url is {url!r}; leave the path out: requests go to {PATH}")
    return f"https://{parts.netloc.lower().removesuffix(':443')}"  # which clients leave out of `Host`
