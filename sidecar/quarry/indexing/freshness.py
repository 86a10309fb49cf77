"""How current an index is, and whether an answer should wait until it is more so."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from msgspec import Struct
from msgspec.structs import replace

from quarry.index import Reader
from quarry.indexing.current_index import INITIAL_SYNC_DONE
from quarry.indexing.request_queue import RequestQueue
from quarry.indexing.status import Progress, State
from quarry.indexing.sync import Synchronizer
from quarry.messages import Message

STILL: frozenset[State] = frozenset({"live", "rebuilding", "paused", "failed"})
"""States in which an answer is as complete as waiting makes it: a rebuild changes nothing, nothing is coming."""

BLOCKED: frozenset[State] = frozenset({"paused", "failed"})
"""States in which reported changes do not enter the index until something else happens."""

UNCOUNTED: frozenset[State] = frozenset({"starting", "scanning", "rebuilding"})
"""States in which the lag is not known, or is that of another index."""

MAX_LAG = 0.05  # of the notes in the index; with more to come, that no note has a word means little
FEW_LAGGING = 16  # notes, of a small vault: a save or two


class Freshness(Struct, frozen=True):
    """How current the index was that an answer was read from."""

    state: State
    done: int  # notes of the work in progress that are done; without work, all that can be found
    total: int  # notes of the work in progress; `total - done` is known to be missing
    epoch: int  # the generation of the index
    fallback: Message | None = None  # which model answers in place of the chosen one


class IndexFreshness:
    """How current the index of an engine is, and what an answer from it may wait for. Any thread may ask."""

    def __init__(
        self,
        reader: Callable[[], AbstractContextManager[Reader]],
        sync: Synchronizer,
        requests: RequestQueue,
    ) -> None:
        self._reader = reader
        self._sync = sync
        self._requests = requests

    @property
    def state(self) -> State:
        """The current activity of indexing."""
        return "paused" if self._requests.is_paused else self._sync.activity.state

    @contextmanager
    def snapshot(self) -> Iterator[Freshness]:
        """
        Open a snapshot for all that this thread asks inside, with how current it is at least.

        Raises:
            IndexUnavailable, IndexDamaged: The index cannot be read.
        """
        state, progress = self.state, self._sync.activity.progress()
        waiting, lag = self._requests.change_count, self._requests.lag
        with self._reader() as reader:  # after the lag: a snapshot that has more does no harm
            found = freshness(state, progress, reader.note_count, waiting, lag, reader.generation)
            yield replace(found, fallback=self._sync.model.fallback)

    def now(self) -> Freshness:
        """How current an answer is that is read from now on; raises as `snapshot`."""
        with self.snapshot() as index:
            return index

    def is_nearly_complete(self, reader: Reader) -> bool:
        """Whether *reader* sees nearly all notes of the vault, as far as is known."""
        if self._sync.activity.state in UNCOUNTED:
            return reader.meta_get(INITIAL_SYNC_DONE) is not None
        lag = max(self._sync.activity.pending, self._requests.lag)
        return lag <= max(FEW_LAGGING, MAX_LAG * reader.note_count)

    def sequence_at(self, at_ms: int | None = None) -> int:
        """The sequence number of the last change reported up to *at_ms*, milliseconds since 1970; None: up to now."""
        return self._requests.sequence_at(at_ms)

    def includes(self, sequence: int) -> bool:
        """Whether all changes up to the one with the number *sequence* are in the index."""
        return sequence <= self._requests.acknowledged

    def is_worth_waiting(self, sequence: int, left_s: float) -> bool:
        """
        Whether an answer will be more complete within *left_s* seconds, with the changes up to *sequence* at least.

        Work that would give way to a first answer begins. Raises as `now`.
        """
        self._requests.may_begin.set()
        self._sync.model.slot.start_loading()
        if self.state in BLOCKED or left_s <= 0:
            return False
        if not self.includes(sequence) or self._sync.model.slot.state == "loading":
            return True
        with self._reader() as reader:
            notes = reader.note_count
        return is_worth_waiting(self.state, self._sync.activity.progress(), notes, left_s)


def freshness(state: State, progress: Progress | None, notes: int, waiting: int, lag: int, epoch: int) -> Freshness:
    """
    The freshness of an index.

    Args:
        notes: That can be found.
        waiting: Changes that no work has begun with.
        lag: Changes that are not in the index, those *waiting* among them.
    """
    if progress is None:
        return Freshness(state, notes, notes + lag, epoch)
    return Freshness(state, progress.done_notes, progress.total_notes + waiting, epoch)


def is_worth_waiting(state: State, progress: Progress | None, notes: int, left_s: float) -> bool:
    """
    Whether an answer should wait for the work in progress: there is some, and it may end within *left_s* seconds.

    Where it is expected to take longer, an answer from the notes that can be found already is better than a late one
    that is as incomplete. An empty index is waited for in any case.
    """
    if state in STILL or left_s <= 0:
        return False
    if not notes or progress is None or progress.remaining_ms is None:
        return True
    return progress.remaining_ms <= 1000 * left_s
