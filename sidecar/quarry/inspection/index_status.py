"""The contents and the activity of an index, for a status display."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from msgspec import Struct

from quarry.errors import IndexUnavailable
from quarry.index import IndexSize, Problem, Reader, StoredModel
from quarry.indexing.backfill import BackfillStatus
from quarry.indexing.current_index import BUILT
from quarry.indexing.status import Progress, State
from quarry.indexing.sync import Synchronizer
from quarry.indexing.vector_model import ModelState
from quarry.messages import Message, message, sentence
from quarry.options import Retriever

MAX_PROBLEMS = 100  # listed; all are counted


class Status(Struct, frozen=True):
    """Contents and activity of an index."""

    state: State
    notes: int
    chunks: int
    pending: int
    excluded: int
    progress: Progress | None
    model_name: str
    model_state: ModelState
    model_message: str | None
    missing: Mapping[Retriever, Message]
    problem_count: int
    problems: tuple[Problem, ...]
    indexed_ms: int | None
    size_bytes: int
    message: Message | None
    backfill: BackfillStatus | None = None  # None: no contextual model is chosen
    models: Sequence[StoredModel] = ()
    built_ms: int | None = None  # when the whole index was last begun from nothing; None: not known


def index_status(
    sync: Synchronizer, state: State, queued: int, read: Callable[[], AbstractContextManager[Reader]]
) -> Status:
    """
    The status as of now; of an index that cannot be read, its activity alone.

    Args:
        state: The current activity of indexing.
        queued: Changes that no work has begun with.
        read: Opens a snapshot.
    """
    activity = sync.activity
    counts, problems, problem_count, encoder = IndexSize(0, 0, 0), [], 0, None
    built: str | None = None
    models: Sequence[StoredModel] = ()
    notice = activity.message
    try:
        with read() as reader:
            counts, encoder = reader.counts(), sync.model.encoder_for(reader)
            problems, problem_count = reader.problems(MAX_PROBLEMS), reader.problem_count()
            built, models = reader.meta_get(BUILT), reader.stored_models
    except IndexUnavailable as error:  # the status is where people look for the reason
        notice = notice or message("status.index-unavailable", detail=sentence(str(error)))
    of_settings = [message("reason.settings", detail=sentence(problem)) for problem in sync.policy.problems]
    rules = tuple(Problem("", reason, skipped=False) for reason in of_settings)
    return Status(
        state=state,
        notes=counts.notes,
        chunks=counts.chunks,
        pending=activity.pending + queued,
        excluded=sync.excluded,
        progress=activity.progress(),
        model_name=sync.model.slot.name,
        model_state=sync.model.slot.state,
        model_message=sync.model.slot.message,
        missing=sync.missing(encoder),
        problem_count=problem_count + len(rules),
        problems=(*rules, *problems),
        indexed_ms=activity.equal_since_ms,
        size_bytes=sync.index.size_bytes(),
        message=notice,
        backfill=sync.contextual_backfill.status(sync.model.contextual_slot),
        models=models,
        built_ms=int(built) if built else None,
    )
