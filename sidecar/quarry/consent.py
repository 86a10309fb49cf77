"""
The confirmations of this device's user: which models may be fetched, where texts may be sent, which reranker may run.

A vault's own `.quarry.toml` may come from anywhere, so that it can only prefer what was confirmed. The answers are in
one file beside the indexes, never in a vault, and count for all vaults of the device.
"""

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from msgspec import MsgspecError
from msgspec.json import decode, encode  # noqa: TID251  a file of ours

from quarry.config import data_dir
from quarry.errors import IndexUnavailable, NotConfirmed
from quarry.options import ConsentKind
from quarry.private_files import read_private, write_atomically

FILE_NAME = "consent.json"
MAX_BYTES = 1 << 20

_lock = threading.Lock()  # of the file, within this process; of two sidecars at once, the last yes is kept

Request: TypeAlias = tuple[ConsentKind, str]
"""A kind, and the subject: the name of a model, or the origin of an endpoint."""


def is_confirmed(kind: ConsentKind, subject: str) -> bool:
    """Whether the user of this device has said yes. Reads a small file, so that it is not for the way of a query."""
    return subject in _read().get(kind, ())


def require(requests: Iterable[Request], name: str) -> None:
    """
    Return if all of *requests*, for the model called *name*, are confirmed; a key need not be.

    Raises:
        NotConfirmed: One is not.
    """
    confirmed = _read()
    for kind, subject in requests:
        if kind != "key" and subject not in confirmed.get(kind, ()):
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
    path = data_dir() / FILE_NAME
    with _lock:
        confirmed = _read()
        for kind, subject in requests:
            confirmed[kind] = sorted({*confirmed.get(kind, ()), subject})
        try:
            write_atomically(path, encode(confirmed), durable=True)
        except OSError as error:
            raise IndexUnavailable(f"{path} cannot be written: {error.strerror}; nothing was confirmed") from error


def _read() -> dict[ConsentKind, list[str]]:
    """The subjects of each kind, in order; none where the file is missing or not what it should be."""
    with suppress(MsgspecError, RecursionError):
        return decode(read_private(data_dir() / FILE_NAME, MAX_BYTES) or b"{}", type=dict[ConsentKind, list[str]])
    return {}
