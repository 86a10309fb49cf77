"""
Compiles a condition to SQL on one note `n`.

The SQL is constant text with `?` for every value: what a person typed is only ever bound. No part of it is NULL, so
that `NOT` means what it says. What is expensive (a regular expression, tasks) is asked of each note by itself and comes
last, so that SQLite evaluates it only for notes that the rest of the condition leaves open.
"""

from collections.abc import Sequence
from typing import assert_never

from quarry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    HasProperty,
    HasTag,
    InFile,
    InFolder,
    InPath,
    InSection,
    InTask,
    InTimeRange,
    MatchesPattern,
    Not,
)
from quarry.index.filters.phrases import WrittenPhrases
from quarry.index.filters.text import in_section, matching, with_task
from quarry.index.folding import fold_marks, fold_tag
from quarry.index.sql import SqlFragment, join
from quarry.types import LAST_TIME_NS

_FILE_KEY = "substr(n.path_key, length(rtrim(n.path_key, replace(n.path_key, '/', ''))) + 1)"
_IN_RANGE = (  # of `path_key`, by the two indexes that make it up
    "(n.folded IS NULL AND n.path >= ? AND n.path < ? OR n.folded IS NOT NULL AND n.folded >= ? AND n.folded < ?)"
)
_MOST_EXPENSIVE_FIRST = (MatchesPattern, InTask, InSection, InTimeRange, HasProperty, HasPhrase)
_MAY_SAY_WHEN_CREATED = "(n.properties LIKE '%creat%' OR n.properties LIKE '%date%')"
_TIMES = {"modified": ("n.mtime_ns", 1_000_000), "created": ("created_ms(n.properties)", 1)}  # column, units in a ms
EVERY_NOTE, NO_NOTE = SqlFragment("1"), SqlFragment("0")


def compile_condition(condition: Condition, phrases: WrittenPhrases) -> SqlFragment:
    """
    Whether the note `n` meets *condition*.

    Args:
        phrases: How phrases are found.

    Raises:
        BadQuery: A regular expression cannot be used on this machine.
    """
    match condition:
        case AllOf(parts):
            return join(" AND ", [compile_condition(part, phrases) for part in _cheapest_first(parts)], EVERY_NOTE)
        case AnyOf(parts):
            return join(" OR ", [compile_condition(part, phrases) for part in _cheapest_first(parts)], NO_NOTE)
        case Not(part):
            return compile_condition(part, phrases).wrap("NOT (", ")")
        case HasPhrase(phrase):
            return phrases.in_note(phrase)
        case MatchesPattern():
            return matching(condition)
        case InSection():
            return in_section(condition, phrases)
        case InTask():
            return with_task(condition, phrases)
        case InFolder(folder):
            return _below(fold_marks(folder).strip("/"))
        case InPath(part):
            return SqlFragment("instr(n.path_key, ?) > 0", (fold_marks(part),))
        case InFile(part):
            return SqlFragment(f"instr({_FILE_KEY}, ?) > 0", (fold_marks(part),))
        case HasTag(tag):
            return _tagged(fold_tag(tag))
        case HasProperty():
            return _with_property(condition)
        case InTimeRange():
            return _dated(condition)
        case _:
            assert_never(condition)


def _cheapest_first(parts: Sequence[Condition]) -> list[Condition]:
    return sorted(parts, key=_cost)


def _cost(condition: Condition) -> int:
    if isinstance(condition, Not):
        return _cost(condition.part)
    if isinstance(condition, AllOf | AnyOf):
        return max(map(_cost, condition.parts), default=0)
    kind = type(condition)
    return len(_MOST_EXPENSIVE_FIRST) - _MOST_EXPENSIVE_FIRST.index(kind) if kind in _MOST_EXPENSIVE_FIRST else 0


def _below(key: str) -> SqlFragment:
    """Whether the note lies below a folder: a range of the sorted keys, `a/` up to `a0`, as `0` follows `/`."""
    return SqlFragment(_IN_RANGE, (key + "/", key + "0") * 2) if key else EVERY_NOTE


def _tagged(key: str) -> SqlFragment:
    """Whether the note has the tag, or one nested below it."""
    sql = "n.id IN (SELECT t.note_id FROM tags t WHERE t.tag_key = ? OR (t.tag_key >= ? AND t.tag_key < ?))"
    return SqlFragment(sql, (key, key + "/", key + "0"))


def _with_property(wanted: HasProperty) -> SqlFragment:
    """Whether the note has the property; for `exists` also a map of that name, whose entries are `name.entry`."""
    fold = "lower" if wanted.name.isascii() else "fold_marks"  # SQLite's own is ten times faster
    name = fold_marks(wanted.name)
    found = SqlFragment(f"{fold}(p.key) = ?", (name,))
    if wanted.comparison == "exists":
        nested = SqlFragment(f"substr({fold}(p.key), 1, ?) = ?", (len(name) + 1, name + "."))
        found = join(" OR ", [found, nested], NO_NOTE)
    else:
        stands = SqlFragment("property_stands(p.type, p.value, ?, ?)", (wanted.comparison, wanted.value))
        found = join(" AND ", [found, stands], EVERY_NOTE)
    return found.wrap("EXISTS (SELECT 1 FROM json_each(n.properties) p WHERE ", ")")


def _dated(wanted: InTimeRange) -> SqlFragment:
    """Whether the note's time lies in a range; a note that does not say when it was created lies in none."""
    column, unit = _TIMES[wanted.field]
    found = [SqlFragment(_MAY_SAY_WHEN_CREATED)] if wanted.field == "created" else []
    if wanted.from_ms is not None:
        found.append(SqlFragment(f"ifnull(? <= {column}, 0)", (_bound(wanted.from_ms, unit),)))
    if wanted.until_ms is not None:
        found.append(SqlFragment(f"ifnull(? > {column}, 0)", (_bound(wanted.until_ms, unit),)))
    if wanted.field == "created" and wanted.from_ms is None and wanted.until_ms is None:
        found.append(SqlFragment(f"{column} IS NOT NULL"))
    return join(" AND ", found, EVERY_NOTE)


def _bound(milliseconds: int, unit: int) -> int:
    """A time in the units of its column, at most the last that the index can hold."""
    return max(-LAST_TIME_NS, min(milliseconds * unit, LAST_TIME_NS))
