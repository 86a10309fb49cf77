"""
A condition as SQL on one note `n`.

Constant text with `?` for every value: what a person typed is only ever bound. Nothing in it is NULL, so that `NOT`
means what it says. What is dear (a regular expression, tasks) is asked of each note by itself and stands last, so that
SQLite asks it only about notes which the rest of the condition leaves open.
"""

from collections.abc import Sequence
from typing import assert_never

from quarry.conditions import (
    AnyOf,
    Condition,
    Dated,
    Every,
    HasProperty,
    Holds,
    InFile,
    InFolder,
    InPath,
    InSection,
    InTask,
    Matches,
    Not,
    Tagged,
)
from quarry.index.filters.text import held, in_section, matching, with_task
from quarry.index.folding import fold_marks, fold_tag
from quarry.index.sql import SqlFragment, join
from quarry.types import LAST_TIME_NS

_FILE_KEY = "substr(n.path_key, length(rtrim(n.path_key, replace(n.path_key, '/', ''))) + 1)"
_IN_RANGE = (  # of `path_key`, by the two indexes that make it up
    "(n.folded IS NULL AND n.path >= ? AND n.path < ? OR n.folded IS NOT NULL AND n.folded >= ? AND n.folded < ?)"
)
_DEAREST_FIRST = (Matches, InTask, InSection, Dated, HasProperty, Holds)
EVERY_NOTE, NO_NOTE = SqlFragment("1"), SqlFragment("0")


def note_sql(condition: Condition, *, has_fts5: bool) -> SqlFragment:
    """
    Whether *condition* admits the note `n`.

    Args:
        has_fts5: Whether there is a keyword index; without it, words are looked for as they are written, in any case.

    Raises:
        BadQuery: A regular expression cannot be used on this machine.
    """
    match condition:
        case Every(parts):
            return join(" AND ", [note_sql(part, has_fts5=has_fts5) for part in _cheapest_first(parts)], EVERY_NOTE)
        case AnyOf(parts):
            return join(" OR ", [note_sql(part, has_fts5=has_fts5) for part in _cheapest_first(parts)], NO_NOTE)
        case Not(part):
            return note_sql(part, has_fts5=has_fts5).wrap("NOT (", ")")
        case Holds(phrase):
            return held(phrase, has_fts5=has_fts5)
        case Matches():
            return matching(condition)
        case InSection():
            return in_section(condition, has_fts5=has_fts5)
        case InTask():
            return with_task(condition, has_fts5=has_fts5)
        case InFolder(folder):
            return _below(fold_marks(folder).strip("/"))
        case InPath(part):
            return SqlFragment("instr(n.path_key, ?) > 0", (fold_marks(part),))
        case InFile(part):
            return SqlFragment(f"instr({_FILE_KEY}, ?) > 0", (fold_marks(part),))
        case Tagged(tag):
            return _tagged(fold_tag(tag))
        case HasProperty():
            return _with_property(condition)
        case Dated():
            return _dated(condition)
        case _:
            assert_never(condition)


def _cheapest_first(parts: Sequence[Condition]) -> list[Condition]:
    return sorted(parts, key=_cost)


def _cost(condition: Condition) -> int:
    if isinstance(condition, Not):
        return _cost(condition.part)
    if isinstance(condition, Every | AnyOf):
        return max(map(_cost, condition.parts), default=0)
    kind = type(condition)
    return len(_DEAREST_FIRST) - _DEAREST_FIRST.index(kind) if kind in _DEAREST_FIRST else 0


def _below(key: str) -> SqlFragment:
    """A range of the sorted keys, `a/` up to `a0`, as `0` follows `/`; "" is the vault itself."""
    return SqlFragment(_IN_RANGE, (key + "/", key + "0") * 2) if key else EVERY_NOTE


def _tagged(key: str) -> SqlFragment:
    """Holding the tag itself or one nested below it."""
    sql = "n.id IN (SELECT t.note_id FROM tags t WHERE t.tag_key = ? OR (t.tag_key >= ? AND t.tag_key < ?))"
    return SqlFragment(sql, (key, key + "/", key + "0"))


def _with_property(wanted: HasProperty) -> SqlFragment:
    """The property by its name, or for `exists` a map of that name, whose entries are properties `name.entry`."""
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


def _dated(wanted: Dated) -> SqlFragment:
    """A time in nanoseconds or, from the front matter, in milliseconds; NULL there is no such time."""
    if wanted.field == "modified":
        column, unit, guard = "n.mtime_ns", 1_000_000, []
    else:
        column, unit, guard = "created_ms(n.properties)", 1, [SqlFragment(_MAY_SAY_WHEN_CREATED)]
    bounds = [("<=", wanted.from_ms), (">", wanted.until_ms)]
    found = [SqlFragment(f"ifnull(? {sign} {column}, 0)", (_bound(ms, unit),)) for sign, ms in bounds if ms is not None]
    if not found and wanted.field == "created":
        found = [SqlFragment(f"{column} IS NOT NULL")]
    return join(" AND ", [*guard, *found], EVERY_NOTE)


_MAY_SAY_WHEN_CREATED = "(n.properties LIKE '%creat%' OR n.properties LIKE '%date%')"


def _bound(milliseconds: int, unit: int) -> int:
    """A time as the index holds it; one beyond all that it can hold is as good as the last."""
    return max(-LAST_TIME_NS, min(milliseconds * unit, LAST_TIME_NS))
