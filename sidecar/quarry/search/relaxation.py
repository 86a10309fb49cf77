"""
The easier queries that are tried when nothing is found.

One part of the query is dropped at a time, under a name that the answer carries. Only what was typed is relaxed, and
never an exclusion: after `-draft`, drafts are not wanted.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from quarry.conditions import (
    AllOf,
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
    conjuncts,
    leaves,
)
from quarry.messages import Message, message
from quarry.options import Filters
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
    parts = conjuncts(query.condition)
    phrases = tuple(part for part in parts if isinstance(part, HasPhrase))
    kept = {*phrases, *scope.conditions}
    filters = tuple(part for part in parts if part not in kept and not _leaves_out(part))
    others = [part for part in parts if part not in phrases]
    among = "all" if not others else "not-excluded" if all(isinstance(part, Not) for part in others) else "filtered"

    def none_contain(what: Message) -> Message:
        return message(f"relaxed.none-{among}", what=what)

    if query.prefix and not typing:
        lacking = none_contain(message("word.any-of", words=(query.prefix,)))
        yield Relaxed("beginnings", (lacking, message("relaxed.beginnings"))), query
    if phrases:
        loose = AllOf(tuple(part for part in parts if part not in phrases))
        spoken = [word for phrase in query.phrases for word in phrase.lower().split()]
        words = tuple(dict.fromkeys([*query.words, *spoken]))
        is_cased = any(part.match_case for part in phrases)
        lacking = none_contain(message("word.all-of", words=tuple(part.phrase for part in phrases)))
        yield (
            Relaxed("any-passage", (lacking, message(f"relaxed.phrases{'-in-case' if is_cased else ''}"))),
            replace(query, words=words, phrases=(), condition=loose),
        )
    if filters:
        unmet = [part for part in filters if isinstance(part, _SELECTIVE) and _admits_none(part, execution)]
        written = tuple(part.written() for part in unmet or filters)
        failed = message(f"relaxed.{'unmet-filters' if unmet else 'filters'}", filters=written)
        wider: Condition = AllOf(tuple(part for part in parts if part not in filters))
        yield (
            Relaxed("without-filters", (failed, message("relaxed.ignored", count=len(filters)))),
            replace(query, condition=wider),
        )
    if query.text:
        is_named = not phrases and 0 < len(query.words) <= MAX_NAMED_WORDS
        words_found = none_contain(message("word.any-of", words=query.words))
        lacking = words_found if is_named else message(f"relaxed.nothing-{among}")
        yield Relaxed("meaning", (lacking, message("relaxed.meaning"))), query


def with_what_is_shown(relaxed: Relaxed, *, has_words: bool) -> Relaxed:
    """*relaxed*, which says what the hits contain only where one of them was found by its words (*has_words*)."""
    if has_words or relaxed.step not in ("beginnings", "any-passage"):
        return relaxed
    return replace(relaxed, messages=(relaxed.messages[0], message("relaxed.meaning")))


def _admits_none(condition: Condition, execution: SearchExecution) -> bool:
    """Whether no note of the vault meets *condition*."""
    admitted = execution.reader.matching_notes(condition, deadline=execution.deadline)
    return admitted is not None and len(admitted) == 0


def _leaves_out(condition: Condition) -> bool:
    """Whether *condition* contains an exclusion."""
    return any(
        negated or (isinstance(leaf, InSection | InBlock | InTask) and bool(leaf.without))
        for leaf, negated in leaves(condition)
    )
