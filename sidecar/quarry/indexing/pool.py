"""
The processes that prepare a large plan: how many, which does what, and what happens when one dies.

Results come in the order of the plan, whichever process was quicker, so that two rebuilds give the same rows. A process
that dies is replaced, and what it had in hand is tried one item at a time: an item that ends a process by itself is
named and left out.

A process opens no database and no socket, and runs behind everything else on the machine.
"""

import gc
import io
import logging
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

from quarry.documents.reading_rules import ReadingRules
from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.errors import QuarryError
from quarry.indexing.limits import ProcessLimits
from quarry.indexing.pdf_process import PdfProcess
from quarry.indexing.prepare import NotePreparer
from quarry.indexing.read_files import read_groups, read_stamps
from quarry.indexing.worker_process import ParentConnection, ProcessUnavailable, WorkerDied, WorkerProcess

_log = logging.getLogger(__name__)
TASKS_AHEAD = 3  # a process: one at work, one ready, one on its way
MAX_PROCESSES = 2  # one writer is kept busy by two
_BATCH_ITEMS = 512  # stamps or vectors in one reply

TaskKind = Literal["prepare", "stamps", "embed"]


class WorkerOptions(Struct, frozen=True):
    """How worker processes load the model of the serving one, and how many may run."""

    load: Callable[[str], Encoder]  # pickled by name: at the top of a module, or no process can load it
    model_name: str
    max_processes: int = MAX_PROCESSES  # at once
    limits: ProcessLimits = ProcessLimits()

    def encoder(self, fingerprint: Fingerprint) -> Encoder:
        """
        The model of that *fingerprint*.

        Raises:
            ProcessUnavailable: It is not there, or is another by now: the serving process has it in memory.
        """
        try:
            encoder = self.load(self.model_name)
        except QuarryError as error:
            raise ProcessUnavailable(str(error)) from error
        if encoder.fingerprint != fingerprint:
            raise ProcessUnavailable(f"the files of the model {self.model_name!r} changed; restart Quarry to use them")
        return encoder


class WorkerSetup(Struct, frozen=True):
    """The first message to a preparing process."""

    root: Path
    rules: ReadingRules
    options: WorkerOptions
    fingerprint: Fingerprint | None  # of the model that the index is made with; None: prepare without one


class PoolTask(Struct, frozen=True):
    """A part of a plan; `items` are `Move`s, paths or texts, by *kind*."""

    kind: TaskKind
    items: tuple[object, ...]


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
        """The results, each unpickled when it is asked for."""
        unpickler = pickle.Unpickler(io.BytesIO(self.pickled))  # noqa: S301  see `worker_process`
        return (unpickler.load() for _ in range(self.count))


class TaskDone(Struct, frozen=True):
    """Every item of the task was answered; also the first thing a process says, when it is ready."""


class PoisonItem(Struct, frozen=True):
    """In place of a result: preparing this item ended a process, twice."""

    how: str


Result: TypeAlias = Any
"""`Ready`, a `FoundFile` or a vector, by the kind of task; or `PoisonItem`."""


class _Assignment(Struct):
    """A task given to the process at *seat*; `task.items` are those not yet answered."""

    seat: int
    task: PoolTask


class WorkerPool:
    """
    Processes at work for *setup*, until `close`.

    Args:
        on_idle: Called while there is nothing to do but wait; may raise, to stop.
        report: Told what went wrong, in a sentence for people.

    Raises:
        ProcessUnavailable: No process can be started here.
    """

    def __init__(self, setup: WorkerSetup, on_idle: Callable[[], None], report: Callable[[str], None]) -> None:
        self._setup = setup
        self._on_idle = on_idle
        self._report = report
        self._processes: list[WorkerProcess] = []
        try:
            self._processes += [_start(setup) for _ in range(process_count(setup.options.max_processes))]
            for process in self._processes:
                self._await_ready(process)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all processes; their memory is free when this returns."""
        for process in self._processes:
            process.close()
        self._processes.clear()

    @property
    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in self._processes]

    def work(self, kind: TaskKind, items: Sequence[object], task_size: int) -> Iterator[list[Result]]:
        """
        The result of each of *items*, in order, some at a time.

        Raises:
            ProcessUnavailable: A process ended and no other can be started; what was yielded before holds.
            VaultMissing: The vault itself cannot be opened.
        """
        tasks = (PoolTask(kind, tuple(items[at : at + task_size])) for at in range(0, len(items), task_size))
        assigned: deque[_Assignment] = deque()
        for _ in range(TASKS_AHEAD):
            for seat in range(len(self._processes)):
                self._assign_next(tasks, seat, assigned)
        while assigned:
            assignment = assigned.popleft()
            try:
                yield from self._results(assignment)
            except WorkerDied as death:
                yield from self._one_by_one(assignment, str(death))
                for other in assigned:
                    if other.seat == assignment.seat:
                        self._processes[other.seat].send(other.task)
            self._assign_next(tasks, assignment.seat, assigned)

    # --- steps ---------------------------------------------------------------------------------

    def _assign_next(self, tasks: Iterator[PoolTask], seat: int, assigned: deque[_Assignment]) -> None:
        if task := next(tasks, None):
            self._processes[seat].send(task)
            assigned.append(_Assignment(seat, task))

    def _results(self, assignment: _Assignment) -> Iterator[list[Result]]:
        task = assignment.task
        while isinstance(reply := self._next(self._processes[assignment.seat]), ResultBatch):
            assignment.task = task = PoolTask(task.kind, task.items[reply.count :])
            yield list(reply.opened())
        assert isinstance(reply, TaskDone)

    def _one_by_one(self, assignment: _Assignment, how: str) -> Iterator[list[Result]]:
        """Retry the unanswered items of a task whose process died, one at a time: one that ends the next is poison."""
        seat, task = assignment.seat, assignment.task
        self._replace(seat, how)
        for item in task.items:
            alone = _Assignment(seat, PoolTask(task.kind, (item,)))
            self._processes[seat].send(alone.task)
            try:
                yield from self._results(alone)
            except WorkerDied as death:
                if alone.task.items:
                    yield [PoisonItem(str(death))]
                self._replace(seat, str(death))

    def _replace(self, seat: int, how: str) -> None:
        """Start another process in place of the one at *seat*, which ended as *how* says."""
        _log.warning("a process that prepares notes ended (%s) and is started again", how)
        self._report(f"a process that prepares notes ended by itself ({how}); it was started again, nothing is lost")
        self._processes[seat].close()
        self._processes[seat] = _start(self._setup)
        self._await_ready(self._processes[seat])

    def _await_ready(self, process: WorkerProcess) -> None:
        try:
            self._next(process)
        except WorkerDied as death:
            raise ProcessUnavailable(f"processes end before they begin ({death})") from death

    def _next(self, process: WorkerProcess) -> Any:
        while (reply := process.receive()) is None:
            self._on_idle()
        return reply


def _start(setup: WorkerSetup) -> WorkerProcess:
    return WorkerProcess(__name__, setup, setup.options.limits)


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
    preparer = NotePreparer(setup.rules, encoder, with_counts=True, pdf=PdfProcess(setup.root))
    gc.disable()  # nothing here refers to itself, and looking for what does is a tenth of all work
    while True:
        parent.send(TaskDone())
        task = parent.receive()
        assert isinstance(task, PoolTask)
        for results in _carry_out(task, setup.root, preparer):
            parent.send(ResultBatch.of(results))


def _carry_out(task: PoolTask, root: Path, preparer: NotePreparer) -> Iterator[Sequence[object]]:
    match task.kind:
        case "prepare":
            for group in read_groups(root, task.items):  # type: ignore[arg-type]  # the pipe carries no types
                yield preparer.prepare(group)
        case "stamps":
            yield from _batches(read_stamps(root, task.items))  # type: ignore[arg-type]
        case "embed":
            yield from _batches(preparer.embed(task.items))  # type: ignore[arg-type]


T = TypeVar("T")


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    source = iter(items)
    while batch := list(islice(source, _BATCH_ITEMS)):
        yield batch
