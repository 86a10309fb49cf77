"""
What is asked of the indexing thread, and whether it may go on.

Any thread asks; the indexing thread takes what was asked for between two jobs (`worker.py`), and lets saved notes in
where a job can be interrupted (`RequestQueue.yield_point`).
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from quarry.errors import Cancelled
from quarry.types import VaultChange


class RequestQueue:
    """Requests in the order in which they are served: rebuild, repair, reconcile, changes."""

    def __init__(self) -> None:
        self.condition = threading.Condition()  # notified of every request
        self._changes: deque[VaultChange] = deque()
        self._wants_rebuild = False
        self._wants_reconcile = False
        self._wants_repair = False
        self._is_paused = False
        self._is_stopping = False
        self._is_applying_urgent = False
        self._first_request_s = math.inf

    # --- for any thread ------------------------------------------------------------------------

    def submit(self, changes: Sequence[VaultChange]) -> None:
        """Queue *changes*; they interrupt everything but the notes in hand."""
        with self.condition:
            self._changes.extend(changes)
            self._notify()

    def request_rebuild(self) -> None:
        """Queue a rebuild, which ends a pause; asking again while one waits changes nothing."""
        with self.condition:
            self._wants_rebuild = True
            self._is_paused = False
            self._notify()

    def request_reconcile(self) -> None:
        """Queue a comparison of the whole vault with the index."""
        with self.condition:
            self._wants_reconcile = True
            self._notify()

    def request_repair(self) -> None:
        """Queue a check of the whole index; asking again while one waits changes nothing."""
        with self.condition:
            self._wants_repair = True
            self.condition.notify_all()

    def pause(self) -> None:
        """Hold everything up after the notes in hand; changes are remembered."""
        with self.condition:
            self._is_paused = True

    def resume(self) -> None:
        """Go on."""
        with self.condition:
            self._is_paused = False
            self._notify()

    def stop(self) -> None:
        """Have the indexing thread finish the notes in hand, then end."""
        with self.condition:
            self._is_stopping = True
            self.condition.notify_all()

    @property
    def is_paused(self) -> bool:
        """Whether work is held up."""
        return self._is_paused

    @property
    def is_stopping(self) -> bool:
        """Whether the indexing thread is to end."""
        return self._is_stopping

    @property
    def wants_rebuild(self) -> bool:
        """Whether a rebuild waits."""
        return self._wants_rebuild

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not (self._changes or self._wants_rebuild or self._wants_reconcile or self._wants_repair)

    @property
    def change_count(self) -> int:
        """Changes seen and not yet carried out."""
        return len(self._changes)

    @property
    def interrupts_idle_work(self) -> bool:
        """Whether something has come that work which nobody waits for should give way to."""
        return bool(self._changes) or self._is_stopping

    @property
    def first_request_s(self) -> float:
        """When something was first asked for since `forget_requests`, by `time.monotonic`; infinity: nothing was."""
        return self._first_request_s

    # --- for the indexing thread ---------------------------------------------------------------

    def forget_requests(self) -> None:
        """Begin to look out for the next request; see `first_request_s`."""
        with self.condition:
            self._first_request_s = math.inf

    def take_rebuild(self) -> bool:
        """Whether a rebuild was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_rebuild = self._wants_rebuild, False
        return found

    def take_repair(self) -> bool:
        """Whether a check of the whole index was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_repair = self._wants_repair, False
        return found

    def take_reconcile(self) -> bool:
        """Whether a comparison of the whole vault was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_reconcile = self._wants_reconcile, False
        return found

    def take_changes(self) -> list[VaultChange]:
        """The changes that wait, which are queued no longer."""
        with self.condition:
            changes = list(self._changes)
            self._changes.clear()
        return changes

    def yield_point(self, flush: Callable[[], None], apply_urgent: Callable[[Sequence[VaultChange]], None]) -> None:
        """
        Called by a long job where it can be interrupted: waits while paused, then has changes that wait carried out.

        Args:
            flush: Called before waiting: what the job has done so far is to be found.
            apply_urgent: Carries changes out. It is not interrupted itself, or a stream of saves would nest without
                end. Where it fails, its changes wait again.

        Raises:
            Cancelled: The indexing thread is to end.
        """
        if self._is_paused:
            flush()
        with self.condition:
            self.condition.wait_for(lambda: not self._is_paused or self._is_stopping)
            if self._is_stopping:
                raise Cancelled("the index worker was asked to stop")
        if self._is_applying_urgent or not self._changes:
            return
        changes = self.take_changes()
        self._is_applying_urgent = True
        try:
            apply_urgent(changes)
        except BaseException:
            with self.condition:
                self._changes.extendleft(reversed(changes))
            raise
        finally:
            self._is_applying_urgent = False

    def _notify(self) -> None:
        self._first_request_s = min(self._first_request_s, time.monotonic())
        self.condition.notify_all()
