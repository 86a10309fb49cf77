"""
The process that prepares notes: takes tasks, answers, and ends with the serving one.

It opens no database and no socket, and runs behind everything else on the machine.
"""

import gc
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from quarry.errors import QuarryError, VaultMissing
from quarry.indexing.messages import Done, ResultBatch, Task, WorkerFailed, WorkerReady, WorkerSetup
from quarry.indexing.parent import ParentConnection
from quarry.indexing.prepare import NotePreparer
from quarry.indexing.read_files import read_groups, read_stamps

_PART_ITEMS = 512  # stamps or vectors in one reply


def main() -> None:
    """Work until the input ends."""
    parent = ParentConnection()
    employment = parent.take()
    assert isinstance(employment, WorkerSetup)
    try:
        encoder = employment.options.encoder(employment.fingerprint) if employment.fingerprint else None
    except QuarryError as error:
        parent.tell(WorkerFailed(str(error)))
        return
    preparer = NotePreparer(employment.rules, encoder, with_counts=True)
    gc.disable()  # nothing here refers to itself, and looking for what does is a tenth of all work
    parent.tell(WorkerReady())
    while True:
        task = parent.take()
        assert isinstance(task, Task)
        try:
            for results in _results(employment.root, preparer, task):
                parent.tell(ResultBatch.of(results))
        except VaultMissing as error:
            parent.tell(WorkerFailed(str(error), is_vault_missing=True))
            return
        parent.tell(Done())


def _results(root: Path, preparer: NotePreparer, task: Task) -> Iterator[Sequence[object]]:
    match task.kind:
        case "prepare":
            for group in read_groups(root, task.items):  # type: ignore[arg-type]  # the pipe carries no types
                yield preparer.prepare(group)
        case "stamps":
            yield from _parts(read_stamps(root, task.items))  # type: ignore[arg-type]
        case "embed":
            yield from _parts(preparer.embed(task.items))  # type: ignore[arg-type]


T = TypeVar("T")


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    source = iter(items)
    while part := list(islice(source, _PART_ITEMS)):
        yield part
