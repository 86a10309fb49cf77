"""What the index is doing, as a person would ask: a state, how far, how fast, how long still, what went wrong."""

import threading
import time
from typing import Literal, get_args

from msgspec import Struct

State = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]

Notice = Literal["failure", "damage", "removals", "processes", "model"]
"""What there can be to say, most urgent first. Each is taken back by whoever finds that it no longer holds."""

_MOST_URGENT_FIRST: tuple[Notice, ...] = get_args(Notice)


class Progress(Struct, frozen=True):
    """How far the work in hand has come."""

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
        self._notices: dict[Notice, str] = {}
        self.ruled_out = 0  # notes that a rule left out at the last scan
        self.equal_since_ms: int | None = None  # when the index last became equal to the vault

    @property
    def state(self) -> State:
        """What is being done."""
        return self._state

    @property
    def message(self) -> str | None:
        """What the user should know, and what to do about it: the most urgent notice."""
        with self._lock:
            return next((self._notices[notice] for notice in _MOST_URGENT_FIRST if notice in self._notices), None)

    def set_notice(self, notice: Notice, text: str) -> None:
        """Tell the user *text* for as long as *notice* holds."""
        with self._lock:
            self._notices[notice] = text

    def clear_notice(self, notice: Notice) -> None:
        """*notice* no longer holds; it need not have been given."""
        with self._lock:
            self._notices.pop(notice, None)

    def enter(self, state: State) -> None:
        """Begin to do something else."""
        with self._lock:
            self._state = state

    def settle(self) -> None:
        """The index equals the vault, so whatever failed before is made good."""
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

    def advance(self, chunk_count: int) -> None:
        """One more note is done."""
        with self._lock:
            self._done += 1
            self._chunks += chunk_count

    @property
    def pending(self) -> int:
        """Notes known to need work and not yet done."""
        with self._lock:
            return max(0, self._total - self._done)

    def progress(self) -> Progress | None:
        """How far the work has come; None when nothing is being done."""
        with self._lock:
            if not self._total:
                return None
            elapsed_s = max(time.monotonic() - self._started_s, 1e-3)
            rate = self._done / elapsed_s
            done = min(self._done, self._total)
            remaining_ms = round(1000 * (self._total - done) / rate) if rate else None
            return Progress(done, self._total, self._chunks, round(rate, 1), remaining_ms)
