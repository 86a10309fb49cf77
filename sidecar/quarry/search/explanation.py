"""Why does a note stand where it stands in an answer, or why is it not there?"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.index import Deadline, LexicalQuery, NoteName, Reader
from quarry.search.context import SearchContext
from quarry.search.execution import QueryExecution
from quarry.search.prepare import PreparedQuery, can_rank
from quarry.search.ranking import NoteRanking
from quarry.terms.analysis import ranking_terms
from quarry.text.query import parse_query
from quarry.text.query_words import condition_in_words, in_words
from quarry.types import Fused, Fusion, Retriever, SearchRequest

State = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]
"""
Shown; ranked behind what was asked for; proposed by no retriever; refused by a condition; nothing was asked, so notes
are listed by age; left out by a rule; changed and not yet indexed; unreadable; no such note.
"""


class Explanation(Struct, frozen=True):
    """What became of one note in one search."""

    path: str
    state: State
    message: str  # in one sentence, with what to do about it where something can be done
    understood: str  # the query in words
    rank: int | None = None  # from 1
    total: int = 0  # ranked notes
    score: float | None = None
    passage: Fused | None = None  # the best one, with its rank and score in each retriever
    shares: Mapping[str, float] = field(default_factory=dict)
    found: tuple[str, ...] = ()  # the query's words that the note holds
    lacking: tuple[str, ...] = ()


def explain(
    request: SearchRequest,
    path: str,
    context: SearchContext,
    weights: Mapping[Retriever, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> Explanation | None:
    """
    What became of the note at *path*; None where the index does not hold it.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `search`.
    """
    reader = context.reader
    query = parse_query(request.query, request.scope, now=now)
    note = reader.note_named(path)
    if note is None:
        return None
    understood = in_words(query, by_meaning="dense" in context.available(request.mode))
    result = None
    if can_rank(query):
        execution = QueryExecution(request, context, request.weights or weights, request.fusion or fusion, deadline)
        result = execution.run_with_relaxation(query)
        query = result.query
    refusal = reader.first_failing_condition(query.condition, note.note_id, deadline=deadline)
    if refusal is not None:
        reason = condition_in_words(refusal)
        return Explanation(note.path, "refused", f"The query only admits notes {reason}; this one is none.", understood)
    if result is None:
        message = "There is nothing to rank by: the query lists the notes it admits, the newest first."
        return Explanation(note.path, "listed", message, understood)
    prepared, relaxed = result.prepared, result.relaxed
    found, lacking = _words(prepared, note.note_id, reader, deadline)
    by_meaning = prepared.vector is not None
    placed = _placed(note, result.ranked, understood, found, lacking, by_meaning=by_meaning)
    return replace(placed, message=f"{relaxed.message} {placed.message}") if relaxed else placed


def _words(
    prepared: PreparedQuery, note_id: int, reader: Reader, deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which words of the query the note holds in any form, and which it lacks."""
    used = {correction.typed: correction.used for correction in prepared.corrections}
    held: dict[str, bool] = {}
    for word in (used.get(word, word) for word in prepared.query.words):
        alone = LexicalQuery(terms=ranking_terms(word))
        held[word] = not alone.is_empty and bool(reader.note_scores(alone, [note_id], deadline=deadline))
    return tuple(word for word in held if held[word]), tuple(word for word in held if not held[word])


def _placed(
    note: NoteName,
    ranked: NoteRanking,
    understood: str,
    found: Sequence[str],
    lacking: Sequence[str],
    *,
    by_meaning: bool,
) -> Explanation:
    total, limit = len(ranked.note_ids), ranked.shown
    if note.note_id not in ranked.note_ids:
        message = "It holds no word of the query, and is not near enough in meaning to be shown."
        if not by_meaning:
            message = "It holds no word of the query that can be looked for, and meaning has no say here."
        if found:
            message = f"It holds {_listed(found)}, but too many notes speak more of the query."
        return Explanation(
            note.path, "unranked", message, understood, total=total, found=tuple(found), lacking=tuple(lacking)
        )
    at = ranked.note_ids.index(note.note_id)
    one = ranked.standings([at])[0]
    passages = ranked.passages_of(one)
    message = f"It ranks {at + 1} of {total}: {_because(one.shares, found)}."
    if at >= limit:
        shown = f"the {limit} that are" if limit > 1 else "the one that is"
        message = f"It ranks {at + 1} of {total}, behind {shown} shown: {_because(one.shares, found)}."
    return Explanation(
        path=note.path,
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
