"""The address of a server over HTTP: which ones notes may be served on, and how clients name it."""

import ipaddress
from typing import NamedTuple
from urllib.parse import urlsplit

from quarry.errors import BadRequest

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost")


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
        if after.isascii() and after.isdigit() and len(after) < 7 and (before[:1] == "[" or ":" not in before):
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
