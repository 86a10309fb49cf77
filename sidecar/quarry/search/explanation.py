"""The place of a note in an answer, and the reasons for it, or why the answer does not have the note."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.analysis.analysis import Languages
from quarry.conditions import AllOf, AnyOf, Condition, HasPhrase, HasProperty, Not
from quarry.documents.chunking import skipped_sections
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.markdown import read_outline
from quarry.errors import NoteNotFound, VaultMissing
from quarry.index import NoteName
from quarry.index.filters.blocks import says
from quarry.messages import Argument, Description, ExplainReason, Message, message
from quarry.options import SearchOptions
from quarry.query.description import describe_condition
from quarry.query.told import understand
from quarry.query.writing import written
from quarry.search.answer import RankedChunk
from quarry.search.candidates import identifier_query
from quarry.search.execution import SearchExecution
from quarry.search.note_reader import find_indexed_note, read_whole_note
from quarry.search.pipeline import RankedResult, count_notes, parse_request, run_with_relaxation
from quarry.search.prepare import PreparedQuery, can_rank
from quarry.types import Query

MAX_NAMED = 6  # words of the query; more are counted
MAX_SKIPPED_NAMED = 3  # words or phrases in sections that are not searched

State = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]
"""
What became of the note: it is shown; it ranks beyond the limit; no retriever proposed it; a condition refuses it; the
query only lists notes, by age; a rule excludes it; it changed and is not yet indexed; it is unreadable; it does not
exist.
"""


class Explanation(Struct, frozen=True):
    """The place of one note in the answer to one search, and the reasons for it."""

    path: str
    state: State
    message: str  # in one sentence, with what to do about it where something can be done
    understood: Description  # the query in words
    told: tuple[Message, ...]  # the message by code, sentence by sentence
    rank: int | None = None  # from 1
    total: int = 0  # notes that the search finds, as its answer counts them
    score: float | None = None
    confidence: float | None = None  # the probability that it answers
    passage: RankedChunk | None = None  # the best one, with its rank and score in each retriever
    shares: Mapping[str, float] = field(default_factory=dict)
    found: tuple[str, ...] = ()  # the query's words that the note contains
    lacking: tuple[str, ...] = ()


def explain(path: str, root: Path, options: SearchOptions, execution: SearchExecution) -> Explanation | None:
    """
    Explain the place of the note at *path* in the ranking, or its absence; None if the note is not in the index.

    Args:
        root: The vault, whose file has the sections that are not searched.

    Raises:
        BadQuery: As for `search`.
    """
    query = parse_request(options, execution)
    try:
        note = execution.reader.find_note(path)
    except NoteNotFound:
        return None
    explained = _explain(note, query, options, execution)
    try:
        text = read_whole_note(root, find_indexed_note(execution.reader, note.path)).text
    except (NoteNotFound, VaultMissing):
        return explained
    skipped, languages = execution.settings.skip_sections, execution.reader.languages
    sentences = in_skipped_sections(text, query, explained.lacking, skipped, languages)
    return replace(
        explained,
        message=" ".join([explained.message, *(sentence for sentence, _ in sentences)]),
        told=(*explained.told, *(told for _, told in sentences)),
    )


def _explain(note: NoteName, query: Query, options: SearchOptions, execution: SearchExecution) -> Explanation:
    reader, understood = execution.reader, understand(query, execution.retrievers)
    result = run_with_relaxation(query, options, execution) if can_rank(query) else None
    ranked = result if isinstance(result, RankedResult) else None
    condition = ranked.query.condition if ranked else query.condition
    failing = reader.first_failing_condition(condition, note.note_id, deadline=execution.deadline)
    if (
        isinstance(failing, Not)
        and failing in options.filters.status_conditions
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
    explanation = _explain_place(note, ranked, understood, execution)
    if ranked.relaxed:
        place = explanation.message[0].lower() + explanation.message[1:]
        return replace(
            explanation,
            message=f"{ranked.relaxed.reason} With the query relaxed, {place}",
            told=(ranked.relaxed.told, *explanation.told),
        )
    return explanation


def _explain_place(
    note: NoteName, result: RankedResult, understood: Description, execution: SearchExecution
) -> Explanation:
    """The place of *note* among all notes that were found, or why it has none."""
    total = count_notes(result, execution)
    found, lacking = _words(result.prepared, note.note_id, execution)
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
    [ranked] = ranking.ranked_notes([place], execution)
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
    prepared: PreparedQuery, note_id: int, execution: SearchExecution
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the query that the note contains in any form, and those that it lacks."""
    contains: dict[str, bool] = {}
    for _, word in prepared.words_used:
        alone = identifier_query(word, prepared.languages)
        scorer = execution.reader.keywords.query(alone, deadline=execution.deadline)
        contains[word] = not alone.is_empty and bool(scorer.note_scores([note_id]))
    return tuple([word for word in contains if contains[word]]), tuple([w for w in contains if not contains[w]])


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
    "max_sim": "meaning",
    "vector": "meaning",
}
"""Signal -> the reason that it is; `passage` and `note` are one reason, the words that the note contains."""


def _reasons(shares: Mapping[str, float], found: Sequence[str]) -> tuple[ExplainReason, ...]:
    """The two reasons that count most."""
    strongest = sorted((name for name in shares if shares[name] > 0), key=lambda name: -shares[name])
    reasons = tuple(dict.fromkeys(_REASON_OF.get(name, "words") for name in strongest))[:2]
    return reasons or ("words" if found else "meaning",)


def _because(
    reasons: Sequence[ExplainReason], found: Sequence[str], lacking: Sequence[str], prepared: PreparedQuery
) -> str:
    """*reasons* in words; for meaning with the contextual model that was asked, if any."""
    words = f"it {_contents(found, lacking)}" if found else "its text matches the query"
    sentence = ", and ".join([_REASONS.get(reason, words) for reason in reasons])
    if prepared.contextual is None:
        return sentence
    return sentence.replace(_CLOSE, f"{_CLOSE} ({prepared.contextual.short_name})")


def _contents(found: Sequence[str], lacking: Sequence[str]) -> str:
    """The words of the query that the note contains and those that it lacks, as a predicate."""
    if (count := len(found) + len(lacking)) > MAX_NAMED:
        return f"contains {len(found) if lacking else 'all'} of the {count} words of the query"
    return f"contains {_listed(found, 'and')}" + (f" but not {_listed(lacking, 'or')}" if lacking else "")


def _listed(words: Sequence[str], last: str) -> str:
    """*words* in quotes, the last one behind *last*."""
    quoted = [f"“{word}”" for word in words]
    return f" {last} ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


# --- sections that are not searched --------------------------------------------------------------


def in_skipped_sections(
    text: str, query: Query, lacking: Sequence[str], skip_sections: Sequence[str], languages: Languages = ()
) -> list[tuple[str, Message]]:
    """
    The phrases and exclusions of *query*, and the words *lacking*, that are in a section such as "Related".

    Each has a sentence and its code: the index leaves these sections out.

    Args:
        text: The whole note.
        lacking: Words of the query that the index does not find in the note.
        skip_sections: The titles of sections that are not searched.
    """
    outline = read_outline(text, read_front_matter(text).body_start)
    found: dict[str, str] = {}
    phrases = list(dict.fromkeys([*_phrases(query.condition), *query.phrases]))
    of_phrases = {word for phrase in phrases for word in phrase.lower().split()}
    wanted = [*phrases, *[word for word in lacking if word not in of_phrases]]
    for title, start, end in skipped_sections(text, outline.headings, skip_sections):
        for phrase in wanted:
            if phrase not in found and says(text[start:end], [phrase], [], languages):
                found[phrase] = title
    return [
        (
            f"“{phrase}” stands in its section “{title}”, which is not searched.",
            message("explain-skipped-section", words=phrase, section=title),
        )
        for phrase, title in [*found.items()][:MAX_SKIPPED_NAMED]
    ]


def _phrases(condition: Condition) -> Iterator[str]:
    """The phrases that *condition* wants or excludes."""
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from _phrases(part)
    elif isinstance(condition, Not):
        yield from _phrases(condition.part)
    elif isinstance(condition, HasPhrase):
        yield condition.phrase
