"""Why does a note rank where it does in an answer, or why is it missing from it?"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.conditions import HasProperty, Not
from quarry.errors import NoteNotFound
from quarry.index import Deadline, NoteName, Reader
from quarry.messages import Argument, Description, ExplainReason, Message, message
from quarry.options import Fusion, Retriever, SearchOptions
from quarry.query.description import describe_condition
from quarry.query.told import understand
from quarry.query.writing import written
from quarry.search.context import SearchContext
from quarry.search.execution import QueryExecution, RankedResult, parse_request
from quarry.search.prepare import PreparedQuery, can_rank
from quarry.search.whole_words import whole_word
from quarry.types import Fused

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
    message: str  # in one sentence, with what to do about it where something can be done
    understood: Description  # the query in words
    told: tuple[Message, ...]  # the message by code, sentence by sentence
    rank: int | None = None  # from 1
    total: int = 0  # notes that the search finds, as its answer counts them
    score: float | None = None
    confidence: float | None = None  # the probability that it answers
    passage: Fused | None = None  # the best one, with its rank and score in each retriever
    shares: Mapping[str, float] = field(default_factory=dict)
    found: tuple[str, ...] = ()  # the query's words that the note holds
    lacking: tuple[str, ...] = ()


def explain(
    request: SearchOptions,
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
    understood = understand(query, context.available(request.mode))
    execution = QueryExecution(request, context, request.weights_or(weights), request.fusion or fusion, deadline, now)
    result = execution.run_with_relaxation(query) if can_rank(query) else None
    ranked = result if isinstance(result, RankedResult) else None
    condition = ranked.query.condition if ranked else query.condition
    failing = reader.first_failing_condition(condition, note.note_id, deadline=deadline)
    if (
        isinstance(failing, Not)
        and failing in request.filters.status_conditions
        and isinstance(failing.part, HasProperty)
    ):
        value = failing.part.value
        sentence = (
            f"Its status is “{value}”, which the setting search.exclude_status leaves out. "
            f"Add status:{value} to find it."
        )
        told = message("explain-status", value=value)
        return Explanation(note.path, "refused", sentence, understood, (told,))
    if failing is not None:
        reason = describe_condition(failing)
        return Explanation(
            note.path,
            "refused",
            f"The query matches only notes {reason}, and this is not one.",
            understood,
            (message("explain-refused", filters=(written(failing),)),),
        )
    if ranked is None:
        sentence = "The query has no words to rank by. It lists all matching notes, newest first."
        return Explanation(note.path, "listed", sentence, understood, (message("explain-listed"),))
    explanation = _explain_place(note, ranked, execution.count_notes(ranked), understood, reader, deadline)
    if ranked.relaxed:
        place = explanation.message[0].lower() + explanation.message[1:]
        return replace(
            explanation,
            message=f"{ranked.relaxed.reason} With the query relaxed, {place}",
            told=(ranked.relaxed.told, *explanation.told),
        )
    return explanation


def _explain_place(
    note: NoteName, result: RankedResult, total: int, understood: Description, reader: Reader, deadline: Deadline
) -> Explanation:
    """Where *note* stands among the *total* notes that were found, or why it does not."""
    found, lacking = _words(result.prepared, note.note_id, reader, deadline)
    ranking, shown = result.ranking, len(result.page)
    if note.note_id not in ranking.note_ids:
        sentence, told = "It contains no word of the query and is not close enough in meaning.", message("explain-far")
        if result.prepared.vector is None and result.prepared.contextual is None:
            sentence = "It contains no word of the query that can be searched for, and meaning is not compared here."
            told = message("explain-no-words")
        if found:
            sentence = f"It {_contents(found, lacking)}. Too many other notes match better."
            told = message("explain-crowded-out", found=found, lacking=lacking)
        elif result.lists_unranked:
            sentence = "It meets an alternative that has no words. Such notes come behind the others, newest first."
            told = message("explain-alternative")
            return Explanation(note.path, "listed", sentence, understood, (told,), total=total, lacking=lacking)
        return Explanation(
            note.path, "unranked", sentence, understood, (told,), total=total, found=found, lacking=lacking
        )
    place = ranking.note_ids.index(note.note_id)
    [ranked] = ranking.ranked_notes([place], reader, deadline)
    behind = ""
    is_shown = place in result.page
    if not is_shown:
        behind = f", behind {f'the {shown} that are' if shown > 1 else 'the one that is'} shown"
    reasons = _reasons(ranked.shares, found)
    args: dict[str, Argument] = {"rank": place + 1, "total": total, "reasons": reasons, "found": found}
    args |= {"lacking": lacking, "limit": shown}
    if result.prepared.contextual:
        args["model"] = result.prepared.contextual.short_name
    return Explanation(
        path=note.path,
        state="hit" if is_shown else "beyond",
        told=(Message("explain-hit" if is_shown else "explain-beyond", args),),
        message=f"It ranks {place + 1} of {total}{behind}: {_because(reasons, found, lacking, result.prepared)}.",
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


_CLOSE = "it is close in meaning"
_REASONS: Mapping[ExplainReason, str] = {
    "phrase": "words of the query are next to each other in it",
    "meaning": _CLOSE,
    "title": "its title matches",
    "exact": "its title is the query",
    "severity": "it is severe",
    "recency": "it is recent",
    "tags": "it has the tags",
    "domain": "it is of the domain",
}
_REASON_OF: Mapping[str, ExplainReason] = {
    **{reason: reason for reason in _REASONS},
    "wording": "meaning",
    "vector": "meaning",
}
"""Signal -> the reason that it is; `passage` and `note` are one reason, the words that the note holds."""
MAX_NAMED = 6  # words of the query; more are counted


def _reasons(shares: Mapping[str, float], found: Sequence[str]) -> tuple[ExplainReason, ...]:
    """The two reasons that count most."""
    strongest = sorted((name for name in shares if shares[name] > 0), key=lambda name: -shares[name])
    reasons = tuple(dict.fromkeys(_REASON_OF.get(name, "words") for name in strongest))[:2]
    return reasons or ("words" if found else "meaning",)


def _because(
    reasons: Sequence[ExplainReason], found: Sequence[str], lacking: Sequence[str], prepared: PreparedQuery
) -> str:
    """*reasons* in words. Of meaning it is said by which contextual model, where one was asked."""
    words = f"it {_contents(found, lacking)}" if found else "its text matches the query"
    sentence = ", and ".join([_REASONS.get(reason, words) for reason in reasons])
    if prepared.contextual is None:
        return sentence
    return sentence.replace(_CLOSE, f"{_CLOSE} ({prepared.contextual.short_name})")


def _contents(found: Sequence[str], lacking: Sequence[str]) -> str:
    """Which words of the query the note holds and which it lacks, as a predicate."""
    if (count := len(found) + len(lacking)) > MAX_NAMED:
        return f"contains {len(found) if lacking else 'all'} of the {count} words of the query"
    return f"contains {_listed(found, 'and')}" + (f" but not {_listed(lacking, 'or')}" if lacking else "")


def _listed(words: Sequence[str], last: str) -> str:
    """*words* in quotes, the last one after *last*."""
    quoted = [f"“{word}”" for word in words]
    return f" {last} ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))
