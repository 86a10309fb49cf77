"""
The easier queries that are tried when nothing is found.

One part of the query is dropped at a time, under a name that the answer carries. Only what was typed is relaxed, and
never an exclusion: after `-draft`, drafts are not wanted.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from quarry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    HasProperty,
    HasTag,
    InBlock,
    InFile,
    InFolder,
    InPath,
    InSection,
    InTask,
    Not,
)
from quarry.messages import message
from quarry.options import Filters
from quarry.query.description import describe_condition
from quarry.query.writing import written
from quarry.search.answer import Relaxed
from quarry.search.execution import SearchExecution
from quarry.types import Query

MAX_NAMED_WORDS = 3  # of a query none of whose words is in a note
_SELECTIVE = (InFolder, HasTag, InPath, InFile, HasProperty)  # fast to look up, and often misspelled


def relaxations(
    query: Query, scope: Filters, execution: SearchExecution, *, typing: bool
) -> Iterator[tuple[Relaxed, Query]]:
    """
    Easier queries than *query*, the most similar first.

    Args:
        scope: Filters that were not typed, and stay.
        execution: Evaluates conditions, to name a filter that no note of the vault meets.
    """
    parts = query.condition.parts if isinstance(query.condition, AllOf) else (query.condition,)
    phrases = tuple(part for part in parts if isinstance(part, HasPhrase))
    kept = {*phrases, *scope.conditions}
    filters = tuple(part for part in parts if part not in kept and not _leaves_out(part))
    others = [part for part in parts if part not in phrases]
    no_notes = "No notes" if not others else "No notes under these filters"
    among = "filtered" if others else "all"
    if others and all(isinstance(part, Not) for part in others):
        no_notes, among = "Apart from the excluded notes, no notes", "not-excluded"
    if query.prefix and not typing:
        yield (
            Relaxed(
                "beginnings",
                f"{no_notes} contain “{query.prefix}”.",
                "These contain words that begin with it.",
                message("relaxed-beginnings", word=query.prefix, among=among),
            ),
            query,
        )
    if phrases:
        loose = AllOf(tuple(part for part in parts if part not in phrases))
        spoken = [word for phrase in query.phrases for word in phrase.lower().split()]
        words = tuple(dict.fromkeys([*query.words, *spoken]))
        quoted = " and ".join(f"“{part.phrase}”" for part in phrases)
        is_cased = any(part.match_case for part in phrases)
        how = "in this case" if is_cased else "word for word"
        told = message(
            "relaxed-phrases-in-case" if is_cased else "relaxed-phrases",
            phrases=tuple([part.phrase for part in phrases]),
            among=among,
        )
        reason = f"{no_notes} contain {quoted} {how}."
        yield (
            Relaxed("any-passage", reason, "These contain some of the words.", told),
            replace(query, words=words, phrases=(), condition=loose),
        )
    if filters:
        wider: Condition = AllOf(tuple(part for part in parts if part not in filters))
        effect = f"These results ignore {'that filter' if len(filters) == 1 else 'the filters in the query'}."
        unmet = [part for part in filters if isinstance(part, _SELECTIVE) and _admits_none(part, execution)]
        told = message(
            "relaxed-unmet-filters" if unmet else "relaxed-filters",
            filters=tuple(map(written, unmet or filters)),
            ignored=len(filters),
        )
        yield Relaxed("without-filters", _unmet(filters, unmet), effect, told), replace(query, condition=wider)
    if query.text:
        reason = f"{no_notes} contain {_either(query.words)}." if query.words and not phrases else f"{no_notes} match."
        told = message("relaxed-nothing", among=among)
        if query.words and not phrases:
            is_long = len(query.words) > MAX_NAMED_WORDS
            told = message("relaxed-words", words=query.words, among=among)
            told = message("relaxed-many-words", among=among) if is_long else told
        yield Relaxed("meaning", reason, "These are the nearest in meaning.", told), query


def _either(words: Sequence[str]) -> str:
    """“a”, “b” or “c”; many words are not named."""
    if len(words) > MAX_NAMED_WORDS:
        return "any of these words"
    quoted = [f"“{word}”" for word in words]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _unmet(filters: Sequence[Condition], unmet: Sequence[Condition]) -> str:
    """A sentence on the filters that no note meets at all, *unmet*, or on all of them if each is met by some note."""
    if unmet:
        return f"There are no notes {' or '.join(map(describe_condition, unmet))}."
    return f"Nothing was found among notes {describe_condition(AllOf(tuple(filters)))}."


def _admits_none(condition: Condition, execution: SearchExecution) -> bool:
    """Whether no note of the vault meets *condition*."""
    admitted = execution.reader.matching_notes(condition, deadline=execution.deadline)
    return admitted is not None and len(admitted) == 0


def _leaves_out(condition: Condition) -> bool:
    """Whether *condition* contains an exclusion."""
    if isinstance(condition, AllOf | AnyOf):
        return any(map(_leaves_out, condition.parts))
    return isinstance(condition, Not) or (
        isinstance(condition, InSection | InBlock | InTask) and bool(condition.without)
    )
