"""The way of a query from what was typed to what is shown."""

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from quarry.index import Deadline
from quarry.search.answer import Answer, FurtherPassages
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


def further_passages(
    request: SearchRequest,
    path: str,
    legs: Legs,
    weights: Mapping[Leg, float],
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
    note = legs.reader.note_named(path)
    attempts = Attempts(request, legs, request.weights or weights, request.fusion or fusion, deadline)
    attempt = attempts.until_found(query) if can_rank(query) else None
    listing = attempt.listing if attempt else attempts.listing(query.condition)
    shown = listing.found if listing else attempt.found if attempt else ()
    hit = next((found for found in shown if note and found.group.path == note.path), None)
    if hit is None:
        return FurtherPassages((), truncated=False)
    quoter = _quoter(attempt, attempts) if attempt and not listing else _listing_quoter(attempts)
    return quoter.further_passages(hit, request)


def _answer(attempt: Attempt, asked: Attempts) -> Answer:
    """What was found, with its passages quoted."""
    serving = asked.legs.serving(asked.request.mode)
    asked.deadline.check()  # quoting costs as much as ranking, and whoever types has cancelled by now
    hits, truncated = _quoter(attempt, asked).hits(attempt.found, asked.request)
    return Answer(
        hits=hits,
        total=count(attempt, asked.legs.reader, serving, asked.deadline),
        legs=serving,
        missing={},
        truncated=truncated,
        corrections=attempt.question.corrections,
        relaxed=attempt.relaxed,
    )


def _listed(listing: Listing, asked: Attempts) -> Answer:
    """The newest notes that conditions admit, by their first passages."""
    hits, truncated = _listing_quoter(asked).hits(listing.found, asked.request)
    return Answer(hits, listing.total, (), {}, truncated)


def _quoter(attempt: Attempt, asked: Attempts) -> Quoter:
    legs, question = asked.legs, attempt.question
    encoder = legs.encoder if "dense" in legs.serving(asked.request.mode) else None
    return Quoter(legs.reader, question.wanted(), encoder, question.vector, asked.deadline)


def _listing_quoter(asked: Attempts) -> Quoter:
    return Quoter(asked.legs.reader, Wanted({}), None, None, asked.deadline)
