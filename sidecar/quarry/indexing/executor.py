"""
Prepares notes: on the calling thread or, where a plan is large, in processes of their own (`pool.py`).

Either way the results are the same and in the order of the plan. Where no process can be started, the calling
thread prepares them, and the user is told: searches are slower meanwhile, as Python's threads share one interpreter.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence, Set
from functools import partial
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Protocol, Self, TypeVar

from quarry.config import READ_BATCH_BYTES
from quarry.documents.reading_rules import ReadingRules
from quarry.embedding.encoder import Encoder
from quarry.index import Index
from quarry.indexing.limits import PlanLimits
from quarry.indexing.pdf_process import PdfProcess
from quarry.indexing.pool import PoisonItem, Result, TaskKind, WorkerOptions, WorkerPool, WorkerSetup
from quarry.indexing.prepare import FailedNote, NotePreparer, Ready
from quarry.indexing.read_files import FoundFile, Move, NoteFile, read_groups, read_one, read_stamps
from quarry.indexing.worker_process import ProcessUnavailable
from quarry.kinds import kind_of

_log = logging.getLogger(__name__)
POISON = "preparing it ended a process of Quarry ({how}), twice; it is left out"


class ProgressMonitor(Protocol):
    """The part of the indexer's monitor that preparation needs."""

    def between_batches(self) -> None:
        """Called where stopping is safe. May wait while paused; raises `Cancelled` to stop."""

    def report_degraded(self, detail: str) -> None:
        """Something went wrong that the run copes with; *message* is for people."""

    def changed_meanwhile(self, path: str) -> bool:
        """Whether *path*, or a folder it lies in, was reported as changed since the run began."""


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
        limits: PlanLimits = PlanLimits(),  # noqa: B008  a frozen value
    ) -> None:
        self._root = root
        self._rules = rules
        self._encoder = encoder
        self._monitor = monitor
        self._options = options
        self._limits = limits
        self._pool: WorkerPool | None = None
        self._may_start_pool = False  # inside the context, until it turns out that none can be had

    def __enter__(self) -> Self:
        self._may_start_pool = self._options is not None  # what could not be had for the run before is tried again
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_pool()

    def notes(
        self,
        index: Index,
        moves: Sequence[Move],
        size_bytes: int,
        poison: Set[str] = frozenset(),
        in_memory: Mapping[str, FoundFile] = MappingProxyType({}),
    ) -> Iterator[Sequence[Ready]]:
        """
        The notes of *moves* in order, a group at a time; nothing is half done between two.

        Args:
            index: Whose vectors are used again where notes are prepared here.
            size_bytes: Of their files, as far as known.
            poison: Paths that ended a process before; they are never prepared here.
            in_memory: Files that were read already, by path; those that changed since are read again.

        Raises:
            VaultMissing: The vault itself cannot be opened.
        """
        limits = self._limits
        is_large = len(moves) >= limits.many_notes or size_bytes >= limits.many_bytes
        if is_large or (poison and any(path in poison for path, _ in moves)):
            return self._outside_first(index, moves, poison, in_memory)
        return self._here(index, moves, poison, in_memory)

    def warm_up(self) -> None:
        """Make the first note that is prepared here as quick as the next; searches have the model ready."""
        NotePreparer(self._rules, None).warm_up()

    def stamps(self, paths: Sequence[str], in_memory: MutableMapping[str, FoundFile]) -> Iterator[Sequence[FoundFile]]:
        """
        Yield the stamps of the files at *paths*, without their bytes, in batches. Raises as `notes`.

        Args:
            in_memory: Takes files with their bytes, a few megabytes in all, so that they need not be read again.
        """
        done = 0
        if len(paths) >= self._limits.many_stamps:
            for found in self._outside("stamps", paths, 4 * self._limits.batch_notes):
                done += len(found)
                yield [file for file in found if not isinstance(file, PoisonItem)]
        left_bytes = READ_BATCH_BYTES
        for batch in batches(paths[done:], self._limits.batch_notes):
            if left_bytes <= 0:
                yield read_stamps(self._root, batch)
                continue
            files = [read_one(self._root, path) for path in batch]
            in_memory.update([(file.path, file) for file in files])
            left_bytes -= sum([len(file.data) for file in files if isinstance(file, NoteFile)])
            yield files

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """The vector of each of *texts*, as stored."""
        found: list[bytes] = []
        if len(texts) >= self._limits.many_texts:
            for part in self._outside("embed", texts, self._limits.many_texts // 2):
                found += [b"" if isinstance(vector, PoisonItem) else vector for vector in part]  # found by words only
        if len(found) < len(texts):
            found += NotePreparer(self._rules, self._encoder()).embed(texts[len(found) :])
        return found

    # --- steps ---------------------------------------------------------------------------------

    def _end_pool(self) -> None:
        """End the processes; `_outside` starts others."""
        if self._pool:
            self._pool.close()
            self._pool = None

    def _as_of_now(self, index: Index, move: Move, found: Ready | PoisonItem) -> Ready:
        """*found*; where it was superseded by a change since it was read, the note as it is now."""
        path, old_path = move
        if isinstance(found, PoisonItem):
            return FailedNote(path, POISON.format(how=found.how), is_poison=True), old_path
        if self._monitor.changed_meanwhile(path):
            [[found]] = self._here(index, [move], frozenset(), {})
        return found

    def _outside_first(
        self, index: Index, moves: Sequence[Move], poison: Set[str], in_memory: Mapping[str, FoundFile]
    ) -> Iterator[Sequence[Ready]]:
        """The notes of *moves*, prepared by processes as far as they come."""
        done = 0
        for group in self._outside("prepare", moves, self._limits.batch_notes):
            yield [
                self._as_of_now(index, move, found)
                for move, found in zip(moves[done : done + len(group)], group, strict=True)
            ]
            done += len(group)
        self._end_pool()  # 200 MB, which are free when what was written is put together
        yield from self._here(index, moves[done:], poison, in_memory)

    def _here(
        self, index: Index, moves: Sequence[Move], poison: Set[str], in_memory: Mapping[str, FoundFile]
    ) -> Iterator[Sequence[Ready]]:
        """
        The notes of *moves*, prepared on this thread.

        While a PDF file is read, urgent runs have their turn: what they may have made current is prepared once more.
        """
        pdf = PdfProcess(self._root, self._monitor.between_batches)
        try:
            for group in self._prepared_here(index, moves, poison, in_memory, pdf):
                if pdf.pid is None:
                    yield group
                else:
                    yield [self._again(index, found, pdf) for found in group]
        finally:
            pdf.close()

    def _again(self, index: Index, found: Ready, pdf: PdfProcess) -> Ready:
        """*found*, prepared anew where it was reported as changed since the run began."""
        prepared, old_path = found
        if kind_of(prepared.path) == "pdf" or not self._monitor.changed_meanwhile(prepared.path):
            return found
        [[fresh]] = self._prepared_here(index, [(prepared.path, old_path)], frozenset(), {}, pdf)
        return fresh

    def _prepared_here(
        self,
        index: Index,
        moves: Sequence[Move],
        poison: Set[str],
        in_memory: Mapping[str, FoundFile],
        pdf: PdfProcess,
    ) -> Iterator[Sequence[Ready]]:
        for batch in batches(moves, self._limits.batch_notes):
            known = partial(index.known_vectors, [path for move in batch for path in move if path])
            preparer = NotePreparer(self._rules, self._encoder(), known, pdf=pdf)
            fresh = {path: file for path, file in in_memory.items() if not self._monitor.changed_meanwhile(path)}
            for group in read_groups(self._root, [move for move in batch if move[0] not in poison], fresh):
                yield preparer.prepare(group)
            if poison and (failed := [move for move in batch if move[0] in poison]):
                reason = POISON.format(how="no process could be started to try it again")
                yield [(FailedNote(path, reason, is_poison=True), old_path) for path, old_path in failed]

    def _outside(self, kind: TaskKind, items: Sequence[object], task_size: int) -> Iterator[list[Result]]:
        """Results from processes for *items*, possibly not for all: the rest is left to this thread."""
        if self._options is None or not self._may_start_pool:
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
            self._may_start_pool = False

    def _start_pool(self, options: WorkerOptions) -> WorkerPool:
        encoder = self._encoder()
        setup = WorkerSetup(self._root, self._rules, options, encoder.fingerprint if encoder else None)
        return WorkerPool(setup, self._monitor.between_batches, self._monitor.report_degraded)


T = TypeVar("T")


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """*items* in parts of at most *size*."""
    return (items[at : at + size] for at in range(0, len(items), size))
