"""
What is indexing doing, and how do listeners learn of it?

`Activity` holds what a person would ask: the state, how far, how fast, how long still, what went wrong. A `Reporter`
writes there what one run reports, and notifies the listeners of its commits.
"""

import logging
import threading
import time
from collections.abc import Callable, Set
from typing import Literal, get_args

from msgspec import Struct

from quarry.indexing.disk_state import is_below
from quarry.messages import Message, message, sentence

_log = logging.getLogger(__name__)

State = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]

Notice = Literal["failure", "damage", "removals", "processes", "model"]
"""Kinds of messages for the user, most urgent first. Each is cleared when it no longer holds."""

_MOST_URGENT_FIRST: tuple[Notice, ...] = get_args(Notice)


RunKind = Literal["main", "urgent", "beside"]
"""
How a run relates to others: the work in hand, a saved note indexed in the middle of it, or work on an index that is
being built beside the one that answers.
"""


class Progress(Struct, frozen=True):
    """Progress of the work in hand."""

    done_notes: int
    total_notes: int
    done_chunks: int
    notes_per_second: float
    remaining_ms: int | None  # None until the rate is known


class Activity:
    """Written by the indexing thread, read by any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: State = "starting"
        self._started_s = 0.0
        self._done = self._total = self._chunks = 0
        self._notices: dict[Notice, Message] = {}
        self.ruled_out = 0  # notes that a rule left out at the last scan
        self.equal_since_ms: int | None = None  # when the index last became equal to the vault

    @property
    def state(self) -> State:
        """The present state."""
        return self._state

    @property
    def message(self) -> Message | None:
        """The most urgent notice: what is wrong, and what to do about it."""
        with self._lock:
            return next((self._notices[notice] for notice in _MOST_URGENT_FIRST if notice in self._notices), None)

    def set_notice(self, notice: Notice, message: Message) -> None:
        """Show *message* to the user until *notice* is cleared."""
        with self._lock:
            self._notices[notice] = message

    def clear_notice(self, notice: Notice) -> None:
        """Clear *notice*, which need not have been set."""
        with self._lock:
            self._notices.pop(notice, None)

    def enter(self, state: State) -> None:
        """Enter *state*."""
        with self._lock:
            self._state = state

    def settle(self) -> None:
        """The index equals the vault: enter the state `live`, and clear the notices of earlier failures."""
        with self._lock:
            self._state = "live"
            self._done = self._total = self._chunks = 0
            self._notices.pop("failure", None)
            self._notices.pop("processes", None)
            self.equal_since_ms = time.time_ns() // 1_000_000

    def plan(self, total: int) -> None:
        """Work on *total* notes begins."""
        with self._lock:
            self._started_s = time.monotonic()
            self._done = self._chunks = 0
            self._total = total

    def advance(self, note_count: int, chunk_count: int) -> None:
        """*note_count* more notes are done."""
        with self._lock:
            self._done += note_count
            self._chunks += chunk_count

    @property
    def pending(self) -> int:
        """Notes known to need work and not yet done."""
        with self._lock:
            return max(0, self._total - self._done)

    def progress(self) -> Progress | None:
        """Progress of the work in hand; None when there is none."""
        with self._lock:
            if not self._total:
                return None
            elapsed_s = max(time.monotonic() - self._started_s, 1e-3)
            rate = self._done / elapsed_s
            done = min(self._done, self._total)
            remaining_ms = round(1000 * (self._total - done) / rate) if rate else None
            return Progress(done, self._total, self._chunks, round(rate, 1), remaining_ms)


class Updated(Struct, frozen=True):
    """A commit: an open query may have other answers now. No notes are named where other vectors begin to answer."""

    indexed: tuple[str, ...]
    removed: tuple[str, ...]


Listener = Callable[[Updated | None], None]
"""Called on the indexing thread with what a commit changed, or with None when progress or state changed."""


class Listeners:
    """Callables that are notified of commits and progress."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> None:
        """Notify *listener* from now on."""
        self._listeners.append(listener)

    def notify(self, updated: Updated | None) -> None:
        """Call every listener."""
        for listener in tuple(self._listeners):
            try:
                listener(updated)
            except Exception:  # a listener that fails must not stop the indexing that it listens to
                _log.exception("a listener failed")


class Reporter:
    """
    The indexer's monitor (`indexer.RunMonitor`) for one run.

    Args:
        notify: Called with what a commit changed, or with None when progress changed.
        yield_point: Called where stopping is safe; may wait, have saved notes indexed, or raise `Cancelled`.
        superseded: Paths that urgent runs made current since the main run began; an urgent run adds to it.
        changed_meanwhile: Paths of notes and folders (NFC) reported as changed since then.
    """

    def __init__(
        self,
        kind: RunKind,
        activity: Activity,
        notify: Callable[[Updated | None], None],
        yield_point: Callable[[], None],
        superseded: set[str],
        changed_meanwhile: Set[str],
    ) -> None:
        self._kind = kind
        self._activity = activity
        self._notify = notify
        self._yield_point = yield_point
        self._superseded = superseded
        self._changed_meanwhile = changed_meanwhile
        self._indexed: list[str] = []
        self._removed: list[str] = []

    def scanned(self, excluded: int) -> None:
        """A scan is done."""
        self._activity.ruled_out = excluded

    def planned(self, total: int) -> None:
        """Work on *total* notes begins."""
        if self._kind == "urgent":
            return  # the work in hand is what people wait for, and its numbers are what they see
        if total and self._kind == "main":
            self._activity.enter("indexing")
        self._activity.plan(total)

    def advanced(self, note_count: int, chunk_count: int) -> None:
        """*note_count* more notes are done."""
        if self._kind != "urgent":
            self._activity.advance(note_count, chunk_count)
        if self._kind == "beside" and note_count:
            self._notify(None)

    def indexed(self, path: str) -> None:
        """A note can be found."""
        self._indexed.append(path)
        if self._kind == "urgent":
            self._superseded.add(path)

    def removed(self, path: str) -> None:
        """A note can no longer be found."""
        self._removed.append(path)

    def between_batches(self) -> None:
        """Notify of what was committed since the last time, and let saved notes be indexed."""
        if self._indexed or self._removed:
            updated = Updated(tuple(self._indexed), tuple(self._removed))
            self._indexed.clear()
            self._removed.clear()
            if self._kind != "beside":  # what goes into an index beside the one that answers cannot be found yet
                self._notify(updated)
        self._yield_point()

    def report_degraded(self, detail: str) -> None:
        """Something went wrong that the run copes with; shown until the index equals the vault."""
        self._activity.set_notice("processes", message("status.process-ended", detail=sentence(detail)))
        self._notify(None)

    def changed_meanwhile(self, path: str) -> bool:
        """Whether *path*, or a folder it lies in, was reported as changed since the work in hand began."""
        if self._kind == "urgent":  # nothing comes in between, and what it is about is in the set
            return False
        return bool(self._changed_meanwhile) and is_below(path, self._changed_meanwhile)

    def is_superseded(self, path: str) -> bool:
        """Whether an urgent run made *path* current, so that the plan for it is out of date."""
        return self._kind == "main" and path in self._superseded
