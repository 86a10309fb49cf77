"""How a run over the index is told: to the activity, which counts, and to those who listen for commits."""

from collections.abc import Callable, Set
from typing import Literal

from msgspec import Struct

from quarry.indexing.activity import Activity
from quarry.indexing.disk_state import is_below

RunKind = Literal["main", "urgent", "beside"]
"""
What a run is in relation to others: the work in hand, a saved note that overtakes it, or work on an index that is
being built beside the one that answers.
"""


class Updated(Struct, frozen=True):
    """A commit: an open query may have other answers now."""

    indexed: tuple[str, ...]
    removed: tuple[str, ...]


class Reporter:
    """
    The indexer's monitor (`indexer.RunMonitor`) for one run.

    Args:
        tell: Called with what a commit changed, or None when there is progress to look at.
        yield_point: Called where stopping is safe; may wait, let saved notes apply_urgent, or raise `Cancelled`.
        superseded: Paths that saved notes made current since the work in hand began; an overtaking run adds to it.
        told: Paths of notes and folders (NFC) that someone saw change since then.
    """

    def __init__(
        self,
        kind: RunKind,
        activity: Activity,
        tell: Callable[[Updated | None], None],
        yield_point: Callable[[], None],
        superseded: set[str],
        told: Set[str],
    ) -> None:
        self._kind = kind
        self._activity = activity
        self._notify = tell
        self._yield_point = yield_point
        self._superseded = superseded
        self._changed_meanwhile = told
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

    def advanced(self, chunk_count: int) -> None:
        """One more note is done."""
        if self._kind != "urgent":
            self._activity.advance(chunk_count)

    def indexed(self, path: str) -> None:
        """A note can be found."""
        self._indexed.append(path)
        if self._kind == "urgent":
            self._superseded.add(path)

    def removed(self, path: str) -> None:
        """A note can no longer be found."""
        self._removed.append(path)

    def between_batches(self) -> None:
        """Tell what was committed, and let saved notes apply_urgent."""
        self.announce()
        self._yield_point()

    def report_degraded(self, message: str) -> None:
        """Something went wrong that the run copes with; said until the index equals the vault."""
        self._activity.set_notice("processes", message)
        self._notify(None)

    def changed_meanwhile(self, path: str) -> bool:
        """Whether someone saw *path*, or a folder it lies in, change since the work in hand began."""
        if self._kind == "urgent":  # nothing comes in between, and what it is about is in the set
            return False
        return bool(self._changed_meanwhile) and is_below(path, self._changed_meanwhile)

    def is_superseded(self, path: str) -> bool:
        """Whether a saved note overtook the plan for *path*."""
        return self._kind == "main" and path in self._superseded

    def announce(self) -> None:
        """Tell what was committed since the last time."""
        updated = Updated(tuple(self._indexed), tuple(self._removed))
        self._indexed.clear()
        self._removed.clear()
        if updated.indexed or updated.removed:
            # What goes into an index beside the one that answers can not be found yet: that is progress only.
            self._notify(None if self._kind == "beside" else updated)
