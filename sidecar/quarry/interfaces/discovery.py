"""
The discovery file: how a client finds the sidecar of a vault, and the only place where its token stands. The owner's
token stands in a file of its own, which only programs read that may change settings or end the sidecar.

`<runtime folder>/<vault id>.json` and `<vault id>.owner`, mode 0600 in a folder of mode 0700. The discovery file
appears, whole, once the sidecar can answer, after the owner's; both go when the sidecar leaves. A file left by a killed
one is told by the lock beside it: the system frees the lock with the process, so a free lock means that nobody serves
and the token opens nothing.
"""

import contextlib
import os
import secrets
import stat
import time
from pathlib import Path
from typing import Self, TypeVar

import msgspec
from filelock import FileLock, Timeout

from quarry.errors import ConnectionFailed, VaultLocked

TOKEN_BYTES = 32  # 256 bits: not to be guessed, whatever the rate
MAX_FILE_BYTES = 64 * 1024  # it is 300 bytes; what is larger is none of ours
LOCK_PATIENCE_S = 0.3  # a client that looks whether the lock is held has it for microseconds
_LOCK_POLL_S = 0.01
_REPLACE_TRIES = 20  # Windows lets no file be replaced while someone reads it, which takes microseconds
_REPLACE_PAUSE_S = 0.05

F = TypeVar("F", bound=msgspec.Struct)


class ServedVault(msgspec.Struct, frozen=True, kw_only=True):
    """The vault, as the discovery file names it."""

    id: str
    name: str
    path: str


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the discovery file. `repr` omits the token, so that no log can hold it."""

    pid: int
    port: int
    token: str
    protocol: int
    version: str
    vault: ServedVault
    owner: str | None = None  # the path of the owner's file; None in that of a sidecar that has one token

    def __repr__(self) -> str:
        return f"Discovery(pid={self.pid}, port={self.port}, vault={self.vault.id!r})"


class OwnerFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the owner's file. `repr` omits the token."""

    pid: int
    token: str

    def __repr__(self) -> str:
        return f"OwnerFile(pid={self.pid})"


def new_token() -> str:
    """A fresh 256-bit token in hexadecimal, from the system's generator."""
    return secrets.token_hex(TOKEN_BYTES)


def discovery_path(runtime_dir: Path, vault_id: str) -> Path:
    """Where the discovery file of the vault lies, whether or not it is there."""
    return runtime_dir / f"{vault_id}.json"


def owner_path(discovery: Path) -> Path:
    """Where the owner's file lies, beside the *discovery* file."""
    return discovery.with_suffix(".owner")


def write_discovery(path: Path, content: Discovery | OwnerFile) -> None:
    """
    Put a file in its place in one step, readable by this user alone from its first byte on.

    Raises:
        ConnectionFailed: It cannot be written, so nobody could find us.
    """
    temporary = path.with_suffix(f".{content.pid}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(msgspec.json.encode(content))
        _replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise ConnectionFailed(f"the file {path} cannot be written: {error.strerror}; move it away") from error


def read_discovery(path: Path) -> Discovery | None:
    """
    The file's content; None when there is none or it makes no sense, which a starting sidecar will mend.

    Whatever else lies at its place is not followed (a link) and not waited for (a pipe).
    """
    return _read(path, Discovery)


def read_owner_file(path: Path) -> OwnerFile | None:
    """The content of the owner's file; None as for `read_discovery`."""
    return _read(path, OwnerFile)


def _read(path: Path, content: type[F]) -> F | None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return msgspec.json.decode(file.read(MAX_FILE_BYTES), type=content)
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def remove_discovery(path: Path, pid: int) -> None:
    """Take both files away that are still ours; a successor may have written its own meanwhile."""
    owner = owner_path(path)
    for file, found in ((path, read_discovery(path)), (owner, read_owner_file(owner))):
        if found and found.pid == pid:
            with contextlib.suppress(OSError):  # on Windows someone may be reading it: what stays is told by the lock
                file.unlink()


def remove_stale_files(path: Path) -> None:
    """Take away what killed sidecars left, once the lock is ours: a client must not take it for what we will write."""
    for leftover in (path, owner_path(path), *path.parent.glob(f"{path.stem}.*.new")):
        with contextlib.suppress(OSError):  # not there, or a folder, which writing ours will tell of
            leftover.unlink()


def _replace(temporary: Path, path: Path) -> None:
    for _ in range(_REPLACE_TRIES - 1):
        try:
            temporary.replace(path)
        except PermissionError:
            time.sleep(_REPLACE_PAUSE_S)
        else:
            return
    temporary.replace(path)


class VaultLock:
    """
    The right to serve a vault: a lock that the operating system frees with the process, however it ends.

    Raises:
        VaultLocked: On entering, when another process holds it; the message names its process id when known.
        ConnectionFailed: The lock file cannot be opened at all.
    """

    def __init__(self, runtime_dir: Path, vault_id: str) -> None:
        self._lock = FileLock(runtime_dir / f"{vault_id}.lock", mode=0o600)
        self._discovery = discovery_path(runtime_dir, vault_id)

    def __enter__(self) -> Self:
        if not self._take(LOCK_PATIENCE_S):
            holder = read_discovery(self._discovery)
            who = f"process {holder.pid}" if holder else "another process"
            raise VaultLocked(f"{who} already serves this vault; attach to it or end it first")
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def is_held(self) -> bool:
        """Whether any process holds the lock now. Looking takes it for a moment, which `__enter__` allows for."""
        if not self._take(0):
            return True
        self._lock.release()
        return False

    def _take(self, patience_s: float) -> bool:
        try:
            self._lock.acquire(timeout=patience_s, poll_interval=_LOCK_POLL_S)
        except Timeout:
            return False
        except OSError as error:
            raise ConnectionFailed(
                f"the lock {self._lock.lock_file} cannot be opened: {error.strerror}; remove it"
            ) from error
        return True
