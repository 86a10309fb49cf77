"""
Which easier queries are tried when nothing is found?

One part of the query is dropped at a time, under a name that the answer carries. Only what was typed is relaxed, and
never an exclusion: after `-draft` nobody wants drafts.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from quarry.conditions import AllOf, AnyOf, Condition, HasPhrase, InSection, InTask, Not
from quarry.search.answer import Relaxed
from quarry.text.query.description import describe_condition
from quarry.types import Query, Scope


def relaxations(query: Query, scope: Scope, *, typing: bool) -> Iterator[tuple[Relaxed, Query]]:
    """Easier queries than *query*, the most similar first; the filters of *scope* were not typed and stay."""
    parts = query.condition.parts if isinstance(query.condition, AllOf) else (query.condition,)
    phrases = tuple(part for part in parts if isinstance(part, HasPhrase))
    kept = {*phrases, *scope.conditions}
    filters = tuple(part for part in parts if part not in kept and not _leaves_out(part))
    under_filters = "" if len(parts) == len(phrases) else " under these filters"
    if query.prefix and not typing:
        yield (
            Relaxed(
                "beginnings",
                f"No notes{under_filters} contain “{query.prefix}”. These contain words that begin with it.",
            ),
            query,
        )
    if phrases:
        loose = AllOf(tuple(part for part in parts if part not in phrases))
        spoken = [word for phrase in query.phrases for word in phrase.lower().split()]
        words = tuple(dict.fromkeys([*query.words, *spoken]))
        quoted = " and ".join(f"“{part.phrase}”" for part in phrases)
        message = f"No notes{under_filters} contain {quoted} word for word. These contain some of the words."
        yield Relaxed("any-passage", message), replace(query, words=words, phrases=(), condition=loose)
    if filters:
        wider: Condition = AllOf(tuple(part for part in parts if part not in filters))
        message = f"No notes {describe_condition(AllOf(filters))} match. These match without that filter."
        yield Relaxed("without-filters", message), replace(query, condition=wider)
    if query.text:
        message = f"No notes{under_filters} match. These are the closest in meaning."
        yield Relaxed("meaning", message), query


def _leaves_out(condition: Condition) -> bool:
    """Whether *condition* contains an exclusion."""
    if isinstance(condition, AllOf | AnyOf):
        return any(map(_leaves_out, condition.parts))
    return isinstance(condition, Not) or (isinstance(condition, InSection | InTask) and bool(condition.without))
