"""The way of a query from what was typed to what is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from quarry.index import Deadline, Reader
from quarry.ranking.grouping import Group, group_by_note
from quarry.search.answer import Answer, Step
from quarry.search.legs import Legs, is_wanted
from quarry.search.question import Question, ask, can_rank
from quarry.search.quoting import Found, Quoter
from quarry.search.ranking import LEAST_NEARNESS, Ranked, rank
from quarry.search.relaxing import relaxations
from quarry.text.query import parse_query
from quarry.text.query_words import in_words
from quarry.text.snippet import Wanted
from quarry.types import Fused, Fusion, Leg, Query, SearchRequest


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
    if not can_rank(query):
        return replace(_browse(request, query, legs.reader, deadline), understood=in_words(query))
    weights = request.weights or weights
    answer = _attempt(request, query, legs, weights, request.fusion or fusion, deadline)
    if not answer.hits and not answer.truncated:
        answer = _easier(request, query, legs, weights, request.fusion or fusion, deadline) or answer
    understood = in_words(query, by_meaning="dense" in answer.legs)
    return replace(answer, missing=missing, understood=understood)


def _easier(
    request: SearchRequest,
    query: Query,
    legs: Legs,
    weights: Mapping[Leg, float],
    fusion: Fusion,
    deadline: Deadline,
) -> Answer | None:
    """What is found when something is given up that *query* asks for; None where nothing is, whatever is given up."""
    if not query.words:  # phrases that are there, but no leg is to rank by them: what has them is listed
        listed = _browse(request, query, legs.reader, deadline)
        if listed.hits or listed.truncated:
            return listed
    for relaxed, easier in relaxations(query, request.scope, typing=request.typing):
        typed_on = replace(request, typing=True)
        answer = _attempt(typed_on, easier, legs, weights, fusion, deadline, step=relaxed.step)
        if answer.hits or answer.truncated:
            return replace(answer, relaxed=relaxed)
    return None


def _attempt(
    request: SearchRequest,
    query: Query,
    legs: Legs,
    weights: Mapping[Leg, float],
    fusion: Fusion,
    deadline: Deadline,
    *,
    step: Step | None = None,
) -> Answer:
    serving = legs.serving(request.mode)
    encoder = legs.encoder if "dense" in serving else None
    corrects = step != "any-passage"  # who quotes a word means it as it is written
    question = ask(query, legs.reader, encoder, typing=request.typing, deadline=deadline, corrects=corrects)
    least = -1.0 if step == "meaning" else LEAST_NEARNESS
    ranked = rank(question, request, legs.reader, serving, weights, fusion, deadline, least_nearness=least)
    standings = ranked.notes[: ranked.shown]
    deadline.check()  # quoting costs as much as ranking, and whoever types has cancelled by now
    quoter = Quoter(legs.reader, question.wanted(), encoder, question.vector, deadline)
    shown = [Found(Group(one.path, ranked.passages_of(one)), one.score, one.legs, one.shares) for one in standings]
    hits, truncated = quoter.hits(shown, request)
    return Answer(
        hits=hits,
        total=_total(question, ranked, serving, legs.reader),
        legs=serving,
        missing={},
        truncated=truncated,
        corrections=question.corrections,
    )


def _total(question: Question, ranked: Ranked, serving: Sequence[Leg], reader: Reader) -> int:
    """The notes that hold a word of the query, and those that were found by their meaning alone."""
    if "lexical" not in serving:
        return len(ranked.notes)
    near = [note.note_id for note in ranked.notes if "lexical" not in note.legs]
    by_word, holding = len(ranked.notes) - len(near), reader.count_notes(question.lexical, question.admitted)
    if near and holding > by_word:  # some of these hold a word, too, but were not proposed for it
        return holding + len(near) - len(reader.note_scores(question.lexical, near))
    return max(holding, by_word) + len(near)


def _browse(request: SearchRequest, query: Query, reader: Reader, deadline: Deadline) -> Answer:
    """Conditions and nothing to rank by: the newest notes they admit."""
    newest = reader.browse(query.condition, request.limit, deadline=deadline)
    fused = [Fused(c.chunk_id, c.path, c.number, c.score, None, None, None, None) for c in newest.ranking]
    shown = [Found(group, group.score, frozenset(), {}) for group in group_by_note(fused)]
    hits, truncated = Quoter(reader, Wanted({}), None, None, deadline).hits(shown, request)
    return Answer(hits, newest.total, (), {}, truncated)
