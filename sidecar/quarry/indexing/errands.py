"""What the serving process and a preparing one say to each other."""

import io
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.embedding.encoder import Fingerprint
from quarry.index import Counted
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

    Each is pickled by itself: unpickling holds the interpreter, and searches want it in between. What was counted of
    all of them together is sent once beside them.
    """

    results: tuple[bytes, ...]
    shared: bytes = b""

    @classmethod
    def of(cls, results: Iterable[object]) -> "Part":
        """*results* ready to be sent."""
        shared: list[Counted] = []
        found = tuple(_pickled(result, shared) for result in results)
        return cls(found, pickle.dumps(shared, pickle.HIGHEST_PROTOCOL) if shared else b"")

    def opened(self) -> Iterator[object]:
        """The results, each when it is asked for."""
        shared: list[Counted] = pickle.loads(self.shared) if self.shared else []  # noqa: S301  see above
        return (_Unpickler(result, shared).load() for result in self.results)


class Done(Struct, frozen=True):
    """Every item of the task was answered."""


class Refused(Struct, frozen=True):
    """The process cannot go on, and ends."""

    reason: str
    is_vault_missing: bool = False


Reply: TypeAlias = Started | Part | Done | Refused


class _Pickler(pickle.Pickler):
    """Puts a number in place of what is shared."""

    def __init__(self, file: io.BytesIO, shared: list[Counted]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._shared = shared

    def persistent_id(self, value: object) -> int | None:
        if not isinstance(value, Counted):
            return None
        known = [at for at, other in enumerate(self._shared) if other is value]
        if not known:
            self._shared.append(value)
        return known[0] if known else len(self._shared) - 1


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, shared: list[Counted]) -> None:
        super().__init__(io.BytesIO(data))
        self._shared = shared

    def persistent_load(self, at: int) -> Counted:
        return self._shared[at]


def _pickled(value: object, shared: list[Counted]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, shared).dump(value)
    return file.getvalue()
