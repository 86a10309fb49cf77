"""
The easier queries that are tried when nothing is found, and which filter is to blame where none of them helps.

One part of the query is dropped at a time, under a name that the answer carries: a beginning may be taken for a word,
and the words of a phrase may be apart. A filter is a promise and is never dropped.
"""

from bisect import bisect
from collections.abc import Iterator
from contextlib import suppress

from msgspec.structs import replace

from quarry.conditions import AllOf, Condition, HasPhrase, Not, all_of, conjuncts
from quarry.errors import BadQuery
from quarry.messages import Message, message
from quarry.options import SearchOptions
from quarry.query.parse import parse_query
from quarry.search.answer import Relaxed, UnmetFilter
from quarry.search.execution import SearchExecution
from quarry.types import Query

MAX_NAMED_WORDS = 3  # of a query none of whose words is in a note


def relaxations(query: Query, *, typing: bool) -> Iterator[tuple[Relaxed, Query]]:
    """Easier queries than *query*, the most similar first."""
    parts = conjuncts(query.condition)
    phrases = tuple(part for part in parts if isinstance(part, HasPhrase))
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


def unmet_filter(query: Query, options: SearchOptions, execution: SearchExecution) -> UnmetFilter | None:
    """
    The filter that leaves *query* without a note: the first that none meets, else the first that none meets as well.

    None where notes meet all of them, and where the one is a part of alternatives.
    """

    def admits_none(*conditions: Condition) -> bool:
        admitted = execution.reader.matching_notes(all_of(conditions), deadline=execution.deadline)
        return admitted is not None and len(admitted) == 0

    written: dict[int, str] = {}
    found: dict[int, Condition] = {}
    for at, clause in enumerate(query.clauses):
        if clause.removable and not clause.negated:
            written[at] = options.query[clause.start : clause.end].strip()
            with suppress(BadQuery):  # it only excludes, such as `section:(-draft)`
                read = parse_query(clause.value if clause.kind == "time" else written[at], now=execution.now)
                found[at] = read.condition
    places = [*found]
    # The fewer searches the better: there may be a hundred filters.
    first = bisect(range(len(places)), False, key=lambda last: admits_none(*[found[at] for at in places[: last + 1]]))
    if first == len(places):
        return None
    lacking = next((at for at, condition in found.items() if admits_none(condition)), None)
    if lacking is not None:
        return UnmetFilter(lacking, message("answer.unmet", filter=written[lacking]))
    before = places[:first]
    at, condition = places[first], found[places[first]]
    alone = [place for place in before if admits_none(found[place], condition)][:1]
    if alone and query.clauses[alone[0]].kind in ("folder", "path"):
        place = query.clauses[alone[0]].value
        return UnmetFilter(at, message("answer.unmet-in", filter=written[at], place=place))
    others = " ".join([written[place] for place in alone or before])
    return UnmetFilter(at, message("answer.unmet-beside", filter=written[at], others=others))
