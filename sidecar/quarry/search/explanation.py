"""Why a note ranks where it does in an answer, or why it is missing from it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.conditions import HasProperty, Not
from quarry.errors import NoteNotFound
from quarry.index import Deadline, NoteName, Reader
from quarry.messages import Message, message
from quarry.query.parse import describe_query
from quarry.search.context import SearchContext
from quarry.search.execution import QueryExecution, RankedResult, parse_request
from quarry.search.prepare import PreparedQuery, can_rank
from quarry.search.whole_words import whole_word
from quarry.types import Fused, Fusion, Retriever, SearchRequest

State = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]
"""
What became of the note: it is shown; it ranks beyond the limit; no retriever proposed it; a condition refuses it; the
query only lists notes, by age; a rule excludes it; it changed and is not yet indexed; it is unreadable; it does not
exist.
"""


class Explanation(Struct, frozen=True):
    """Where one note stands in one search, and why."""

    path: str
    state: State
    messages: tuple[Message, ...]  # sentences on its place or absence, with what can be done about it
    understood: Message | None  # the query in words; None if the note is not in the index
    rank: int | None = None  # from 1
    total: int = 0  # notes that the search finds, as its answer counts them
    score: float | None = None
    confidence: float | None = None  # the probability that it answers
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
    Explain the place of the note at *path* in the ranking, or its absence; None if the note is not in the index.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `search`.
    """
    reader = context.reader
    query = parse_request(request, now)
    try:
        note = reader.find_note(path)
    except NoteNotFound:
        return None
    understood = describe_query(query, context.available(request.mode))
    execution = QueryExecution(request, context, request.weights or weights, request.fusion or fusion, deadline, now)
    result = execution.run_with_relaxation(query) if can_rank(query) else None
    ranked = result if isinstance(result, RankedResult) else None
    condition = ranked.query.condition if ranked else query.condition
    failing = reader.first_failing_condition(condition, note.note_id, deadline=deadline)
    if failing is not None:
        status = failing.part if isinstance(failing, Not) and failing in request.scope.status_conditions else None
        reason = (
            message("explained.status", value=status.value)
            if isinstance(status, HasProperty)
            else message("explained.refused", filters=(failing.written(),))
        )
        return Explanation(note.path, "refused", (reason,), understood)
    if ranked is None:
        return Explanation(note.path, "listed", (message("explained.listed"),), understood)
    explanation = _explain_place(note, ranked, execution.count_notes(ranked), understood, reader, deadline)
    if ranked.relaxed:
        return replace(explanation, messages=(*ranked.relaxed.messages, *explanation.messages))
    return explanation


def _explain_place(
    note: NoteName, result: RankedResult, total: int, understood: Message, reader: Reader, deadline: Deadline
) -> Explanation:
    """The place of *note* among the *total* notes that were found, or why it is not among them."""
    found, lacking = _words(result.prepared, note.note_id, reader, deadline)
    ranking, shown = result.ranking, len(result.page)
    if note.note_id not in ranking.note_ids:
        state: State = "unranked"
        if found:
            messages = (*_contents(found, lacking), message("explained.crowded-out"))
        elif result.lists_unranked:
            state, messages = "listed", (message("explained.alternative"),)
        elif result.prepared.vector is None and result.prepared.contextual is None:
            messages = (message("explained.no-words"),)
        else:
            messages = (message("explained.far"),)
        return Explanation(note.path, state, messages, understood, total=total, found=found, lacking=lacking)
    place = ranking.note_ids.index(note.note_id)
    [ranked] = ranking.ranked_notes([place], reader, deadline)
    is_shown = place in result.page
    rank = (
        message("explained.hit", rank=place + 1, total=total)
        if is_shown
        else message("explained.beyond", rank=place + 1, total=total, limit=shown)
    )
    return Explanation(
        path=note.path,
        state="hit" if is_shown else "beyond",
        messages=(rank, *_reasons(ranked.shares, found, lacking, result.prepared)),
        understood=understood,
        rank=place + 1,
        total=total,
        score=ranked.score,
        confidence=ranked.confidence,
        passage=ranked.passages[0] if ranked.passages else None,
        shares=ranked.shares,
        found=found,
        lacking=lacking,
    )


def _words(
    prepared: PreparedQuery, note_id: int, reader: Reader, deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which words of the query the note holds in any form, and which it lacks."""
    held: dict[str, bool] = {}
    for _, word in prepared.words_used:
        alone = whole_word(word, prepared.languages)
        held[word] = not alone.is_empty and bool(reader.keywords.query(alone, deadline=deadline).note_scores([note_id]))
    return tuple([word for word in held if held[word]]), tuple([word for word in held if not held[word]])


_REASONS = frozenset({"phrase", "meaning", "title", "exact", "severity", "recency", "tags", "domain"})
_REASON_OF = {**{reason: reason for reason in _REASONS}, "wording": "meaning", "vector": "meaning"}
"""Signal -> its reason; `passage` and `note` are one reason, the words that the note contains."""
MAX_NAMED = 6  # words of the query; more are counted


def _reasons(
    shares: Mapping[str, float], found: Sequence[str], lacking: Sequence[str], prepared: PreparedQuery
) -> list[Message]:
    """The two reasons that count most; for meaning, with the contextual model if one was used."""
    strongest = sorted((name for name in shares if shares[name] > 0), key=lambda name: -shares[name])
    reasons = list(dict.fromkeys(_REASON_OF.get(name, "words") for name in strongest))[:2]
    messages: list[Message] = []
    for reason in reasons or ["words" if found else "meaning"]:
        if reason == "words":
            messages += _contents(found, lacking)
        elif reason == "meaning" and prepared.contextual:
            messages.append(message("explained.by-contextual-meaning", model=prepared.contextual.short_name))
        else:
            messages.append(message(f"explained.by-{reason}"))
    return messages


def _contents(found: Sequence[str], lacking: Sequence[str]) -> tuple[Message, ...]:
    """The words of the query that the note contains, and those that it lacks."""
    if (count := len(found) + len(lacking)) > MAX_NAMED:
        return (message("explained.contains-some", found=len(found), all=count),)
    if not found:
        return ()
    contains = message("explained.contains", words=tuple(found))
    return (contains, message("explained.lacks", words=tuple(lacking))) if lacking else (contains,)
