"""
The process that prepares notes: takes tasks, answers, and ends with the serving one.

It opens no database and no socket, and runs behind everything else on the machine.
"""

import gc
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from quarry.errors import QuarryError, VaultMissing
from quarry.indexing.messages import Done, ResultBatch, Task, WorkerFailed, WorkerReady, WorkerSetup
from quarry.indexing.parent import ParentConnection
from quarry.indexing.prepare import NotePreparer

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
    preparer = NotePreparer(employment.root, employment.rules, encoder, with_terms=True)
    gc.disable()  # nothing here refers to itself, and looking for what does is a tenth of all work
    parent.tell(WorkerReady())
    while True:
        task = parent.take()
        assert isinstance(task, Task)
        try:
            for results in _results(preparer, task):
                parent.tell(ResultBatch.of(results))
        except VaultMissing as error:
            parent.tell(WorkerFailed(str(error), is_vault_missing=True))
            return
        parent.tell(Done())


def _results(preparer: NotePreparer, task: Task) -> Iterator[Sequence[object]]:
    match task.kind:
        case "prepare":
            yield from preparer.prepare(task.items)  # type: ignore[arg-type]  # the pipe carries no types
        case "stamps":
            yield from _parts(preparer.stamps(task.items))  # type: ignore[arg-type]
        case "embed":
            yield from _parts(preparer.embed(task.items))  # type: ignore[arg-type]


T = TypeVar("T")


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    source = iter(items)
    while part := list(islice(source, _PART_ITEMS)):
        yield part
