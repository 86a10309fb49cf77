"""What the serving process and a preparing one say to each other."""

import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.errors import QuarryError
from quarry.text.reading_rules import ReadingRules

TaskKind = Literal["prepare", "stamps", "embed"]
MAX_PROCESSES = 2  # one writer is kept busy by two


class WorkerOptions(Struct, frozen=True):
    """What a worker process needs to load the model of the serving one, and how many may run."""

    load: Callable[[str], Encoder]  # pickled by name: at the top of a module, or no process can load it
    model_name: str
    max_processes: int = MAX_PROCESSES  # at once

    def encoder(self, fingerprint: Fingerprint) -> Encoder:
        """
        The model of that *fingerprint*.

        Raises:
            ModelMissing: It is not there.
            QuarryError: It is another by now.
        """
        encoder = self.load(self.model_name)
        if encoder.fingerprint != fingerprint:
            raise QuarryError(f"the files of the model {self.model_name!r} changed; restart Quarry to use them")
        return encoder


class WorkerSetup(Struct, frozen=True):
    """What a process is told first."""

    root: Path
    rules: ReadingRules
    options: WorkerOptions
    fingerprint: Fingerprint | None  # of the model that the index is made with; None: prepare without one


class Task(Struct, frozen=True):
    """A part of a plan; `items` are `Move`s, paths or texts, by *kind*."""

    kind: TaskKind
    items: tuple[object, ...]


class WorkerReady(Struct, frozen=True):
    """The first thing a process says: it can work."""


class ResultBatch(Struct, frozen=True):
    """
    Results for the next items of a task, in their order.

    Pickled one after the other and not all at once: unpickling holds the interpreter, and searches want it in between.
    One pickler remembers what it wrote, so that what results share is sent once.
    """

    count: int
    pickled: bytes

    @classmethod
    def of(cls, results: Sequence[object]) -> "ResultBatch":
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


class WorkerFailed(Struct, frozen=True):
    """The process cannot go on, and ends."""

    reason: str
    is_vault_missing: bool = False


Reply: TypeAlias = WorkerReady | ResultBatch | Done | WorkerFailed
