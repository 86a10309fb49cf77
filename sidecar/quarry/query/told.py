"""
How is a query described by codes, so that a client can describe it in its own language?

`description.py` says the same in English. A list of conditions, each a message, stands for all of them together; that
of the words to rank by comes last. A condition that is made of others is written as in a query.
"""

from collections.abc import Collection
from typing import assert_never

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
    InTimeRange,
    IsKind,
    IsNote,
    MatchesPattern,
    Not,
)
from quarry.messages import Argument, Description, Message, UnderstoodCode, message
from quarry.options import Retriever
from quarry.query.description import describe_query, in_order, sought_text
from quarry.query.periods import period_of
from quarry.query.writing import written
from quarry.types import Query


def understand(query: Query, retrievers: Collection[Retriever] = ("keyword", "dense")) -> Description:
    """How *query* is understood, in English and by codes; *retrievers* take part, as for `describe_query`."""
    return Description(describe_query(query, retrievers), _told_query(query, retrievers))


def _told_query(query: Query, retrievers: Collection[Retriever]) -> tuple[Message, ...]:
    found = [_told(part, negated=False) for part in in_order(query.condition)]
    if text := sought_text(query):
        by = "both" if len(retrievers) != 1 else "words" if "keyword" in retrievers else "meaning"
        found.append(message("query-words", words=text, by=by))
    return tuple(found) or (message("query-all"),)


def _told(condition: Condition, *, negated: bool) -> Message:
    """*condition*, or its negation."""
    if isinstance(condition, Not):
        return _told(condition.part, negated=not negated)

    def say(code: UnderstoodCode, **args: Argument) -> Message:
        return message(code, negated=int(negated), **args)

    match condition:
        case AllOf() | AnyOf():
            return say("query-filter", filter=written(condition))
        case HasPhrase(phrase, match_case):
            return say("query-phrase-in-case" if match_case else "query-phrase", phrase=phrase)
        case MatchesPattern(pattern, place):
            return say("query-pattern", pattern=pattern, place=place)
        case InSection(phrases, without):
            return say("query-together", unit="section", phrases=phrases, without=without)
        case InBlock(unit, phrases, without):
            return say("query-together", unit=unit, phrases=phrases, without=without)
        case InTask(state, phrases, without):
            return say("query-task", state=state, phrases=phrases, without=without)
        case IsNote(path):
            return say("query-note", path=path)
        case InFolder(folder):
            return say("query-folder", folder=folder or "/")
        case InPath(part):
            return say("query-path", part=part)
        case InFile(part):
            return say("query-file", part=part)
        case IsKind(kind):
            return say("query-kind", kind=kind)
        case HasTag(tag):
            return say("query-tag", tag=tag)
        case HasProperty(name, comparison, value):
            return say("query-property", name=name, comparison=comparison, value=value)
        case InTimeRange(field):
            period = period_of(condition)
            return say("query-dated", field=field, period=period.kind, first=period.first, last=period.last)
        case _:
            assert_never(condition)
