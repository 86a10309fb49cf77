"""
A shadow build: a new index of the whole vault, beside the one that answers.

It is written by a niced process of its own, so that searches share their interpreter with nothing. Until that process
has ended, it alone writes the new file; the serving process follows its progress, and never touches the file meanwhile.
Its exit code says whether the file is whole. A process that dies is started again from nothing, once; where none can be
had, the file is filled on the calling thread.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from operator import methodcaller
from pathlib import Path

from msgspec import Struct

from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.errors import IndexDamaged, IndexUnavailable
from quarry.index import Index, discard, sync_to_disk
from quarry.indexing.indexer import Indexer
from quarry.indexing.process import (
    ChildProcess,
    Finished,
    ParentConnection,
    PlanLimits,
    ProcessDied,
    ProcessUnavailable,
)
from quarry.indexing.request_queue import Apply
from quarry.indexing.status import RunMonitor
from quarry.indexing.vector_model import WorkerOptions
from quarry.settings import Settings
from quarry.types import VaultChange
from quarry.vault.rules import Rules

_log = logging.getLogger(__name__)
ROUNDS = 5  # each takes in what was saved during the one before; a vault never written to needs one
TRIES = 2  # a second death is no accident
REPORT_EVERY_S = 0.1  # while there is no progress to report, the process asks this often whether to go on


class RebuildSpec(Struct, frozen=True):
    """Everything needed to build an index."""

    path: Path
    root: Path
    settings: Settings
    rules: Rules
    options: WorkerOptions
    fingerprint: Fingerprint | None  # of the model that is to be used; None: there is none yet
    metadata: Mapping[str, str]  # of the new index
    without: frozenset[str]
    limits: PlanLimits


def build(spec: RebuildSpec, monitor: RunMonitor, encoder: Callable[[bool], Encoder | None]) -> None:
    """
    Fill a new index until a round finds nothing more to do, and close it; in whichever process.

    Raises:
        VaultMissing, IndexUnavailable, IndexDamaged, OSError, Cancelled: The file is not complete.
    """
    with closing(Index.open(spec.path, without=spec.without, is_searched=False)) as index:
        for key, value in spec.metadata.items():
            index.meta_set(key, value)
        indexer = Indexer(
            spec.root, spec.settings, spec.rules, monitor, encoder, options=spec.options, limits=spec.limits
        )
        for _ in range(ROUNDS):
            if not indexer.reconcile(index).changed_notes:
                break
        index.flush_postings()
        index.checkpoint()
    sync_to_disk(spec.path)  # now, as nobody waits


def run_rebuild(spec: RebuildSpec, monitor: RunMonitor, encoder: Callable[[bool], Encoder | None]) -> None:
    """
    Build a new index in a process of its own or, if none can be started, on this thread, and report that.

    Raises:
        VaultMissing, IndexUnavailable, OSError, Cancelled: There is no new index; the old one is as it was.
    """
    try:
        _build_outside(spec, monitor)
    except ProcessUnavailable as error:
        _log.warning("the index is rebuilt in the serving process: %s", error)
        monitor.degraded(f"the index is rebuilt in the serving process, so searches are slower meanwhile: {error}")
        discard(spec.path)
        try:
            build(spec, monitor, encoder)
        except IndexDamaged as damage:  # the new file, not the one that answers
            raise IndexUnavailable(f"the new index could not be built ({damage}); the old one stays in use") from damage


def carry_over(spec: RebuildSpec, source: Index, yield_point: Callable[[], None]) -> None:
    """
    Take the vectors of other models of *source*, the index in use, over into the new one, complete and closed.

    Where *source* is damaged, they are rebuilt.

    Raises:
        Cancelled: *yield_point* said so.
    """
    with closing(Index.open(spec.path, without=spec.without, is_searched=False)) as index:
        try:
            index.carry_over(source, yield_point)
        except IndexDamaged as damage:
            _log.warning("vectors are not carried over: %s", damage)


def catch_up(spec: RebuildSpec, indexer: Indexer, take_changes: Callable[[], Sequence[VaultChange]]) -> None:
    """
    Apply the changes that were reported since the rebuild began to the new index, which is complete and closed.

    A saved note is then found in the index in use, and in the new one as soon as it is in use.

    Args:
        take_changes: Gives the changes since the last call; more come in while *indexer* runs.
    """
    for _ in range(ROUNDS):
        if not (changes := take_changes()):
            return
        with closing(Index.open(spec.path, without=spec.without, is_searched=False)) as index:
            indexer.apply(index, changes)


def _build_outside(spec: RebuildSpec, monitor: RunMonitor) -> None:
    """`build` in a process; raises `ProcessUnavailable` if none can be started, or each one dies."""
    how = ""
    for _ in range(TRIES):
        discard(spec.path)
        try:
            with closing(ChildProcess(__name__, spec, spec.options.limits)) as process:
                _follow(process, monitor)
            return
        except (ProcessDied, IndexDamaged) as death:  # the new file is damaged, not the one that answers
            how = str(death)
            _log.warning("the process that rebuilds the index ended (%s)", how)
            monitor.degraded(f"the process that rebuilds the index ended unexpectedly ({how}); it starts again")
    raise ProcessUnavailable(f"the process that rebuilds it ended {TRIES} times ({how})")


def _follow(process: ChildProcess, monitor: RunMonitor) -> None:
    """Pass the progress of *process* on until it has finished; whatever ends this ends the process."""

    def yield_point() -> None:
        monitor.checkpoint(lambda: None, None)

    while not isinstance(reports := process.receive(yield_point), Finished):
        for report in reports:
            report(monitor)
        yield_point()
        process.send("continue")


# --- in the process that rebuilds -------------------------------------------------------------------


def main(parent: ParentConnection) -> None:
    """
    Build what the first message says. No socket is opened here, no lock and no other index.

    Raises:
        VaultMissing, IndexUnavailable, IndexDamaged, ProcessUnavailable: The file is worth nothing then.
    """
    spec = parent.receive()
    assert isinstance(spec, RebuildSpec)
    encoder = spec.options.encoder(spec.fingerprint) if spec.fingerprint else None
    try:
        build(spec, _Reporter(parent), lambda _: encoder)
    except OSError as error:
        raise IndexUnavailable(f"the new index could not be written ({error}); the old one stays in use") from error


class _Reporter(RunMonitor):
    """Has the serving process make the same reports to its own monitor, and goes on when that says so."""

    def __init__(self, parent: ParentConnection) -> None:
        self._parent = parent
        self._reports: list[methodcaller] = []  # since the last checkpoint; each calls a method of a `RunMonitor`
        self._reported_s = 0.0

    def scanned(self, excluded: int) -> None:
        self._reports.append(methodcaller("scanned", excluded))

    def planned(self, total: int) -> None:
        self._reports.append(methodcaller("planned", total))

    def advanced(self, note_count: int, chunk_count: int) -> None:
        self._reports.append(methodcaller("advanced", note_count, chunk_count))

    def degraded(self, english: str) -> None:
        self._reports.append(methodcaller("degraded", english))

    def checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> None:  # noqa: ARG002
        """Report; the serving process brings the new index up to date with what is saved meanwhile."""
        if self._reports or time.monotonic() >= self._reported_s + REPORT_EVERY_S:
            self._parent.send(self._reports)
            self._reports = []
            self._parent.receive()
            self._reported_s = time.monotonic()
