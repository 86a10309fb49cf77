"""Asks the pipeline of the engine for one request, so that what it ranked can be examined with its signals."""

from datetime import datetime

from quarry.embedding import Encoder
from quarry.errors import BadQuery
from quarry.index import Deadline, Reader
from quarry.options import SearchOptions
from quarry.search import SearchExecution, serving_retrievers
from quarry.search.pipeline import RankedResult, parse_request, run_with_relaxation

NOW = datetime(2026, 3, 1)  # noqa: DTZ001 - what `last week` is counted from


def rank(request: SearchOptions, reader: Reader, encoder: Encoder) -> tuple[RankedResult, SearchExecution] | None:
    """The ranking for *request*, and what it was made with; None where there is nothing to rank."""
    retrievers = serving_retrievers(request.mode, {})
    used = encoder if "dense" in retrievers else None
    weights = {"keyword": 1.0, "dense": 1.0}
    execution = SearchExecution(reader, used, retrievers, {}, weights, Deadline.after(60), NOW)
    try:
        result = run_with_relaxation(parse_request(request, execution), request, execution)
    except BadQuery:
        return None
    return (result, execution) if isinstance(result, RankedResult) else None
