"""
How is a query described in English: `notes in Work tagged #idea with "rate limit", about backoff`?

Each condition becomes a clause that can follow "notes". A negation is worded within the clause; of several parts, each
is negated, and "and" and "or" are exchanged (De Morgan).
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
    PropertyComparison,
)
from quarry.kinds import DocumentKind
from quarry.lazy_pattern import lazy_pattern
from quarry.options import Retriever
from quarry.query.periods import period_of
from quarry.types import Query

_COMPARED: dict[PropertyComparison, str] = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
_COMPARED_DAYS: dict[PropertyComparison, str] = {
    "<": "before",
    "<=": "no later than",
    ">": "after",
    ">=": "no earlier than",
}
_DAY = lazy_pattern(r"\d{4}-\d{1,2}(?:-\d{1,2})?")
_KINDS: dict[DocumentKind, str] = {"note": "Markdown", "canvas": "canvases", "pdf": "PDF files"}
_MATCHED = {"text": "text", "path": "a path", "file": "a file name"}
_ORDER = (
    IsNote,
    InFolder,
    HasTag,
    InPath,
    InFile,
    IsKind,
    HasProperty,
    InTimeRange,
    HasPhrase,
    MatchesPattern,
    InSection,
    InBlock,
    InTask,
    AnyOf,
    AllOf,
    Not,
)


def describe_query(query: Query, retrievers: Collection[Retriever] = ("keyword", "dense")) -> str:
    """
    Describe *query* as a fragment of a sentence, without a full stop.

    Args:
        retrievers: That take part: words alone are described as words.
    """
    clauses = describe_condition(query.condition)
    meant = sought_text(query)
    noun = f"notes {clauses}" if clauses else "notes" if meant else "all notes"
    if not meant:
        return noun
    return f"{noun}{',' if clauses else ''} {_sought(retrievers, meant)} {meant}"


def sought_text(query: Query) -> str:
    """The words of *query* to rank by, besides its phrases, which are conditions; "" if there are none."""
    return " ".join(query.words) if query.phrases else query.text


def in_order(condition: Condition) -> list[Condition]:
    """The parts of *condition* in the order in which they are said."""
    return sorted(condition.parts if isinstance(condition, AllOf) else (condition,), key=_rank)


def _sought(retrievers: Collection[Retriever], meant: str) -> str:
    match tuple(retrievers):
        case ("keyword",):
            return "with any of the words" if " " in meant else "with the word"
        case ("dense",):
            return "near in meaning to"
        case _:
            return "about"


def describe_condition(condition: Condition) -> str:
    """Describe *condition* by clauses that can follow "notes"; "" if it admits all notes."""
    return _join_clauses([_clause(part, negated=False) for part in in_order(condition)])


def _rank(condition: Condition) -> int:
    return _ORDER.index(type(condition))


def _join_clauses(clauses: list[str]) -> str:
    """Join *clauses*, with "and" between two that begin with the same word."""
    text, before = "", ""
    for clause in clauses:
        first_word = clause.partition(" ")[0]
        between = " and " if first_word == before else ", " if first_word == "either" else " "
        text += (between if text else "") + clause
        before = first_word
    return text


def _clause(condition: Condition, *, negated: bool) -> str:
    """*condition*, or its negation, as a clause that can follow "notes"."""
    if isinstance(condition, Not):
        return _clause(condition.part, negated=not negated)
    if isinstance(condition, AllOf | AnyOf):
        return _compound_clause(condition, negated=negated)
    says_not = "not " if negated else ""
    having = "without" if negated else "with"
    match condition:
        case HasPhrase(phrase, match_case):
            return f'{having} "{phrase}"{" in this case" if match_case else ""}'
        case MatchesPattern(pattern, place):
            return f"{having} {_MATCHED[place]} like /{pattern}/"
        case InSection(phrases, without):
            return f"{having} {_phrase_list(phrases, without)} in one section"
        case InBlock(unit, phrases, without):
            return f"{having} {_phrase_list(phrases, without)} in one {unit}"
        case InTask(_, phrases, without):
            return f"{having} {_task(condition)}{_task_text(phrases, without)}"
        case IsNote(path):
            return f"{says_not}the note {path}"
        case InFolder(folder):
            return f"{says_not}in {folder or 'the vault'}"
        case InPath(part):
            return f'{having} "{part}" in the path'
        case InFile(part):
            return f'{having} "{part}" in the file name'
        case IsKind(kind):
            return f"that are {says_not}{_KINDS[kind]}"
        case HasTag(tag):
            return f"{says_not}tagged #{tag}"
        case HasProperty(name, comparison, value):
            return _property(name, comparison, value, negated=negated)
        case InTimeRange(field):
            return f"{says_not}{field} {_when(condition)}"
        case _:
            assert_never(condition)


def _compound_clause(condition: AllOf | AnyOf, *, negated: bool) -> str:
    parts = [_clause(part, negated=negated) for part in condition.parts]
    if not parts:
        return "of any kind"
    if isinstance(condition, AllOf) != negated:
        return " and ".join(parts)
    inner = [f"({part})" if " and " in part else part for part in parts]
    return f"either {' or '.join(inner)}" if len(inner) > 1 else inner[0]


def _phrase_list(phrases: tuple[str, ...], without: tuple[str, ...]) -> str:
    held = " and ".join(f'"{phrase}"' for phrase in phrases) or "anything"
    return held + (f" but not {_any_of(without)}" if without else "")


def _task(condition: InTask) -> str:
    return {"any": "a task", "todo": "an open task", "done": "a finished task"}[condition.state]


def _task_text(phrases: tuple[str, ...], without: tuple[str, ...]) -> str:
    if not phrases:
        return f" that does not say {_any_of(without)}" if without else ""
    return f" that says {_phrase_list(phrases, without)}"


def _any_of(phrases: tuple[str, ...]) -> str:
    return " or ".join(f'"{phrase}"' for phrase in phrases)


def _property(name: str, comparison: PropertyComparison, value: str, *, negated: bool) -> str:
    if comparison == "exists":
        return f"{'without' if negated else 'with'} a property {name}"
    verb = "is not" if negated else "is"
    if comparison == "is":
        return f"whose {name} {verb} {value or 'empty'}"
    compared = _COMPARED_DAYS if _DAY.fullmatch(value) else _COMPARED
    return f"whose {name} {verb} {compared[comparison]} {value}"


def _when(condition: InTimeRange) -> str:
    period = period_of(condition)
    match period.kind:
        case "always" | "never":
            return "at any time" if period.kind == "always" else "at no time"
        case "between":
            return f"from {period.first} to {period.last}"
        case _:
            return f"{period.kind} {period.first}"
