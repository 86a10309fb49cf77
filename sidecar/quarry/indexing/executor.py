"""
Where notes are prepared: here and now, or, where a plan is large, in processes of their own (`pool.py`).

Either way the results are the same and in the order of the plan. Where no process can be had it is done here, and
said: searches are slower meanwhile, as Python's threads share one interpreter.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeVar

from quarry.config import READ_BATCH_NOTES
from quarry.embedding.encoder import Encoder
from quarry.index import Index
from quarry.indexing.messages import TaskKind, WorkerOptions, WorkerSetup
from quarry.indexing.pool import PoisonItem, Result, WorkerPool
from quarry.indexing.prepare import FailedNote, NotePreparer, Ready
from quarry.indexing.read_files import FoundFile, Move
from quarry.indexing.worker_process import ProcessUnavailable
from quarry.text.note import ReadingRules

_log = logging.getLogger(__name__)
MANY_NOTES = 200  # a process takes a third of a second to begin, in which a hundred notes are prepared here
MANY_BYTES = 4 * 1024 * 1024  # what 1,000 notes of a usual size hold
MANY_STAMPS = 2_000  # reading and hashing alone is twenty times quicker
MANY_TEXTS = 256
POISON = "preparing it ended a process of Quarry ({how}), twice; it is left out"


class ProgressMonitor(Protocol):
    """The part of the indexer's monitor that is wanted here."""

    def between_batches(self) -> None:
        """Nothing is half done now. May wait while paused; raises `Cancelled` to stop."""

    def report_degraded(self, message: str) -> None:
        """Something went wrong that the run copes with; *message* is for people."""

    def changed_meanwhile(self, path: str) -> bool:
        """Whether someone saw *path*, or a folder it lies in, change since the run began."""


class PreparationExecutor:
    """
    Prepares what a run asks for; a context, which ends the processes.

    Args:
        encoder: Asked when something is to be prepared, and not before: a start with nothing to do needs no model.
        options: None: no processes, whatever is asked for.
    """

    def __init__(
        self,
        root: Path,
        rules: ReadingRules,
        encoder: Callable[[], Encoder | None],
        monitor: ProgressMonitor,
        options: WorkerOptions | None,
    ) -> None:
        self._root = root
        self._rules = rules
        self._encoder = encoder
        self._monitor = monitor
        self._options = options
        self._pool: WorkerPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_pool()

    def notes(
        self, index: Index, moves: Sequence[Move], size_bytes: int, deadly: Set[str] = frozenset()
    ) -> Iterator[Sequence[Ready]]:
        """
        The notes of *moves* in order, a group at a time; nothing is half done between two.

        Args:
            index: Whose vectors are used again where notes are prepared here.
            size_bytes: Of their files, as far as known.
            deadly: Paths that ended a process before; they are never prepared here.

        Raises:
            VaultMissing: The vault itself cannot be opened.
        """
        done = 0
        if len(moves) >= MANY_NOTES or size_bytes >= MANY_BYTES or any(path in deadly for path, _ in moves):
            for group in self._outside("prepare", moves, READ_BATCH_NOTES):
                yield [
                    self._as_of_now(index, move, found)
                    for move, found in zip(moves[done : done + len(group)], group, strict=True)
                ]
                done += len(group)
            self._end_pool()  # 200 MB, which are free when what was written is put together
        yield from self._here(index, moves[done:], deadly)

    def warm_up(self) -> None:
        """Make the first note that is prepared here as quick as the next; searches have the model ready."""
        NotePreparer(self._root, self._rules, None).warm_up()

    def stamps(self, paths: Sequence[str]) -> Iterator[Sequence[FoundFile]]:
        """What the files at *paths* are, without their bytes, some at a time. Raises as `notes`."""
        done = 0
        if len(paths) >= MANY_STAMPS:
            for found in self._outside("stamps", paths, 4 * READ_BATCH_NOTES):
                done += len(found)
                yield [file for file in found if not isinstance(file, PoisonItem)]
        preparer = NotePreparer(self._root, self._rules, None)
        for batch in batches(paths[done:]):
            yield preparer.stamps(batch)

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """The vector of each of *texts*, as stored."""
        found: list[bytes] = []
        if len(texts) >= MANY_TEXTS:
            for part in self._outside("embed", texts, MANY_TEXTS // 2):
                found += [
                    b"" if isinstance(vector, PoisonItem) else vector for vector in part
                ]  # found by its words only
        if len(found) < len(texts):
            found += NotePreparer(self._root, self._rules, self._encoder()).embed(texts[len(found) :])
        return found

    # --- steps ---------------------------------------------------------------------------------

    def _end_pool(self) -> None:
        """End the processes; whoever wants some again starts others."""
        if self._pool:
            self._pool.close()
            self._pool = None

    def _as_of_now(self, index: Index, move: Move, found: Ready | PoisonItem) -> Ready:
        """*found*; where it was superseded by a change since it was read, the note as it is now."""
        path, old_path = move
        if isinstance(found, PoisonItem):
            return FailedNote(path, POISON.format(how=found.how), is_poison=True), old_path
        if self._monitor.changed_meanwhile(path):
            [[found]] = self._here(index, [move], frozenset())
        return found

    def _here(self, index: Index, moves: Sequence[Move], deadly: Set[str]) -> Iterator[Sequence[Ready]]:
        encoder = self._encoder() if moves else None
        for batch in batches(moves):
            known = partial(index.known_vectors, [path for move in batch for path in move if path])
            preparer = NotePreparer(self._root, self._rules, encoder, known)
            spared = [move for move in batch if move[0] not in deadly]
            yield from preparer.prepare(spared)
            if len(spared) < len(batch):
                how = "no process could be started to try it again"
                yield [
                    (FailedNote(path, POISON.format(how=how), is_poison=True), old_path)
                    for path, old_path in batch
                    if path in deadly
                ]

    def _outside(self, kind: TaskKind, items: Sequence[object], task_size: int) -> Iterator[list[Result]]:
        """What processes make of *items*, as far as they come; the rest is for here."""
        if self._options is None:
            return
        try:
            if self._pool is None:
                self._pool = self._start_pool(self._options)
            yield from self._pool.work(kind, items, task_size)
        except ProcessUnavailable as error:
            _log.warning("indexing goes on in the serving process: %s", error)
            self._monitor.report_degraded(
                f"indexing runs in the serving process, so searches are slower meanwhile: {error}"
            )
            self._options = None

    def _start_pool(self, options: WorkerOptions) -> WorkerPool:
        encoder = self._encoder()
        employment = WorkerSetup(self._root, self._rules, options, encoder.fingerprint if encoder else None)
        return WorkerPool(employment, self._monitor.between_batches, self._monitor.report_degraded)


T = TypeVar("T")


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """*items* in lists of at most `READ_BATCH_NOTES`."""
    source = iter(items)
    while batch := list(islice(source, READ_BATCH_NOTES)):
        yield batch
