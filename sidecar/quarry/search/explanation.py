"""The place of a note in an answer, and the reasons for it, or why the answer does not have the note."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from quarry.analysis.analysis import Languages
from quarry.conditions import HasPhrase, HasProperty, Not, leaves
from quarry.documents.chunking import skipped_sections
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.markdown import read_outline
from quarry.errors import NoteNotFound, VaultMissing
from quarry.index import NoteName
from quarry.index.filters.block_filter import says
from quarry.messages import Message, message
from quarry.options import SearchOptions
from quarry.query.parse import describe_query
from quarry.search.answer import RankedChunk
from quarry.search.execution import SearchExecution
from quarry.search.note_reader import find_indexed_note, read_whole_note
from quarry.search.pipeline import parse_request, run_with_relaxation
from quarry.search.prepare import PreparedQuery, TermsOfNotes, identifier_query
from quarry.search.result import RankedResult
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
    messages: tuple[Message, ...]  # sentences on its place or absence, with what can be done about it
    understood: Message | None  # the query in words; None if the note is not in the index
    rank: int | None = None  # from 1
    total: int = 0  # notes of all pages by relevance
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
    unsearched = in_skipped_sections(text, query, explained.lacking, skipped, languages)
    return replace(explained, messages=(*explained.messages, *unsearched))


def _explain(note: NoteName, query: Query, options: SearchOptions, execution: SearchExecution) -> Explanation:
    reader, understood = execution.reader, describe_query(query, execution.retrievers)
    result = run_with_relaxation(query, options, execution)
    ranked = result if isinstance(result, RankedResult) else None
    condition = ranked.query.condition if ranked else query.condition
    failing = reader.first_failing_condition(condition, note.note_id, deadline=execution.deadline)
    if failing is not None:
        status = failing.part if isinstance(failing, Not) and failing in options.filters.status_conditions else None
        reason = (
            message("explained.status", value=status.value)
            if isinstance(status, HasProperty)
            else message("explained.refused", filters=(failing.written(),))
        )
        return Explanation(note.path, "refused", (reason,), understood)
    if ranked is None:
        return Explanation(note.path, "listed", (message("explained.listed"),), understood)
    explanation = _explain_place(note, ranked, understood, execution)
    if ranked.relaxed:
        return replace(explanation, messages=(*ranked.relaxed.messages, *explanation.messages))
    return explanation


def _explain_place(
    note: NoteName, result: RankedResult, understood: Message, execution: SearchExecution
) -> Explanation:
    """The place of *note* among all notes that were found, or why it is not among them."""
    total = replace(result, matching=None).reachable  # in any order, the rank is that by relevance
    found, lacking = _words(result.prepared, note.note_id, execution)
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
    [ranked] = ranking.ranked_notes([place], execution)
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
        passage=ranked.chunks[0] if ranked.chunks else None,
        shares=ranked.shares,
        found=found,
        lacking=lacking,
    )


def _words(
    prepared: PreparedQuery, note_id: int, execution: SearchExecution
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the query that the note contains in any form, and those that it lacks."""
    terms = TermsOfNotes(prepared, np.array([note_id]), execution)
    words = dict.fromkeys(word for _, word in prepared.words_used)
    contains = {word: terms.contain(identifier_query(word, prepared.languages)).all() for word in words}
    return tuple([word for word in contains if contains[word]]), tuple([w for w in contains if not contains[w]])


_REASON_OF = {
    "passage": "words",  # that the note contains
    "note": "words",
    "exact_title": "exact-title",
    "max_sim": "meaning",
    "vector": "meaning",
}
"""Signal -> its reason; the others are their own."""


def _reasons(
    shares: Mapping[str, float], found: Sequence[str], lacking: Sequence[str], prepared: PreparedQuery
) -> list[Message]:
    """The two reasons that count most; for meaning, with the contextual model if one was used."""
    strongest = sorted((name for name in shares if shares[name] > 0), key=lambda name: -shares[name])
    reasons = list(dict.fromkeys(_REASON_OF.get(name, name) for name in strongest))[:2]
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


# --- sections that are not searched --------------------------------------------------------------


def in_skipped_sections(
    text: str, query: Query, lacking: Sequence[str], skip_sections: Sequence[str], languages: Languages = ()
) -> list[Message]:
    """
    The phrases and exclusions of *query*, and the words *lacking*, that are in a section such as "Related".

    The index leaves these sections out.

    Args:
        text: The whole note.
        lacking: Words of the query that the index does not find in the note.
        skip_sections: The titles of sections that are not searched.
    """
    outline = read_outline(text, read_front_matter(text).body_start)
    found: dict[str, str] = {}
    in_condition = [leaf.phrase for leaf, _ in leaves(query.condition) if isinstance(leaf, HasPhrase)]
    phrases = list(dict.fromkeys([*in_condition, *query.phrases]))
    of_phrases = {word for phrase in phrases for word in phrase.lower().split()}
    wanted = [*phrases, *[word for word in lacking if word not in of_phrases]]
    for title, start, end in skipped_sections(text, outline.headings, skip_sections):
        for phrase in wanted:
            if phrase not in found and says(text[start:end], [phrase], [], languages):
                found[phrase] = title
    return [
        message("explained.skipped-section", words=phrase, section=title)
        for phrase, title in [*found.items()][:MAX_SKIPPED_NAMED]
    ]
