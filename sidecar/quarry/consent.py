"""
The confirmations of this device's user: which models may be fetched, where texts may be sent, which reranker may run.

A vault's own `.quarry.toml` may come from anywhere, so that it can only prefer what was confirmed. The answers are in
one file beside the indexes, never in a vault, and count for all vaults of the device.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from quarry.config import data_dir
from quarry.errors import IndexUnavailable, NotConfirmed
from quarry.private_files import read_private, write_atomically

FILE_NAME = "consent.json"
MAX_BYTES = 1 << 20
MAX_SUBJECTS = 1_000  # of a kind; of more, the oldest are forgotten

ConsentKind: TypeAlias = Literal["download", "endpoint", "remote", "key", "reranker"]
"""
Files of a model are fetched by its name; texts are sent to a model of another program; to one on another machine (its
origin, such as `https://host:443`); a key from the environment is sent to it (its origin); a reranker runs.
"""

KINDS: tuple[ConsentKind, ...] = get_args(ConsentKind)
Request: TypeAlias = tuple[ConsentKind, str]
"""A kind, and the subject: the name of a model, or the origin of an endpoint."""


def is_confirmed(kind: ConsentKind, subject: str) -> bool:
    """Whether the user of this device has said yes. Reads a small file, so that it is not for the way of a query."""
    return subject in _read()[kind]


def require(requests: Iterable[Request], name: str) -> None:
    """
    Return if all of *requests*, for the model called *name*, are confirmed.

    Raises:
        NotConfirmed: One is not.
    """
    confirmed = _read()
    for kind, subject in requests:
        if subject not in confirmed[kind]:
            raise NotConfirmed(name)


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
    confirmed = _read()
    for kind, subject in requests:
        confirmed[kind] = [*(other for other in confirmed[kind] if other != subject), subject][-MAX_SUBJECTS:]
    _write(confirmed)


def withdraw(subject: str) -> None:
    """Forget every yes for *subject*. Raises as `confirm`."""
    _write({kind: [other for other in subjects if other != subject] for kind, subjects in _read().items()})


def _read() -> dict[ConsentKind, list[str]]:
    """The subjects of each kind, the oldest first; none where the file is missing or not what it should be."""
    try:
        found = json.loads(read_private(data_dir() / FILE_NAME, MAX_BYTES) or b"{}")
    except (ValueError, RecursionError):
        found = {}
    subjects = {kind: found.get(kind) if isinstance(found, dict) else None for kind in KINDS}
    return {
        kind: [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
        for kind, listed in subjects.items()
    }


def _write(confirmed: Mapping[ConsentKind, list[str]]) -> None:
    path = data_dir() / FILE_NAME
    try:
        write_atomically(path, json.dumps(confirmed, indent=2, ensure_ascii=False).encode(), durable=True)
    except OSError as error:
        raise IndexUnavailable(f"{path} cannot be written: {error.strerror}; nothing was confirmed") from error
