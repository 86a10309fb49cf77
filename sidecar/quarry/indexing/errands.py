"""What the serving process and a preparing one say to each other."""

import io
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.embedding.encoder import Fingerprint
from quarry.indexing.staffing import Staffing
from quarry.text.note import ReadingRules

TaskKind = Literal["prepare", "stamps", "embed"]


class Employment(Struct, frozen=True):
    """What a process is told first."""

    root: Path
    rules: ReadingRules
    staffing: Staffing
    fingerprint: Fingerprint | None  # of the model that the index is made with; None: prepare without one


class Task(Struct, frozen=True):
    """A part of a plan; `items` are `Move`s, paths or texts, by *kind*."""

    kind: TaskKind
    items: tuple[object, ...]


class Started(Struct, frozen=True):
    """The first thing a process says: it can work."""


class Part(Struct, frozen=True):
    """
    Results for the next items of a task, in their order.

    Pickled one after the other and not all at once: unpickling holds the interpreter, and searches want it in between.
    One pickler remembers what it wrote, so that what results share is sent once.
    """

    count: int
    pickled: bytes

    @classmethod
    def of(cls, results: Sequence[object]) -> "Part":
        """*results* ready to be sent."""
        file = io.BytesIO()
        pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
        for result in results:
            pickler.dump(result)
        return cls(len(results), file.getvalue())

    def opened(self) -> Iterator[object]:
        """The results, each when it is asked for."""
        unpickler = pickle.Unpickler(io.BytesIO(self.pickled))  # noqa: S301  from our own process, see `frames`
        return (unpickler.load() for _ in range(self.count))


class Done(Struct, frozen=True):
    """Every item of the task was answered."""


class Refused(Struct, frozen=True):
    """The process cannot go on, and ends."""

    reason: str
    is_vault_missing: bool = False


Reply: TypeAlias = Started | Part | Done | Refused
