"""
The process that prepares notes: takes tasks, answers, and ends with the serving one.

It opens no database and no socket, and runs behind everything else on the machine.
"""

import gc
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from quarry.errors import QuarryError, VaultMissing
from quarry.indexing.errands import Done, Employment, Part, Refused, Started, Task
from quarry.indexing.parent import Parent
from quarry.indexing.preparing import Preparer

_PART_ITEMS = 512  # stamps or vectors in one reply


def main() -> None:
    """Work until the input ends."""
    parent = Parent()
    employment = parent.take()
    assert isinstance(employment, Employment)
    try:
        encoder = employment.staffing.encoder(employment.fingerprint) if employment.fingerprint else None
    except QuarryError as error:
        parent.tell(Refused(str(error)))
        return
    preparer = Preparer(employment.root, employment.rules, encoder, with_terms=True)
    gc.disable()  # nothing here refers to itself, and looking for what does is a tenth of all work
    parent.tell(Started())
    while True:
        task = parent.take()
        assert isinstance(task, Task)
        try:
            for results in _results(preparer, task):
                parent.tell(Part.of(results))
        except VaultMissing as error:
            parent.tell(Refused(str(error), is_vault_missing=True))
            return
        parent.tell(Done())


def _results(preparer: Preparer, task: Task) -> Iterator[Sequence[object]]:
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
