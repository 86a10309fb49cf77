"""The way of a query from what was typed to what is shown."""

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from quarry.index import Deadline
from quarry.search.answer import Answer
from quarry.search.attempting import Attempt, Attempts, Listing, count
from quarry.search.legs import Legs, is_wanted
from quarry.search.question import can_rank
from quarry.search.quoting import Quoter
from quarry.text.query import parse_query
from quarry.text.query_words import in_words
from quarry.text.snippet import Wanted
from quarry.types import Fusion, Leg, SearchRequest


def search(
    request: SearchRequest,
    legs: Legs,
    weights: Mapping[Leg, float],
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
    missing = {leg: why for leg, why in legs.missing.items() if is_wanted(leg, request.mode)}
    attempts = Attempts(request, legs, request.weights or weights, request.fusion or fusion, deadline)
    if not can_rank(query):
        return replace(_listed(attempts.listing(query.condition), attempts), understood=in_words(query))
    attempt = attempts.until_found(query)
    answer = _listed(attempt.listing, attempts) if attempt.listing else _answer(attempt, attempts)
    understood = in_words(query, by_meaning="dense" in answer.legs)
    return replace(answer, missing=missing, understood=understood)


def _answer(attempt: Attempt, asked: Attempts) -> Answer:
    """What was found, with its passages quoted."""
    legs, question, deadline = asked.legs, attempt.question, asked.deadline
    serving = legs.serving(asked.request.mode)
    deadline.check()  # quoting costs as much as ranking, and whoever types has cancelled by now
    encoder = legs.encoder if "dense" in serving else None
    quoter = Quoter(legs.reader, question.wanted(), encoder, question.vector, deadline)
    hits, truncated = quoter.hits(attempt.found, asked.request)
    return Answer(
        hits=hits,
        total=count(attempt, legs.reader, serving, deadline),
        legs=serving,
        missing={},
        truncated=truncated,
        corrections=question.corrections,
        relaxed=attempt.relaxed,
    )


def _listed(listing: Listing, asked: Attempts) -> Answer:
    """The newest notes that conditions admit, by their first passages."""
    quoter = Quoter(asked.legs.reader, Wanted({}), None, None, asked.deadline)
    hits, truncated = quoter.hits(listing.found, asked.request)
    return Answer(hits, listing.total, (), {}, truncated)
