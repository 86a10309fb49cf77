"""
A new index of the whole vault, beside the one that answers.

It is written by a niced process of its own (`rebuild_process.py`), so that searches share their interpreter with
nothing. Until that process has ended, it alone writes the new file; the serving process follows it, and never touches
the file meanwhile. A process that dies is started again from nothing, once; where none can be had, the file is filled
on the calling thread.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.errors import IndexDamaged, IndexUnavailable, QuarryError
from quarry.index import Index, discard, sync_to_disk
from quarry.indexing.indexer import Indexer, RunMonitor
from quarry.indexing.messages import WorkerOptions
from quarry.indexing.worker_process import ProcessUnavailable, WorkerDied, WorkerProcess
from quarry.settings import Settings
from quarry.types import VaultChange
from quarry.vault.rules import Rules

_log = logging.getLogger(__name__)
ROUNDS = 5  # each takes in what was saved during the one before; a vault never written to needs one
TRIES = 2  # a second death is no accident


class RebuildSpec(Struct, frozen=True):
    """What is to be built, and of what."""

    path: Path
    root: Path
    settings: Settings
    rules: Rules
    options: WorkerOptions
    fingerprint: Fingerprint | None  # of the model that is to be used; None: there is none yet
    facts: Mapping[str, str]  # what the index is to know of itself
    without: frozenset[str]


class Progressed(Struct, frozen=True):
    """What the monitor is to be told: names of its methods, and their arguments. The process waits for `Continue`."""

    calls: tuple[tuple[str, tuple[object, ...]], ...]


class Continue(Struct, frozen=True):
    """Nobody holds the process up."""


class Logged(Struct, frozen=True):
    """A line for the log, which only the serving process writes."""

    name: str
    level: int
    line: str


class Built(Struct, frozen=True):
    """The new index is whole and closed."""


class Failed(Struct, frozen=True):
    """It cannot be made, and why."""

    error: QuarryError | OSError


Message: TypeAlias = Progressed | Logged | Built | Failed


def build(spec: RebuildSpec, monitor: RunMonitor, encoder: Callable[[], Encoder | None]) -> None:
    """
    Fill a new index until a round finds nothing more to do, and close it; in whichever process.

    Raises:
        VaultMissing, IndexUnavailable, IndexDamaged, Cancelled: The file is worth nothing then.
    """
    with closing(Index.open(spec.path, without=spec.without, is_searched=False)) as index:
        for key, value in spec.facts.items():
            index.meta_set(key, value)
        indexer = Indexer(spec.root, spec.settings, spec.rules, monitor, encoder, options=spec.options)
        for _ in range(ROUNDS):
            if not indexer.reconcile(index).changed_anything:
                break
        index.flush_postings()
        index.checkpoint()
    sync_to_disk(spec.path)  # now, as nobody waits


def run_rebuild(spec: RebuildSpec, monitor: RunMonitor, encoder: Callable[[], Encoder | None]) -> None:
    """
    Have a process of its own build it, or, where none can be had, do it on this thread, and say so.

    Raises:
        VaultMissing, IndexUnavailable, OSError, Cancelled: There is no new index; the old one is as it was.
    """
    try:
        _build_outside(spec, monitor)
    except ProcessUnavailable as error:
        _log.warning("the index is rebuilt in the serving process: %s", error)
        monitor.report_degraded(
            f"the index is rebuilt in the serving process, so searches are slower meanwhile: {error}"
        )
        discard(spec.path)
        try:
            build(spec, monitor, encoder)
        except IndexDamaged as damage:  # the new file, not the one that answers
            raise IndexUnavailable(f"the new index could not be made ({damage}); the old one goes on") from damage


def catch_up(spec: RebuildSpec, indexer: Indexer, take_changes: Callable[[], Sequence[VaultChange]]) -> None:
    """
    Carry out, in the new index that is whole and closed, what people saved since it was begun.

    So a saved note is found in the index that answers now, and in the new one from its first moment on.

    Args:
        take_changes: Gives what was seen since it was asked the last time; *indexer* lets more come in.
    """
    for _ in range(ROUNDS):
        if not (changes := take_changes()):
            return
        with closing(Index.open(spec.path, without=spec.without, is_searched=False)) as index:
            indexer.apply(index, changes)


def _build_outside(spec: RebuildSpec, monitor: RunMonitor) -> None:
    """Raises `ProcessUnavailable` where no process can be had, or each of them ended by itself."""
    how = ""
    for _ in range(TRIES):
        discard(spec.path)
        try:
            with closing(WorkerProcess("quarry.indexing.rebuild_process", spec)) as child:
                _follow(child, monitor)
            return
        except WorkerDied as death:
            how = str(death)
            _log.warning("the process that rebuilds the index ended (%s)", how)
            monitor.report_degraded(f"the process that rebuilds the index ended by itself ({how}); it begins anew")
    raise ProcessUnavailable(f"the process that rebuilds it ended {TRIES} times ({how})")


def _follow(child: WorkerProcess, monitor: RunMonitor) -> None:
    """Pass on what *child* says until it is done; whatever ends this ends the child."""
    while True:
        said: Message | None = child.take()
        match said:
            case None:
                monitor.between_batches()
            case Progressed(calls):
                for name, arguments in calls:
                    getattr(monitor, name)(*arguments)
                monitor.between_batches()
                child.give(Continue())
            case Logged(name, level, line):
                logging.getLogger(name).log(level, "%s", line)
            case Failed(error):
                if isinstance(error, IndexDamaged):  # its own file, not the one that answers
                    raise WorkerDied(str(error))
                raise error
            case Built():
                return
