"""
The confirmations of this device's user: which models may be fetched, where texts may be sent, which reranker may run.

A vault's own `.quarry.toml` may come from anywhere, so that it can only prefer what was confirmed. The answers are in
one file beside the indexes, never in a vault, and count for all vaults of the device.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from filelock import FileLock
from msgspec import MsgspecError
from msgspec.json import decode, encode  # noqa: TID251  a file of ours

from quarry.config import data_dir
from quarry.errors import IndexUnavailable, NotConfirmed
from quarry.options import ConsentKind
from quarry.private_files import read_private, write_atomically

FILE_NAME = "consent.json"
MAX_BYTES = 1 << 20

LOCK_S = 10.0  # a change takes milliseconds

Request: TypeAlias = tuple[ConsentKind, str]
"""A kind, and the subject: the name of a model, or the origin of an endpoint."""


def is_confirmed(kind: ConsentKind, subject: str) -> bool:
    """Whether the user of this device has said yes. Reads a small file, so that it is not for the way of a query."""
    return (kind, subject) in confirmed()


def require(requests: Iterable[Request], name: str) -> None:
    """
    Return if all of *requests*, for the model called *name*, are confirmed; a key need not be.

    Raises:
        NotConfirmed: One is not.
    """
    if {request for request in requests if request[0] != "key"} - confirmed():
        raise NotConfirmed(
            f"this vault prefers the model {name!r}, which you have not confirmed on this device; to use it, run "
            "`quarry models use` in the vault, or choose it in the settings of the plugin"
        )


def version() -> int:
    """A number that changes with what is confirmed; 0 while nothing is."""
    try:
        return (data_dir() / FILE_NAME).stat().st_mtime_ns
    except OSError:
        return 0


def confirm(requests: Iterable[Request]) -> None:
    """
    Record a yes for each of *requests*, durably.

    Raises:
        IndexUnavailable: It cannot be written.
    """
    with _changing() as found:
        found.update(requests)


def withdraw(subjects: Collection[str]) -> list[Request]:
    """Take back every yes for *subjects*, and return what was taken back, in order. Raises as `confirm`."""
    with _changing() as found:
        withdrawn = sorted(request for request in found if request[1] in subjects)
        found.difference_update(withdrawn)
    return withdrawn


def confirmed() -> set[Request]:
    """The requests that are confirmed; none where the file is missing or not what it should be."""
    with suppress(MsgspecError, RecursionError, UnicodeDecodeError):
        content = read_private(data_dir() / FILE_NAME, MAX_BYTES) or b"{}"
        kinds = decode(content, type=dict[ConsentKind, list[str]])
        return {(kind, subject) for kind, subjects in kinds.items() for subject in subjects}
    return set()


@contextmanager
def _changing() -> Iterator[set[Request]]:
    """The confirmed requests, stored as the caller leaves them; no other process changes them meanwhile."""
    path = data_dir() / FILE_NAME
    try:
        with FileLock(path.with_suffix(".lock"), timeout=LOCK_S, mode=0o600):
            yield (found := confirmed())
            kinds: dict[ConsentKind, list[str]] = {}
            for kind, subject in sorted(found):
                kinds.setdefault(kind, []).append(subject)
            write_atomically(path, encode(kinds), durable=True)
    except OSError as error:
        raise IndexUnavailable(f"{path} cannot be written: {error.strerror or error}; nothing was changed") from error
