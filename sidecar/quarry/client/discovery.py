"""
Discovery files, by which a client finds the sidecar of a vault.

`<runtime folder>/<vault id>.json` and `<vault id>.owner`, mode 0600 in a folder of mode 0700, contain the only copies
of the sidecar's tokens; the owner's token is in a file of its own, for programs that may change settings or stop the
sidecar. The discovery file appears, complete, once the sidecar can answer, after the owner's; both are removed when the
sidecar exits. A file that a killed sidecar left is recognised by the lock beside it: the system releases the lock with
the process, so a free lock means that no sidecar is running and the token opens nothing.
"""

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from quarry.errors import ConnectionFailed, VaultLocked
from quarry.private_files import read_private, write_atomically

if sys.platform != "win32":
    import fcntl
if TYPE_CHECKING:
    from filelock import FileLock

NO_PORT = 0  # of a program that has opened the vault exclusively: it answers no requests
MAX_PORT = 65_535
TOKEN_BYTES = 32  # 256 bits cannot be guessed, whatever the rate
MAX_FILE_BYTES = 64 * 1024  # a file has 300 bytes
LOCK_PATIENCE_S = 0.3  # a client that checks the lock holds it for microseconds
_LOCK_POLL_S = 0.01


class ServedVault(NamedTuple):
    """The vault, as the discovery file names it."""

    id: str
    name: str
    path: str


class Discovery(NamedTuple):
    """The content of the discovery file. `repr` omits the token, so that it cannot reach a log."""

    pid: int
    port: int
    token: str
    protocol: int
    version: str
    vault: ServedVault
    owner: str = ""  # the path of the owner's file; "" of a program that has opened the vault exclusively
    part: str = ""  # the folders of the part of the vault that is served, one a line; "": all of it

    @property
    def only(self) -> tuple[str, ...]:
        """The folders of the part of the vault that is served; empty: all of it."""
        return tuple(self.part.splitlines())

    def __repr__(self) -> str:
        return f"Discovery(pid={self.pid}, port={self.port}, vault={self.vault.id!r})"


class OwnerFile(NamedTuple):
    """The content of the owner's file. `repr` omits the token."""

    pid: int
    token: str

    def __repr__(self) -> str:
        return f"OwnerFile(pid={self.pid})"


def new_token() -> str:
    """A fresh 256-bit token in hexadecimal, from the system's generator."""
    return os.urandom(TOKEN_BYTES).hex()


def discovery_path(runtime_dir: Path, vault_id: str) -> Path:
    """The path of the vault's discovery file, which may not exist."""
    return runtime_dir / f"{vault_id}.json"


def owner_path(discovery: Path) -> Path:
    """The path of the owner's file, beside the *discovery* file."""
    return discovery.with_suffix(".owner")


def write_discovery(path: Path, discovery: Discovery) -> None:
    """
    Replace the discovery file.

    Raises:
        ConnectionFailed: It cannot be written, so no client could find this process.
    """
    _write(path, {**discovery._asdict(), "vault": discovery.vault._asdict()})


def write_owner_file(path: Path, owner: OwnerFile) -> None:
    """Replace the owner's file. Raises as `write_discovery`."""
    _write(path, owner._asdict())


def _write(path: Path, content: Mapping[str, object]) -> None:
    try:
        write_atomically(path, json.dumps(content, ensure_ascii=False).encode())
    except OSError as error:
        raise ConnectionFailed(f"the file {path} cannot be written: {error.strerror}; move it away") from error


def read_discovery(path: Path) -> Discovery | None:
    """The content of the discovery file; None if there is none, or it is damaged, which a starting sidecar repairs."""
    found = _read(path)
    try:
        vault = ServedVault(**_fields(ServedVault, found.get("vault")))
        discovery = Discovery(**_fields(Discovery, {"owner": "", "part": "", **found, "vault": vault}))
    except ValueError:
        return None
    return discovery if NO_PORT <= discovery.port <= MAX_PORT else None


def read_owner_file(path: Path) -> OwnerFile | None:
    """The content of the owner's file; None as for `read_discovery`."""
    try:
        return OwnerFile(**_fields(OwnerFile, _read(path)))
    except ValueError:
        return None


def token_of(discovery: Discovery, *, as_owner: bool) -> str:
    """The token to authenticate with; the reader's if the owner's file is missing."""
    owner = read_owner_file(Path(discovery.owner)) if as_owner and discovery.owner else None
    return owner.token if owner else discovery.token


def remove_discovery(path: Path, pid: int) -> None:
    """Remove the files that the process *pid* wrote; a successor may have replaced them meanwhile."""
    owner = owner_path(path)
    for file, found in ((path, read_discovery(path)), (owner, read_owner_file(owner))):
        if found and found.pid == pid:
            with contextlib.suppress(OSError):  # on Windows someone may be reading it; the lock says that it is stale
                file.unlink()


def remove_stale_files(path: Path) -> None:
    """Remove the files of killed sidecars, once the lock is taken: no client may take them for the new ones."""
    for leftover in (path, owner_path(path), *path.parent.glob(f"{path.stem}.*.new")):
        with contextlib.suppress(OSError):  # it does not exist, or is a folder, as writing will report
            leftover.unlink()


def _read(path: Path) -> dict[str, Any]:
    """The JSON object in the file; empty if there is none."""
    content = read_private(path, MAX_FILE_BYTES)
    try:
        found = None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _fields(kind: type[tuple[Any, ...]], found: Any) -> dict[str, Any]:
    """The members of *found* that *kind* has. Raises `ValueError` unless each is there and of its type."""
    types = kind.__annotations__
    if not isinstance(found, dict) or any(type(found.get(name)) is not types[name] for name in types):
        raise ValueError("another value")
    return {name: found[name] for name in types}


class VaultLock:
    """
    The right to serve a vault: a lock that the operating system releases with the process, however it ends.

    Raises:
        VaultLocked: On entering, when another process holds it; the message names its process id when known.
        ConnectionFailed: The lock file cannot be opened at all.
    """

    def __init__(self, runtime_dir: Path, vault_id: str) -> None:
        self._path = runtime_dir / f"{vault_id}.lock"
        self._discovery = discovery_path(runtime_dir, vault_id)
        self._lock: FileLock | None = None

    def __enter__(self) -> Self:
        if not self._take(LOCK_PATIENCE_S):
            holder = read_discovery(self._discovery)
            who = f"process {holder.pid}" if holder else "another process"
            raise VaultLocked(f"{who} already serves this vault; attach to it or end it first")
        return self

    def __exit__(self, *_: object) -> None:
        self._release()

    def is_held(self) -> bool:
        """Whether any process holds the lock now. Checking may take it for a moment, which `__enter__` allows for."""
        is_locked = _is_locked(self._path)
        if is_locked is None:
            is_locked = not self._take(0)
            self._release()
        return is_locked

    def _take(self, patience_s: float) -> bool:
        from filelock import FileLock, Timeout  # here, as a hook only checks: importing it takes a third of its time

        self._lock = FileLock(self._path, mode=0o600)
        try:
            self._lock.acquire(timeout=patience_s, poll_interval=_LOCK_POLL_S)
        except Timeout:
            return False
        except OSError as error:
            raise ConnectionFailed(f"the lock {self._path} cannot be opened: {error.strerror}; remove it") from error
        return True

    def _release(self) -> None:
        if self._lock:
            self._lock.release()


def _is_locked(path: Path) -> bool | None:
    """Whether a process holds the lock *path*, as filelock takes it; None if only filelock can find out."""
    if sys.platform == "win32":
        return None
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that two checks do not see each other
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(file)  # which releases it
    return False
