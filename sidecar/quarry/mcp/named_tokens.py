"""
Named tokens for clients on other machines: each opens folders of one vault, to read or also to write new notes.

Each is a private file of its own, `tokens/<SHA-256 of the token>.json` in Quarry's data: the token itself is in none,
and one that is revoked opens nothing from the next request on. The time of the file is its last use.
"""

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from quarry.config import data_dir
from quarry.errors import BadRequest, ConnectionFailed
from quarry.lazy_pattern import lazy_pattern
from quarry.private_files import private_folder, read_private, write_atomically
from quarry.vault.paths import path_objection, vault_id

PREFIX = "quarry_"  # by which scanners of repositories, and people, know one
TOKEN_BYTES = 32  # 256 bits cannot be guessed, whatever the rate
MAX_FILE_BYTES = 1 << 20  # of `MAX_FOLDERS` with the longest paths that there are
MAX_FOLDERS = 50
WHOLE_VAULT = "/"
_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """The folders and rights that a token opens."""

    name: str
    vault: str  # its real path
    folders: tuple[str, ...]  # spelled as on disk; empty: the whole vault
    may_capture: bool
    created_ms: int
    last_used_ms: int | None = None  # None: never; not in the file

    @property
    def rights(self) -> list[str]:
        """The rights, as the command line calls them."""
        return ["read", "capture"] if self.may_capture else ["read"]


_decoder = msgspec.json.Decoder(Grant)  # here, as threads may not make it at once: see `client/codec.py`


def add_token(name: str, root: Path, folders: list[str], *, may_capture: bool) -> tuple[str, Grant]:
    """
    Make a token for the *folders* of the vault at *root*.

    Returns:
        The token, which is stored nowhere, and its grant.

    Raises:
        BadRequest: The name is taken or cannot be one, or a folder is not in the vault, spelled as on disk.
        ConnectionFailed: It cannot be stored.
    """
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{name[:80]!r} cannot be a name; take 1 to 64 letters, digits, and . _ @ - behind the first")
    if any(grant.name == name for grant in grants()):
        raise BadRequest(
            f"there is a token {name!r}; take another name, or revoke it first: quarry token revoke {name}"
        )
    real = Path(os.path.realpath(root))
    now_ms = time.time_ns() // 1_000_000
    grant = Grant(
        name=name, vault=str(real), folders=_checked(real, folders), may_capture=may_capture, created_ms=now_ms
    )
    token = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    path = _path_of(token.encode())
    try:
        write_atomically(path, msgspec.json.encode(grant), durable=True)
        _stamp(path, now_ms)
    except OSError as failed:
        raise ConnectionFailed(f"the file {path} cannot be written: {failed.strerror}; see that it can") from failed
    return token, grant


def grants() -> list[Grant]:
    """The grants of all tokens, by name."""
    return sorted((grant for _, grant in _stored()), key=lambda grant: grant.name)


def revoke_token(name: str) -> Grant | None:
    """Have the token *name* open nothing any more; returns its grant, None if there was none."""
    revoked = None
    for path, grant in _stored():
        if grant.name == name:
            path.unlink(missing_ok=True)
            revoked = grant
    return revoked


def grant_of(token: bytes, *, is_use: bool = True) -> Grant | None:
    """The grant of *token*; None if it opens nothing. *is_use*: remember that it was used."""
    path = _path_of(token)
    grant = _read(path)
    if grant and is_use:
        with contextlib.suppress(OSError):  # it is revoked at this moment
            _stamp(path, max(grant.created_ms + 1, time.time_ns() // 1_000_000))  # at its making, it was never used
    return grant


def is_of(grant: Grant, root: Path) -> bool:
    """Whether *grant* is one of the vault at *root*."""
    return vault_id(Path(grant.vault)) == vault_id(root)


def _checked(root: Path, folders: list[str]) -> tuple[str, ...]:
    """*folders* by their paths on disk, none within another; none for the whole vault. Raises as `add_token`."""
    if WHOLE_VAULT in folders:
        return ()
    if not 0 < len(folders) <= MAX_FOLDERS:
        raise BadRequest(f"a token opens 1 to {MAX_FOLDERS} folders; name them with --folder, `/` for the whole vault")
    inner = sorted({_on_disk(root, folder.strip("/")) for folder in folders})
    return tuple(one for one in inner if not any(one.startswith(f"{other}/") for other in inner))


def _on_disk(root: Path, folder: str) -> str:
    if objection := path_objection(folder):
        raise BadRequest(f"--folder is {folder!r}: {objection}; name one below the vault, such as Projects/Alpha")
    place = root
    for part in folder.split("/"):
        try:
            with os.scandir(place) as listing:
                names = {entry.name for entry in listing if entry.is_dir(follow_symlinks=False)}
        except OSError as failed:
            raise BadRequest(f"{place} cannot be listed: {failed.strerror}; see that it can") from failed
        if part not in names or not part.isprintable():
            nearest = next((name for name in sorted(names) if name.casefold() == part.casefold()), None)
            offer = f"did you mean {nearest!r}? " if nearest else ""
            raise BadRequest(
                f"--folder is {folder!r}, and {place} has no folder {part!r}: {offer}"
                "spell it as on disk; links are not followed"
            )
        place /= part
    return folder


def _folder() -> Path:
    return private_folder(data_dir() / "tokens")


def _path_of(token: bytes) -> Path:
    return _folder() / f"{hashlib.sha256(token).hexdigest()}.json"


def _stored() -> Iterator[tuple[Path, Grant]]:
    for path in _folder().glob("*.json"):
        if grant := _read(path):
            yield path, grant


def _read(path: Path) -> Grant | None:
    """The grant in the file at *path*; None if there is no such file, or it contains something else."""
    content = read_private(path, MAX_FILE_BYTES)
    if content is None:
        return None
    try:
        grant, used_ms = _decoder.decode(content), path.stat().st_mtime_ns // 1_000_000
    except (OSError, msgspec.DecodeError):
        return None
    return msgspec.structs.replace(grant, last_used_ms=used_ms if used_ms > grant.created_ms else None)


def _stamp(path: Path, time_ms: int) -> None:
    os.utime(path, ns=(time_ms * 1_000_000,) * 2)
