"""What the index holds and does: its status, told when asked and when it changes."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, MissingLeg, Params, Value

IndexState = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]
ModelState = Literal["loading", "ready", "missing"]


class Progress(Value, frozen=True, kw_only=True):
    """How far the work in hand has come."""

    done_notes: int
    total_notes: int
    done_chunks: int
    notes_per_second: float
    remaining_ms: Annotated[int | None, Doc(description="Null until the rate is known.")]


class Model(Value, frozen=True, kw_only=True):
    """The embedding model."""

    name: str
    state: ModelState
    message: Annotated[str | None, Doc(description="Why it is missing and what to do; null when all is well.")]


class Problem(Value, frozen=True, kw_only=True):
    """A note that was skipped, cut short, or only partly read."""

    path: str
    reason: str
    skipped: Annotated[bool, Doc(description="True: nothing of it can be found. False: it can, but not all of it.")]


class IndexStatus(Value, frozen=True, kw_only=True):
    """What the index holds and what it is doing."""

    state: IndexState
    notes: Annotated[int, Doc(description="Notes that can be found now.")]
    chunks: int
    pending: Annotated[int, Doc(description="Notes known to have changed and not yet indexed.")]
    excluded: Annotated[int, Doc(description="Notes left out by a rule at the last scan.")]
    progress: Annotated[Progress | None, Doc(description="Null when nothing is being done.")]
    model: Model
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that cannot serve now; empty when all is well.")]
    problem_count: int
    problems: Annotated[list[Problem], Doc(description="At most 100, by path.")]
    indexed_ms: Annotated[int | None, Doc(description="When the index last became equal to the vault.")]
    size_bytes: Annotated[int, Doc(description="Of the index on disk.")]
    message: Annotated[str | None, Doc(description="Something the user should know, and what to do about it.")]


class IndexUpdated(Value, frozen=True, kw_only=True):
    """Sent after a commit: an open query may have other answers now."""

    indexed: Annotated[list[str], Doc(description="Notes that are current now; at most 100.")]
    removed: Annotated[list[str], Doc(description="At most 100.")]
    status: IndexStatus


class RebuildParams(Params, frozen=True, kw_only=True):
    """Build the index anew beside the old one, which answers until then."""
