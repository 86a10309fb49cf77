"""
The processes that prepare a large plan: how many, who does what, and what happens when one dies.

Results come in the order of the plan, whoever was quicker, so that two rebuilds give the same rows. A process that
dies is replaced and its tasks are given again; a task that ends a second process is taken apart, and an item that ends
one by itself is named and left out.
"""

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from quarry.errors import VaultMissing
from quarry.indexing.messages import Done, Reply, ResultBatch, Task, TaskKind, WorkerFailed, WorkerReady, WorkerSetup
from quarry.indexing.worker_process import ProcessUnavailable, WorkerDied, WorkerProcess

_log = logging.getLogger(__name__)
TASKS_AHEAD = 3  # a process: one at work, one ready, one on its way


class PoisonItem(Struct, frozen=True):
    """In place of a result: preparing this item ended a process, twice."""

    how: str


Result: TypeAlias = Any
"""`Ready`, a `FoundFile` or a vector, by the kind of task; or `PoisonItem`."""


class _Assignment(Struct):
    """A task, with whoever has it; `task.items` are those not yet answered."""

    seat: int
    task: Task
    deaths: int = 0


class WorkerPool:
    """
    Processes at work for *employment*, until `close`.

    Args:
        idle: Called while there is nothing to do but wait; may raise, to stop.
        say: Told what went wrong, in a sentence for people.

    Raises:
        ProcessUnavailable: No process can be started here.
    """

    def __init__(self, employment: WorkerSetup, idle: Callable[[], None], say: Callable[[str], None]) -> None:
        self._employment = employment
        self._idle = idle
        self._say = say
        self._links: list[WorkerProcess] = []
        try:
            self._links += [_start(employment) for _ in range(process_count(employment.options.max_processes))]
            for link in self._links:
                self._await_start(link)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all processes; their memory is free when this returns."""
        for link in self._links:
            link.close()
        self._links.clear()

    @property
    def pids(self) -> list[int]:
        """The processes' ids."""
        return [link.pid for link in self._links]

    def work(self, kind: TaskKind, items: Sequence[object], task_size: int) -> Iterator[list[Result]]:
        """
        The result of each of *items*, in order, a part at a time.

        Raises:
            ProcessUnavailable: A process ended and no other can be started; what was given out before holds.
            VaultMissing: The vault itself cannot be opened.
        """
        tasks = iter([Task(kind, tuple(items[at : at + task_size])) for at in range(0, len(items), task_size)])
        shares: deque[_Assignment] = deque()
        for _ in range(TASKS_AHEAD):
            for seat in range(len(self._links)):
                self._share_out(tasks, seat, shares)
        while shares:
            share = shares.popleft()
            yield from self._answers(share, shares)
            self._share_out(tasks, share.seat, shares)

    # --- steps ---------------------------------------------------------------------------------

    def _share_out(self, tasks: Iterator[Task], seat: int, shares: deque[_Assignment]) -> None:
        if task := next(tasks, None):
            self._links[seat].give(task)
            shares.append(_Assignment(seat, task))

    def _answers(self, share: _Assignment, others: Iterable[_Assignment]) -> Iterator[list[Result]]:
        """The results of *share*, whatever it takes; *others* were given out after it."""
        while share.task.items:
            try:
                yield from self._receive(share)
                return
            except WorkerDied as death:
                share.deaths += 1
                yield from self._replace(share, str(death), is_suspect=share.deaths > 1)
            if share.deaths > 1:
                yield from self._one_by_one(share)
            elif share.task.items:
                self._links[share.seat].give(share.task)
            for other in others:
                if other.seat == share.seat:
                    self._links[share.seat].give(other.task)

    def _receive(self, share: _Assignment) -> Iterator[list[Result]]:
        while True:
            match self._next(self._links[share.seat]):
                case ResultBatch() as part:
                    share.task = Task(share.task.kind, share.task.items[part.count :])
                    yield list(part.opened())
                case Done():
                    return

    def _one_by_one(self, share: _Assignment) -> Iterator[list[Result]]:
        """Find out which item is deadly: on its own, each is tried once more."""
        while share.task.items:
            item, *rest = share.task.items
            alone = _Assignment(share.seat, Task(share.task.kind, (item,)))
            share.task = Task(share.task.kind, tuple(rest))
            self._links[share.seat].give(alone.task)
            try:
                yield from self._receive(alone)
            except WorkerDied as death:
                yield [PoisonItem(str(death)) for _ in alone.task.items]
                yield from self._replace(share, str(death), is_suspect=True)

    def _replace(self, share: _Assignment, how: str, *, is_suspect: bool) -> Iterator[list[Result]]:
        """Start another process for *share*; where none can be had, give up on its items if they are *is_suspect*."""
        _log.warning("a process that prepares notes ended (%s) and is started again", how)
        self._say(f"a process that prepares notes ended by itself ({how}); it was started again, nothing is lost")
        self._links[share.seat].close()
        try:
            self._links[share.seat] = _start(self._employment)
            self._await_start(self._links[share.seat])
        except ProcessUnavailable:
            if is_suspect:  # whoever goes on without us must not meet what may have ended two processes
                yield [PoisonItem(how) for _ in share.task.items]
            raise

    def _await_start(self, link: WorkerProcess) -> None:
        try:
            reply = self._next(link)
        except WorkerDied as death:
            raise ProcessUnavailable(f"processes end before they begin ({death})") from death
        assert isinstance(reply, WorkerReady)

    def _next(self, link: WorkerProcess) -> Reply:
        while (said := link.take()) is None:
            self._idle()
        reply: Reply = said
        if isinstance(reply, WorkerFailed):
            raise VaultMissing(reply.reason) if reply.is_vault_missing else ProcessUnavailable(reply.reason)
        return reply


def _start(employment: WorkerSetup) -> WorkerProcess:
    return WorkerProcess("quarry.indexing.pool_process", employment)


def process_count(max_processes: int) -> int:
    """How many processes are worth starting: the cores that we may use, up to *max_processes*."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, max_processes))
