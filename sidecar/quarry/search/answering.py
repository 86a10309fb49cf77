"""The way of a query from what was typed to what is shown."""

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from quarry.index import Deadline
from quarry.search.answer import Answer, FurtherPassages
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


def further_passages(
    request: SearchRequest,
    path: str,
    context: SearchContext,
    weights: Mapping[Retriever, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> FurtherPassages:
    """
    The passages that the hit at *path* has in the answer to *request* behind its best one; none where it is no hit.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `search`.
    """
    query = parse_query(request.query, request.scope, now=now)
    note = context.reader.note_named(path)
    execution = QueryExecution(request, context, request.weights or weights, request.fusion or fusion, deadline)
    result = execution.run_with_relaxation(query) if can_rank(query) else None
    listing = result.listing if result else execution.listing(query.condition)
    shown = listing.found if listing else result.found if result else ()
    hit = next((found for found in shown if note and found.group.path == note.path), None)
    if hit is None:
        return FurtherPassages((), truncated=False)
    builder = _snippet_builder(result, execution) if result and not listing else _listing_builder(execution)
    return builder.further_passages(hit, request)


def _answer(result: QueryResult, asked: QueryExecution) -> Answer:
    """What was found, with its passages quoted."""
    retrievers = asked.context.available(asked.request.mode)
    asked.deadline.check()  # quoting costs as much as ranking, and whoever types has cancelled by now
    hits, truncated = _snippet_builder(result, asked).hits(result.found, asked.request)
    return Answer(
        hits=hits,
        total=count(result, asked.context.reader, retrievers, asked.deadline),
        retrievers=retrievers,
        missing={},
        truncated=truncated,
        corrections=result.prepared.corrections,
        relaxed=result.relaxed,
    )


def _listed(listing: Listing, asked: QueryExecution) -> Answer:
    """The newest notes that conditions admit, by their first passages."""
    hits, truncated = _listing_builder(asked).hits(listing.found, asked.request)
    return Answer(hits, listing.total, (), {}, truncated)


def _snippet_builder(result: QueryResult, asked: QueryExecution) -> SnippetBuilder:
    context, prepared = asked.context, result.prepared
    encoder = context.encoder if "dense" in context.available(asked.request.mode) else None
    return SnippetBuilder(context.reader, prepared.wanted(), encoder, prepared.vector, asked.deadline)


def _listing_builder(asked: QueryExecution) -> SnippetBuilder:
    return SnippetBuilder(asked.context.reader, Wanted({}), None, None, asked.deadline)
