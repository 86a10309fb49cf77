"""Why does a note stand where it stands in an answer, or why is it not there?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from quarry.index import Deadline, LexicalQuery, Reader
from quarry.search.answer import Relaxed
from quarry.search.answering import search
from quarry.search.legs import Legs
from quarry.search.question import Question, ask, can_rank
from quarry.search.ranking import LEAST_NEARNESS, Ranked, rank
from quarry.search.relaxing import relaxations
from quarry.terms.analysis import ranking_terms
from quarry.text.query import parse_query
from quarry.text.query_words import condition_in_words, in_words
from quarry.types import Fused, Fusion, Leg, Query, SearchRequest

State = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]
"""
Shown; ranked behind what was asked for; proposed by no leg; refused by a condition; nothing was asked, so notes are
listed by age; left out by a rule; changed and not yet indexed; unreadable; no such note.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of one note in one search."""

    path: str
    state: State
    message: str  # in one sentence, with what to do about it where something can be done
    understood: str  # the query in words
    rank: int | None = None  # from 1
    total: int = 0  # ranked notes
    score: float | None = None
    passage: Fused | None = None  # the best one, with its rank and score in each leg
    shares: Mapping[str, float] = field(default_factory=dict)
    found: tuple[str, ...] = ()  # the query's words that the note holds
    lacking: tuple[str, ...] = ()


def explain(
    request: SearchRequest,
    path: str,
    legs: Legs,
    weights: Mapping[Leg, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> Explanation | None:
    """
    What became of the note at *path*; None where the index does not hold it.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `search`.
    """
    reader = legs.reader
    query = parse_query(request.query, request.scope, now=now)
    note = reader.note_named(path)
    if note is None:
        return None
    understood = in_words(query, by_meaning="dense" in legs.serving(request.mode))
    query, relaxed = _eased(request, query, legs, weights, fusion, deadline, now)
    refusal = reader.first_refusal(query.condition, note.note_id, deadline=deadline)
    if refusal is not None:
        reason = condition_in_words(refusal)
        return Explanation(note.path, "refused", f"The query only admits notes {reason}; this one is none.", understood)
    if not can_rank(query):
        message = "There is nothing to rank by: the query lists the notes it admits, the newest first."
        return Explanation(note.path, "listed", message, understood)
    serving = legs.serving(request.mode)
    encoder = legs.encoder if "dense" in serving else None
    step = relaxed.step if relaxed else None
    typing, corrects = request.typing or relaxed is not None, step != "any-passage"
    question = ask(query, reader, encoder, typing=typing, deadline=deadline, corrects=corrects)
    weights = request.weights or weights
    least = -1.0 if step == "meaning" else LEAST_NEARNESS
    ranked = rank(question, request, reader, serving, weights, request.fusion or fusion, deadline, least_nearness=least)
    found, lacking = _words(question, note.note_id, reader)
    by_meaning = question.vector is not None
    placed = _placed(note.path, ranked, understood, found, lacking, by_meaning=by_meaning)
    return replace(placed, message=f"{relaxed.message} {placed.message}") if relaxed else placed


def _eased(
    request: SearchRequest,
    query: Query,
    legs: Legs,
    weights: Mapping[Leg, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> tuple[Query, Relaxed | None]:
    """The query that the search was answered by, and what was given up for it."""
    answer = search(replace(request, snippet_width=0), legs, weights, fusion, deadline, now)
    if answer.relaxed:
        for relaxed, easier in relaxations(query, request.scope, typing=request.typing):
            if relaxed == answer.relaxed:
                return easier, relaxed
    return query, None


def _words(question: Question, note_id: int, reader: Reader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which words of the query the note holds in any form, and which it lacks."""
    used = {correction.typed: correction.used for correction in question.corrections}
    held: dict[str, bool] = {}
    for word in (used.get(word, word) for word in question.query.words):
        alone = LexicalQuery(terms=ranking_terms(word))
        held[word] = not alone.is_empty and bool(reader.note_scores(alone, [note_id]))
    return tuple(word for word in held if held[word]), tuple(word for word in held if not held[word])


def _placed(
    path: str,
    ranked: Ranked,
    understood: str,
    found: Sequence[str],
    lacking: Sequence[str],
    *,
    by_meaning: bool,
) -> Explanation:
    total, limit = len(ranked.notes), ranked.shown
    at = next((at for at, one in enumerate(ranked.notes) if one.path == path), None)
    if at is None:
        message = "It holds no word of the query, and is not near enough in meaning to be shown."
        if not by_meaning:
            message = "It holds no word of the query that can be looked for, and meaning has no say here."
        if found:
            message = f"It holds {_listed(found)}, but too many notes speak more of the query."
        return Explanation(
            path, "unranked", message, understood, total=total, found=tuple(found), lacking=tuple(lacking)
        )
    one = ranked.notes[at]
    passages = ranked.passages_of(one)
    message = f"It ranks {at + 1} of {total}: {_because(one.shares, found)}."
    if at >= limit:
        shown = f"the {limit} that are" if limit > 1 else "the one that is"
        message = f"It ranks {at + 1} of {total}, behind {shown} shown: {_because(one.shares, found)}."
    return Explanation(
        path=path,
        state="hit" if at < limit else "beyond",
        message=message,
        understood=understood,
        rank=at + 1,
        total=total,
        score=one.score,
        passage=passages[0] if passages else None,
        shares=one.shares,
        found=tuple(found),
        lacking=tuple(lacking),
    )


_SAYS = {
    "passage": "its best passage holds the words",
    "note": "the whole note speaks of them",
    "phrase": "they stand side by side",
    "meaning": "it is near in meaning",
    "title": "its title fits",
    "exact": "its title is the query",
}


def _because(shares: Mapping[str, float], found: Sequence[str]) -> str:
    """The two signals that count most, in words."""
    telling = sorted((name for name in shares if shares[name] > 0), key=lambda name: -shares[name])[:2]
    if telling:
        return " and ".join(_SAYS[name] for name in telling)
    return f"it holds {_listed(found)}" if found else "it is near in meaning"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
