"""
Which clients may connect over HTTP? Programs of this user that know the token; no web page, no other machine.

Three checks, always all of them. Host: only a loopback name with our port, so that a page whose name resolves to
127.0.0.1 fails. Origin: absent, as programs send none and browsers do. A bearer token, compared in constant time.
There are no CORS headers, so that a browser gives no page an answer, and a body is read only as application/json, which
no page can send without asking first.
"""

import contextlib
import hmac
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from quarry.client.discovery import new_token
from quarry.config import runtime_dir
from quarry.errors import BadRequest, ConnectionFailed
from quarry.vault.identity import vault_id

LOOPBACK = ("127.0.0.1", "localhost")
MAX_TOKEN_FILE = 1024  # bytes; it is 80


def refused(hosts: Sequence[str], origins: Sequence[str], authorizations: Sequence[str], port: int, token: str) -> int:
    """The HTTP status that a request with these headers is refused with; 0 where it may pass."""
    if len(hosts) != 1 or hosts[0] not in {f"{name}:{port}" for name in LOOPBACK}:
        return 421
    if origins:
        return 403
    scheme, _, given = authorizations[0].partition(" ") if len(authorizations) == 1 else ("", "", "")
    is_right = hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), token.encode())
    return 0 if scheme.lower() == "bearer" and is_right else 401


def check_host(host: str) -> None:
    """
    Refuse to listen anywhere but on this machine.

    Raises:
        BadRequest: *host* is not a loopback address; the message says how to reach it from elsewhere.
    """
    if host not in LOOPBACK:
        raise BadRequest(
            f"--host is {host}; MCP over HTTP is served on 127.0.0.1 only, as your notes would cross the network in "
            "the clear: from another machine, use a tunnel: ssh -N -L PORT:127.0.0.1:PORT THIS-MACHINE"
        )


def token_path(roots: Sequence[Path]) -> Path:
    """Where the token for these vaults lies: no other vaults have it."""
    return runtime_dir() / ("+".join(sorted(map(vault_id, roots)))[:180] + ".mcp-token")


def kept_token(path: Path) -> str:
    """
    The token in the file *path*, readable by this user alone; a new one where there is none.

    It is kept over restarts, as clients have it in their configuration.

    Raises:
        ConnectionFailed: The file cannot be written.
    """
    if token := _read(path):
        return token
    token = new_token()
    temporary = path.with_suffix(f".{os.getpid()}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        with os.fdopen(os.open(temporary, flags, 0o600), "w", encoding="ascii") as file:
            json.dump({"token": token}, file)
        temporary.replace(path)
    except OSError as error:
        raise ConnectionFailed(f"the file {path} cannot be written: {error.strerror}; move it away") from error
    return token


def _read(path: Path) -> str | None:
    """The token in the file; None where it holds none, or others may read it."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            about = os.fstat(file.fileno())
            is_private = os.name == "nt" or not about.st_mode & 0o077
            if not (stat.S_ISREG(about.st_mode) and is_private):
                return None
            token = json.loads(file.read(MAX_TOKEN_FILE))["token"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return token if isinstance(token, str) and len(token) >= 32 and token.isascii() else None
