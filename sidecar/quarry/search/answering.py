"""The way of a query from what was typed to what is shown."""

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from quarry.index import Deadline
from quarry.search.answer import Answer
from quarry.search.context import SearchContext, is_asked
from quarry.search.execution import Listing, QueryExecution, QueryResult, count
from quarry.search.prepare import can_rank
from quarry.search.snippets import SnippetBuilder
from quarry.text.query import parse_query
from quarry.text.query_words import in_words
from quarry.text.snippet import Wanted
from quarry.types import Fusion, Retriever, SearchRequest


def search(
    request: SearchRequest,
    context: SearchContext,
    weights: Mapping[Retriever, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> Answer:
    """
    Answer *request*.

    Args:
        weights, fusion: What the vault's settings say, for what the request leaves open.
        now: What "last week" is counted from.

    Raises:
        BadQuery: The query cannot be read.
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    query = parse_query(request.query, request.scope, now=now)
    missing = {retriever: why for retriever, why in context.missing.items() if is_asked(retriever, request.mode)}
    execution = QueryExecution(request, context, request.weights or weights, request.fusion or fusion, deadline)
    if not can_rank(query):
        return replace(_listed(execution.listing(query.condition), execution), understood=in_words(query))
    result = execution.run_with_relaxation(query)
    answer = _listed(result.listing, execution) if result.listing else _answer(result, execution)
    understood = in_words(query, by_meaning="dense" in answer.retrievers)
    return replace(answer, missing=missing, understood=understood)


def _answer(result: QueryResult, asked: QueryExecution) -> Answer:
    """What was found, with its passages quoted."""
    context, prepared, deadline = asked.context, result.prepared, asked.deadline
    retrievers = context.available(asked.request.mode)
    deadline.check()  # quoting costs as much as ranking, and whoever types has cancelled by now
    encoder = context.encoder if "dense" in retrievers else None
    builder = SnippetBuilder(context.reader, prepared.wanted(), encoder, prepared.vector, deadline)
    hits, truncated = builder.hits(result.found, asked.request)
    return Answer(
        hits=hits,
        total=count(result, context.reader, retrievers, deadline),
        retrievers=retrievers,
        missing={},
        truncated=truncated,
        corrections=prepared.corrections,
        relaxed=result.relaxed,
    )


def _listed(listing: Listing, asked: QueryExecution) -> Answer:
    """The newest notes that conditions admit, by their first passages."""
    builder = SnippetBuilder(asked.context.reader, Wanted({}), None, None, asked.deadline)
    hits, truncated = builder.hits(listing.found, asked.request)
    return Answer(hits, listing.total, (), {}, truncated)
