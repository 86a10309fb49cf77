"""
The discovery file: how a client finds the sidecar of a vault, and the only place where its token stands. The owner's
token stands in a file of its own, which only programs read that may change settings or end the sidecar.

`<runtime folder>/<vault id>.json` and `<vault id>.owner`, mode 0600 in a folder of mode 0700. The discovery file
appears, whole, once the sidecar can answer, after the owner's; both go when the sidecar leaves. A file left by a killed
one is told by the lock beside it: the system frees the lock with the process, so a free lock means that nobody serves
and the token opens nothing.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from quarry.errors import ConnectionFailed, VaultLocked
from quarry.private_files import read_private, write_atomically

if sys.platform != "win32":
    import fcntl
if TYPE_CHECKING:
    from filelock import FileLock

NO_PORT = 0  # of a program that has opened the vault exclusively: it answers nobody
MAX_PORT = 65_535
TOKEN_BYTES = 32  # 256 bits: not to be guessed, whatever the rate
MAX_FILE_BYTES = 64 * 1024  # it is 300 bytes; what is larger is none of ours
LOCK_PATIENCE_S = 0.3  # a client that looks whether the lock is held has it for microseconds
_LOCK_POLL_S = 0.01


F = TypeVar("F")


class ServedVault(NamedTuple):
    """The vault, as the discovery file names it."""

    id: str
    name: str
    path: str


class Discovery(NamedTuple):
    """The content of the discovery file. `repr` omits the token, so that no log can hold it."""

    pid: int
    port: int
    token: str
    protocol: int
    version: str
    vault: ServedVault
    owner: str = ""  # the path of the owner's file; "" in that of a sidecar that has one token for everything

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
    """Where the discovery file of the vault lies, whether or not it is there."""
    return runtime_dir / f"{vault_id}.json"


def owner_path(discovery: Path) -> Path:
    """Where the owner's file lies, beside the *discovery* file."""
    return discovery.with_suffix(".owner")


def write_discovery(path: Path, discovery: Discovery) -> None:
    """
    Put the discovery file in its place in one step, readable by this user alone from its first byte on.

    Raises:
        ConnectionFailed: It cannot be written, so nobody could find us.
    """
    _write(path, {**discovery._asdict(), "vault": discovery.vault._asdict()})


def write_owner_file(path: Path, owner: OwnerFile) -> None:
    """Put the owner's file in its place. Raises as `write_discovery`."""
    _write(path, owner._asdict())


def _write(path: Path, content: Mapping[str, object]) -> None:
    """
    Replace a file that this user alone can read.

    Raises:
        ConnectionFailed: It cannot be written, so no client could find this process.
    """
    try:
        write_atomically(path, json.dumps(content, ensure_ascii=False).encode())
    except OSError as error:
        raise ConnectionFailed(f"the file {path} cannot be written: {error.strerror}; move it away") from error


def read_discovery(path: Path) -> Discovery | None:
    """
    The file's content; None when there is none or it makes no sense, which a starting sidecar will mend.

    Whatever else lies at its place is not followed (a link) and not waited for (a pipe).
    """
    return _read(path, _decode)


def read_owner_file(path: Path) -> OwnerFile | None:
    """The content of the owner's file; None as for `read_discovery`."""
    return _read(path, lambda content: OwnerFile(**_typed(OwnerFile, json.loads(content))))


def token_of(discovery: Discovery, *, as_owner: bool) -> str:
    """The token to show: where the owner's is missing, as beside an older sidecar, the only one there is."""
    owner = read_owner_file(Path(discovery.owner)) if as_owner and discovery.owner else None
    return owner.token if owner else discovery.token


def _read(path: Path, decode: Callable[[bytes], F]) -> F | None:
    content = read_private(path, MAX_FILE_BYTES)
    try:
        return None if content is None else decode(content)
    except (ValueError, RecursionError):
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


def _decode(content: bytes) -> Discovery:
    """The value that *content* encodes; `ValueError` if it encodes none. Fields that it has besides are left out."""
    found = json.loads(content)
    vault = _typed(ServedVault, found.get("vault") if isinstance(found, dict) else None)
    values = _typed(Discovery, {"owner": "", **found, "vault": ServedVault(**vault)})
    if not NO_PORT <= values["port"] <= MAX_PORT:
        raise ValueError("no port of this machine")
    return Discovery(**values)


def _typed(kind: type[tuple[Any, ...]], found: Any) -> dict[str, Any]:
    """The members of *found* that *kind* has, each of its type."""
    types = kind.__annotations__
    if not isinstance(found, dict) or any(type(found.get(name)) is not types[name] for name in types):
        raise ValueError("no such value")
    return {name: found[name] for name in types}


class VaultLock:
    """
    The right to serve a vault: a lock that the operating system frees with the process, however it ends.

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
        """Whether any process holds the lock now. Looking may take it for a moment, which `__enter__` allows for."""
        is_locked = _is_locked(self._path)
        if is_locked is None:
            is_locked = not self._take(0)
            self._release()
        return is_locked

    def _take(self, patience_s: float) -> bool:
        from filelock import FileLock, Timeout  # here, as a hook only looks: it takes a third of its time to import

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
    """Whether a process holds the lock *path*, as filelock takes it; None where only filelock itself can say."""
    if sys.platform == "win32":
        return None
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two that look do not take each other for a holder
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(file)  # which frees it
    return False
