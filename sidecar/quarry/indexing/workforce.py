"""
Where notes are prepared: on the calling thread or, for a large plan, in processes that work side by side.

Either way the results are the same and in the order of the plan, so that two rebuilds give the same rows. A process
that dies is replaced, and its task is tried again one item at a time: an item that ends a process by itself is reported
and left out. Where no process can be started, the calling thread prepares everything, and the user is told: searches
are slower meanwhile, as Python's threads share one interpreter.

A process opens no database and no socket, and runs behind everything else on the machine.
"""

import gc
import io
import logging
import os
import pickle
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self, TypeAlias, TypeVar

from msgspec import Struct, field

from quarry.config import READ_BATCH_BYTES
from quarry.documents.note import ParserSettings
from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.errors import Cancelled
from quarry.index import Index
from quarry.indexing.pdf_worker import PdfReader
from quarry.indexing.preparation import (
    FailedNote,
    FoundFile,
    Move,
    NoteFile,
    NotePreparer,
    Ready,
    read_moves,
    read_one,
    read_stamps,
)
from quarry.indexing.process import (
    ChildProcess,
    ParentConnection,
    PlanLimits,
    ProcessDied,
    ProcessUnavailable,
    wait_for,
)
from quarry.indexing.vector_model import WorkerOptions
from quarry.messages import message

_log = logging.getLogger(__name__)
T = TypeVar("T")

TASKS_AHEAD = 3  # per process: one at work, one ready, one on its way
_NONE: Mapping[str, FoundFile] = MappingProxyType({})

TaskKind = Literal["prepare", "stamps", "embed"]
Result: TypeAlias = Any
"""`Ready`, a `FoundFile` or a vector, by the kind of task; or `PoisonItem`."""


class WorkerSetup(Struct, frozen=True):
    """The first message to a preparing process."""

    root: Path
    rules: ParserSettings
    options: WorkerOptions
    fingerprint: Fingerprint | None  # of the model that the index is made with; None: prepare without one


class PoolTask(Struct, frozen=True):
    """A part of a plan; `items` are `Move`s, paths or texts, by *kind*."""

    kind: TaskKind
    items: Sequence[object]


class PoisonItem(Struct, frozen=True):
    """In place of a result: preparing this item ended a process, twice."""


class ResultBatch(Struct, frozen=True):
    """
    The results of a task, in the order of its items.

    Each is pickled by itself: unpickling holds the interpreter, and searches want it in between. One pickler writes all
    of them, so that what results share is sent once.
    """

    count: int
    pickled: bytes

    @classmethod
    def of(cls, results: Sequence[object]) -> Self:
        """*results*, ready to be sent."""
        file = io.BytesIO()
        pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
        for result in results:
            pickler.dump(result)
        return cls(len(results), file.getvalue())

    def opened(self) -> Iterator[object]:
        """The results, each unpickled when it is asked for."""
        unpickler = pickle.Unpickler(io.BytesIO(self.pickled))  # noqa: S301  see `process`
        return (unpickler.load() for _ in range(self.count))


class _Outcome(Struct):
    """What became of a task: its results, and how each process ended that died of it."""

    results: list[ResultBatch | PoisonItem] = field(default_factory=list)
    deaths: list[str] = field(default_factory=list)

    def opened(self) -> Iterator[Result]:
        for result in self.results:
            if isinstance(result, ResultBatch):
                yield from result.opened()
            else:
                yield result


class WorkerPool:
    """
    Processes that prepare what *setup* describes, each driven by a thread, until `close`.

    Args:
        on_wait: Called while there is nothing to do but wait; may raise, to stop.
        report: Receives a sentence for people when a process died.

    Raises:
        ProcessUnavailable: No process can be started here.
    """

    def __init__(self, setup: WorkerSetup, on_wait: Callable[[], None], report: Callable[[str], None]) -> None:
        self._setup = setup
        self._on_wait = on_wait
        self._report = report
        self._is_closing = False
        self._running: set[ChildProcess] = set()
        self._idle: queue.SimpleQueue[ChildProcess | None] = queue.SimpleQueue()  # None: one that is yet to be started
        count = process_count(setup.options.max_processes)
        self._threads = ThreadPoolExecutor(count, "quarry-pool")
        try:
            for _ in range(count):
                self._idle.put(None)
            for started in [self._threads.submit(self._start) for _ in range(count)]:
                wait_for(started, on_wait)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all processes; their memory is free when this returns."""
        self._is_closing = True
        for process in tuple(self._running):
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in tuple(self._running):
            process.close()
        self._running.clear()

    @property
    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in self._running]

    def work(self, kind: TaskKind, tasks: Iterable[Sequence[object]]) -> Iterator[list[Result]]:
        """
        The results of each of *tasks*, lists of items, in order.

        Raises:
            ProcessUnavailable: A process ended and no other can be started; what was yielded before holds.
            VaultMissing: The vault itself cannot be opened.
        """
        source = (PoolTask(kind, items) for items in tasks)
        ahead = TASKS_AHEAD * process_count(self._setup.options.max_processes)
        submitted: deque[Future[_Outcome]] = deque(
            self._threads.submit(self._run, task) for task in islice(source, ahead)
        )
        while submitted:
            outcome = wait_for(submitted.popleft(), self._on_wait)
            submitted.extend(self._threads.submit(self._run, task) for task in islice(source, 1))
            for how in outcome.deaths:
                self._report(
                    f"a process that prepares notes ended by itself ({how}); it was started again, nothing is lost"
                )
            yield list(outcome.opened())

    # --- on a thread of the pool ---------------------------------------------------------------

    def _start(self) -> None:
        self._idle.put(self._started(self._idle.get()))

    def _run(self, task: PoolTask) -> _Outcome:
        """Have an idle process carry *task* out; where it dies, another one tries the items one by one."""
        outcome = _Outcome()
        process = self._idle.get()
        try:
            process = self._started(process)
            process.send(task)
            outcome.results.append(process.receive())
        except ProcessDied as death:
            self._bury(process, death, outcome)
            process = None
            for item in task.items:
                process = self._started(process)
                process.send(PoolTask(task.kind, (item,)))
                try:
                    outcome.results.append(process.receive())
                except ProcessDied as second:
                    self._bury(process, second, outcome)
                    process = None
                    outcome.results.append(PoisonItem())
        finally:
            self._idle.put(process)
        return outcome

    def _started(self, process: ChildProcess | None) -> ChildProcess:
        """*process*, or a new one that is ready for work if it is None."""
        if process is not None:
            return process
        started = ChildProcess(__name__, self._setup, self._setup.options.limits)
        self._running.add(started)
        try:
            if self._is_closing:
                raise Cancelled("the pool is closed")
            started.receive()  # it is ready
        except ProcessDied as death:
            self._running.discard(started)
            started.close()
            raise ProcessUnavailable(f"processes end before they begin ({death})") from death
        return started

    def _bury(self, process: ChildProcess | None, death: ProcessDied, outcome: _Outcome) -> None:
        """Let go of *process* and put its *death* into *outcome*, unless the pool killed it itself."""
        if self._is_closing:
            raise Cancelled("the pool is closed") from death
        _log.warning("a process that prepares notes ended (%s) and is started again", death)
        outcome.deaths.append(str(death))
        if process:
            self._running.discard(process)
            process.close()


def process_count(max_processes: int) -> int:
    """The number of processes worth starting: the cores that we may use, up to *max_processes*."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, max_processes))


# --- in a process of the pool -----------------------------------------------------------------------


def main(parent: ParentConnection) -> None:
    """
    Prepare what *parent* asks for, until it ends.

    Raises:
        ProcessUnavailable: The model cannot be loaded.
        VaultMissing: The vault itself cannot be opened.
    """
    setup = parent.receive()
    assert isinstance(setup, WorkerSetup)
    encoder = setup.options.encoder(setup.fingerprint) if setup.fingerprint else None
    preparer = NotePreparer(setup.rules, encoder, with_counts=True, pdf=PdfReader(setup.root))
    gc.disable()  # nothing here refers to itself, and looking for what does is a tenth of all work
    parent.send("ready")
    while True:
        task = parent.receive()
        assert isinstance(task, PoolTask)
        parent.send(ResultBatch.of(_carry_out(task, setup.root, preparer)))


def _carry_out(task: PoolTask, root: Path, preparer: NotePreparer) -> Sequence[object]:
    items: Any = task.items  # the pipe carries no types
    match task.kind:
        case "prepare":
            return preparer.prepare(read_moves(root, items))
        case "stamps":
            return read_stamps(root, items)
        case "embed":
            return preparer.embed(items)


# --- where work is done -----------------------------------------------------------------------------


class Workforce:
    """
    Reads, prepares and embeds what one run asks for, until `close`.

    Args:
        encoder: Asked when something is to be prepared, and not before: a start with nothing to do needs no model.
        on_wait: Called where stopping is safe. May wait while paused; raises `Cancelled` to stop.
        report: Receives a sentence for people about what went wrong and was coped with.
        options: None: no processes, whatever is asked for.
    """

    def __init__(
        self,
        root: Path,
        rules: ParserSettings,
        encoder: Callable[[], Encoder | None],
        on_wait: Callable[[], None],
        report: Callable[[str], None],
        options: WorkerOptions | None,
        limits: PlanLimits,
    ) -> None:
        self._root = root
        self._rules = rules
        self._encoder = encoder
        self._on_wait = on_wait
        self._report = report
        self._options = options
        self._limits = limits
        self._pool: WorkerPool | None = None

    def close(self) -> None:
        """End the processes; where more is asked for, others are started."""
        if self._pool:
            self._pool.close()
            self._pool = None

    def stamps(self, paths: Sequence[str], in_memory: MutableMapping[str, FoundFile]) -> Iterator[Sequence[FoundFile]]:
        """
        Yield the stamps of the files at *paths*, without their bytes, in batches. Raises as `notes`.

        Args:
            in_memory: Takes files with their bytes, a few megabytes in all, so that they need not be read again.
        """
        done = 0
        if len(paths) >= self._limits.many_stamps:
            for found in self._outside("stamps", batches(paths, 4 * self._limits.batch_notes)):
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

    def notes(
        self,
        index: Index,
        moves: Sequence[Move],
        sizes: Mapping[str, int],
        poison: Set[str] = frozenset(),
        in_memory: Mapping[str, FoundFile] = _NONE,
    ) -> Iterator[Sequence[Ready]]:
        """
        The notes of *moves* in order, a batch of a few megabytes at a time; nothing is half done between two.

        Args:
            index: Whose vectors are used again where notes are prepared here.
            sizes: Bytes of the files, as far as known.
            poison: Paths that ended a process before; they are never prepared here.
            in_memory: Files that were read already, by path.

        Raises:
            VaultMissing: The vault itself cannot be opened.
        """
        limits, done = self._limits, 0
        size_bytes = sum([sizes.get(path, 0) for path, _ in moves])
        is_large = len(moves) >= limits.many_notes or size_bytes >= limits.many_bytes
        if is_large or (poison and any(path in poison for path, _ in moves)):
            for results in self._outside("prepare", _batches_by_size(moves, sizes, limits.batch_notes)):
                given = moves[done : done + len(results)]
                yield [_ready(result, move) for result, move in zip(results, given, strict=True)]
                done += len(results)
            self.close()  # 200 MB, which are free when what was written is put together
        with closing(PdfReader(self._root, self._on_wait)) as pdf:
            for batch in _batches_by_size(moves[done:], sizes, limits.batch_notes):
                known = partial(index.static.known, [path for move in batch for path in move if path])
                preparer = NotePreparer(self._rules, self._encoder(), known, pdf=pdf)
                yield preparer.prepare(
                    read_moves(self._root, [move for move in batch if move[0] not in poison], in_memory)
                )
                if poison and (failed := [move for move in batch if move[0] in poison]):
                    yield [(_poison(path), old_path) for path, old_path in failed]

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """The vector of each of *texts*, as stored."""
        found: list[bytes] = []
        if len(texts) >= self._limits.many_texts:
            for part in self._outside("embed", batches(texts, self._limits.many_texts // 2)):
                found += [b"" if isinstance(vector, PoisonItem) else vector for vector in part]  # found by words only
        if len(found) < len(texts):
            found += NotePreparer(self._rules, self._encoder()).embed(texts[len(found) :])
        return found

    def _outside(self, kind: TaskKind, tasks: Iterable[Sequence[object]]) -> Iterator[list[Result]]:
        """Results of processes for *tasks*, possibly not for all: the rest is left to this thread."""
        if self._options is None:
            return
        try:
            if self._pool is None:
                encoder = self._encoder()
                fingerprint = encoder.fingerprint if encoder else None
                setup = WorkerSetup(self._root, self._rules, self._options, fingerprint)
                self._pool = WorkerPool(setup, self._on_wait, self._report)
            yield from self._pool.work(kind, tasks)
        except ProcessUnavailable as error:
            _log.warning("indexing goes on in the serving process: %s", error)
            self._report(f"indexing runs in the serving process, so searches are slower meanwhile: {error}")
            self._options = None  # for the rest of this run


def _ready(result: Result, move: Move) -> Ready:
    path, old_path = move
    if isinstance(result, PoisonItem):
        return _poison(path), old_path
    ready: Ready = result
    return ready


def _poison(path: str) -> FailedNote:
    return FailedNote(path, message("reason.crash"), is_poison=True)


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """*items* in parts of at most *size*."""
    return (items[at : at + size] for at in range(0, len(items), size))


def _batches_by_size(moves: Sequence[Move], sizes: Mapping[str, int], max_count: int) -> Iterator[Sequence[Move]]:
    """*moves* in parts of at most *max_count* and a few megabytes, so that each fits into memory."""
    begin = size_bytes = 0
    for at, (path, _) in enumerate(moves):
        size_bytes += sizes.get(path, 0)
        if at + 1 - begin == max_count or size_bytes > READ_BATCH_BYTES:
            yield moves[begin : at + 1]
            begin, size_bytes = at + 1, 0
    if begin < len(moves):
        yield moves[begin:]
