"""
The state of indexing as others see it: progress, notices for people, and listeners that learn of commits.

A run of the indexer reports to a `RunMonitor`, in the serving process to an `Activity`, which notifies `Listeners`.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from msgspec import Struct

from quarry.errors import BadSettings, IndexUnavailable, QuarryError, VaultMissing
from quarry.indexing.request_queue import Apply
from quarry.messages import Message, message, sentence

_log = logging.getLogger(__name__)

State = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]

Notice = Literal["failure", "damage", "removals", "processes", "model"]
"""Kinds of messages for the user, most urgent first. Each is cleared when it no longer holds."""

_MOST_URGENT_FIRST: tuple[Notice, ...] = get_args(Notice)


class Progress(Struct, frozen=True):
    """Progress of the work in hand."""

    done_notes: int
    total_notes: int
    done_chunks: int
    notes_per_second: float
    remaining_ms: int | None  # None until the rate is known


class Updated(Struct, frozen=True):
    """A commit: an open query may have other answers now. No notes are named where other vectors begin to answer."""

    indexed: tuple[str, ...]
    removed: tuple[str, ...]


class RunMonitor:
    """Receives the progress of a run over an index; this one ignores all of it."""

    def scanned(self, excluded: int) -> None:
        """A scan is done; *excluded* notes were left out by a rule."""

    def planned(self, total: int) -> None:
        """Work on *total* notes begins."""

    def advanced(self, note_count: int, chunk_count: int) -> None:
        """*note_count* more of the planned notes are done."""

    def committed(self, indexed: Sequence[str], removed: Sequence[str]) -> None:
        """Notes can be found, and others no longer."""

    def held_back(self, count: int) -> None:
        """*count* removals were not carried out, because too many notes vanished at once."""

    def degraded(self, english: str) -> None:
        """Something went wrong that the run copes with; *english* is for people."""

    def checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> None:
        """
        Called between two batches, where stopping is safe. May wait while paused, after *flush*.

        Args:
            apply: Brings changes into the index before the run goes on; None where they have to wait.

        Raises:
            Cancelled: The run is to stop; what was committed stays.
        """


class Activity(RunMonitor):
    """
    What indexing is doing; the monitor of runs over the index in use. Written by the indexing thread, read by any.

    Args:
        notify: Called with what a commit changed, or with None when progress changed.
        checkpoint: As `RunMonitor.checkpoint`.
    """

    def __init__(
        self, notify: Callable[[Updated | None], None], checkpoint: Callable[[Callable[[], None], Apply | None], None]
    ) -> None:
        self._notify = notify
        self._checkpoint = checkpoint
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

    def fail(self, error: Exception) -> None:
        """Enter the state `failed`: *error* keeps the index from following the vault."""
        is_ours = isinstance(error, QuarryError)
        detail = str(error) if is_ours else f"indexing failed ({type(error).__name__}); see the log"
        self.set_notice("failure", message(_failure_code(error), detail=sentence(detail)))
        self.enter("failed")

    def settle(self) -> None:
        """The index equals the vault: enter the state `live`, and clear the notices of earlier failures."""
        with self._lock:
            self._state = "live"
            self._done = self._total = self._chunks = 0
            self._notices.pop("failure", None)
            self._notices.pop("processes", None)
            self.equal_since_ms = time.time_ns() // 1_000_000

    # --- as the monitor of a run ---------------------------------------------------------------

    def scanned(self, excluded: int) -> None:
        """Record how many notes a rule left out."""
        self.ruled_out = excluded

    def planned(self, total: int) -> None:
        """Work on *total* notes begins; a rebuild stays one."""
        with self._lock:
            if total and self._state != "rebuilding":
                self._state = "indexing"
            self._started_s = time.monotonic()
            self._done = self._chunks = 0
            self._total = total

    def advanced(self, note_count: int, chunk_count: int) -> None:
        """*note_count* more notes are done."""
        with self._lock:
            self._done += note_count
            self._chunks += chunk_count

    def committed(self, indexed: Sequence[str], removed: Sequence[str]) -> None:
        """Notify listeners of the commit."""
        self._notify(Updated(tuple(indexed), tuple(removed)))

    def held_back(self, count: int) -> None:
        """Tell the user that *count* notes were kept."""
        self.set_notice("removals", message("status.notes-kept", count=count))

    def degraded(self, english: str) -> None:
        """Tell the user *english* until the index equals the vault."""
        self.set_notice("processes", message("status.process-ended", detail=sentence(english)))
        self._notify(None)

    def checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> None:
        """Wait while paused, and apply the changes that wait."""
        self._checkpoint(flush, apply)

    # --- for any thread ------------------------------------------------------------------------

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


def _failure_code(error: Exception) -> str:
    match error:
        case VaultMissing():
            return "status.vault-missing"
        case IndexUnavailable():
            return "status.index-unavailable"
        case BadSettings():
            return "status.settings-unreadable"
        case _:
            return "status.indexing-failed"


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


class ShadowMonitor(RunMonitor):
    """
    The monitor of a shadow build: an index that is made beside the one that answers, and cannot be searched yet.

    Its commits are not announced; removals that it holds back neither, as the vault is compared once more with the
    index in its place.

    Args:
        activity: Shows its progress.
        notify: Called with None when progress changed.
        checkpoint: Called where saved notes may go into the index in use; as `RunMonitor.checkpoint`.
    """

    def __init__(
        self, activity: Activity, notify: Callable[[Updated | None], None], checkpoint: Callable[[], None]
    ) -> None:
        self._activity = activity
        self._notify = notify
        self._checkpoint = checkpoint

    def scanned(self, excluded: int) -> None:
        """Record how many notes a rule left out."""
        self._activity.scanned(excluded)

    def planned(self, total: int) -> None:
        """Count the notes."""
        self._activity.planned(total)

    def advanced(self, note_count: int, chunk_count: int) -> None:
        """Show progress, for which no commit is announced."""
        self._activity.advanced(note_count, chunk_count)
        if note_count:
            self._notify(None)

    def degraded(self, english: str) -> None:
        """Tell the user *english* until the index equals the vault."""
        self._activity.degraded(english)

    def checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> None:  # noqa: ARG002  of another index
        """Let saved notes into the index in use."""
        self._checkpoint()
