"""
Which notes match a condition, and which part of it a note fails.

A search asks once; every retriever then sees only the notes that match, before anything is ranked or cut.

A condition is compiled to SQL on one note `n`. The SQL is constant text with `?` for every value: what a person typed
is only ever bound. No part of it is NULL, so that `NOT` means what it says. What is expensive (a regular expression,
tasks) is asked of each note by itself and comes last, so that SQLite evaluates it only for notes that the rest of the
condition leaves open.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import assert_never, cast
from unicodedata import normalize

import apsw
import numpy as np
from msgspec.structs import astuple

from quarry.analysis.analysis import Languages
from quarry.analysis.patterns import BadPattern, bad_pattern, compile_pattern
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
from quarry.index.database import Deadline, SqlFragment, SqlValue, concat, join, select
from quarry.index.filters.block_filter import holds_cased, holds_unit
from quarry.index.filters.phrase_filter import ALWAYS, ANY_CHUNK, WrittenPhrases
from quarry.index.filters.properties import created_ms, stands
from quarry.index.keys import NoteIds, fold_case, fold_marks, fold_tag
from quarry.kinds import SUFFIXES, DocumentKind
from quarry.types import LAST_TIME_NS, PropertyValue

_FILE_KEY = "substr(n.path_key, length(rtrim(n.path_key, replace(n.path_key, '/', ''))) + 1)"
_IN_RANGE = (  # of `path_key`, by the two indexes that make it up
    "(n.folded IS NULL AND n.path >= ? AND n.path < ? OR n.folded IS NOT NULL AND n.folded >= ? AND n.folded < ?)"
)
_MOST_EXPENSIVE_FIRST = (MatchesPattern, InTask, InBlock, InSection, InTimeRange, HasProperty, HasPhrase)
_MAY_SAY_WHEN_CREATED = "(n.properties LIKE '%creat%' OR n.properties LIKE '%date%')"
_TIMES = {"modified": ("n.mtime_ns", 1_000_000), "created": ("created_ms(n.properties)", 1)}  # column, units in a ms
CREATED_OF_NOTE = f"CASE WHEN {_MAY_SAY_WHEN_CREATED} THEN created_ms(n.properties) END"
"""SQL: when the note `n` was created by its front matter, in milliseconds; NULL where it does not say."""
_FILE = "substr(n.path, length(rtrim(n.path, replace(n.path, '/', ''))) + 1)"
_PLACES = {"path": "n.path", "file": _FILE}
_LOOKS_LIKE_TASK = SqlFragment("instr(c.text, ' [') > 0 AND instr(c.text, '] ') > 0")  # five times faster than GLOB
_EVERY_SECTION = SqlFragment("SELECT note_id, section FROM chunks")

EVERY_NOTE, NO_NOTE = SqlFragment("1"), SqlFragment("0")


def matching_notes(
    connection: apsw.Connection, condition: Condition, phrases: WrittenPhrases, deadline: Deadline
) -> NoteIds | None:
    """
    The notes that match *condition*; None: every note.

    Raises:
        BadQuery: A regular expression cannot be used on this machine.
        DeadlineExceeded, Cancelled: *deadline* says so.
    """
    compiled = compile_condition(condition, phrases)
    if compiled == EVERY_NOTE:
        return None
    question = compiled.wrap("SELECT n.id FROM notes n WHERE ", " ORDER BY n.id")
    with deadline.over(connection):
        rows = select(connection, question.text, question.bindings)
    return np.fromiter((note_id for (note_id,) in rows), dtype=np.int64, count=len(rows))


def first_failing_condition(
    connection: apsw.Connection, condition: Condition, note_id: int, phrases: WrittenPhrases, deadline: Deadline
) -> Condition | None:
    """
    The first part of *condition* that the note *note_id* fails; None when it matches.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `matching_notes`.
    """
    with deadline.over(connection):
        for part in condition.parts if isinstance(condition, AllOf) else (condition,):
            question = compile_condition(part, phrases).wrap("SELECT 1 FROM notes n WHERE n.id = ? AND ")
            if not select(connection, question.text, (note_id, *question.bindings)):
                return part
    return None


# --- compiling a condition to SQL ---------------------------------------------------------------


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
        case HasPhrase(phrase, match_case):
            return _with_cased_phrase(phrase, phrases) if match_case else phrases.in_note(phrase)
        case MatchesPattern():
            return _matching(condition)
        case InSection():
            return _in_section(condition, phrases)
        case InBlock() | InTask():
            return chunk_with_unit(condition, phrases).wrap(ANY_CHUNK, ")")
        case IsNote(path):
            return SqlFragment("(n.path = ? OR n.composed IS ?)", (normalize("NFC", path),) * 2)
        case InFolder(folder):
            return _below(fold_marks(folder).strip("/"))
        case InPath(part):
            return _holding("n.path_key", fold_marks(part))
        case InFile(part):
            return _holding(_FILE_KEY, fold_marks(part))
        case IsKind(kind):
            return _of_kind(kind)
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


def _holding(key: str, part: str) -> SqlFragment:
    """Whether *key* contains *part*, in which `*` stands for any characters."""
    if "*" not in part:
        return SqlFragment(f"instr({key}, ?) > 0", (part,))
    pieces = ["".join(f"\\{sign}" if sign in "\\%_" else sign for sign in piece) for piece in part.split("*")]
    return SqlFragment(f"{key} LIKE ? ESCAPE '\\'", (f"%{'%'.join(pieces)}%",))


def _of_kind(kind: DocumentKind) -> SqlFragment:
    """Whether the note is a file of that kind: by its extension in any case, as `kind_of` has it."""
    return SqlFragment("n.path LIKE ?", (f"%{SUFFIXES[kind]}",))


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


# --- text: a regular expression, phrases in one section, a task ---------------------------------


def _matching(wanted: MatchesPattern) -> SqlFragment:
    """
    Whether the regular expression matches in the note's text, path or file name.

    Raises:
        BadQuery: It cannot be used on this machine.
    """
    try:
        compile_pattern(wanted.pattern)
    except BadPattern as error:
        raise bad_pattern(wanted.pattern, error, 0) from error
    if wanted.place == "text":
        return chunk_matching(wanted).wrap(ANY_CHUNK, ")")
    return SqlFragment(f"matches(?, {_PLACES[wanted.place]})", (wanted.pattern,))


def _in_section(wanted: InSection, phrases: WrittenPhrases) -> SqlFragment:
    """Whether one section, by note and heading trail, holds each of the wanted phrases and none of the excluded."""
    found = [_sections(phrase, phrases) for phrase in wanted.phrases] or [_EVERY_SECTION]
    without = [_sections(phrase, phrases).wrap(" EXCEPT ") for phrase in wanted.without]
    sections = concat("", [concat(" INTERSECT ", found), *without])
    return sections.wrap("n.id IN (SELECT note_id FROM (", "))")


def _with_cased_phrase(phrase: str, phrases: WrittenPhrases) -> SqlFragment:
    """Whether the note holds *phrase* in its text, title or aliases, in exactly this case."""
    in_alias = SqlFragment("EXISTS (SELECT 1 FROM json_each(n.aliases) a WHERE has_cased(a.value, ?))", (phrase,))
    in_text = chunk_with_cased_phrase(phrase, phrases).wrap(ANY_CHUNK, ")")
    cased = join(" OR ", [SqlFragment("has_cased(n.title, ?)", (phrase,)), in_alias, in_text], NO_NOTE)
    return join(" AND ", [phrases.in_note(phrase), cased], NO_NOTE)


def chunk_with_cased_phrase(phrase: str, phrases: WrittenPhrases) -> SqlFragment:
    """Whether the chunk `c` holds *phrase* in exactly this case."""
    cased = SqlFragment("has_cased(c.text, ?)", (phrase,))
    cheap = phrases.may_be_in_text(phrase)
    return cased if cheap == ALWAYS else join(" AND ", [cheap, cased], ALWAYS)


def chunk_with_unit(wanted: InBlock | InTask, phrases: WrittenPhrases) -> SqlFragment:
    """Whether a line, block or task of the chunk `c` meets *wanted*."""
    cheap = [each for each in map(phrases.may_be_in_text, wanted.phrases) if each != ALWAYS]
    if isinstance(wanted, InTask):
        cheap.append(_LOOKS_LIKE_TASK)
    encoded = json.dumps([type(wanted).__name__, astuple(wanted), phrases.languages])
    return join(" AND ", [*cheap, SqlFragment("has_unit(c.text, ?)", (encoded,))], ALWAYS)


def chunk_matching(wanted: MatchesPattern) -> SqlFragment:
    """Whether the regular expression matches in the text of the chunk `c`."""
    return SqlFragment("matches(?, c.text)", (wanted.pattern,))


def _sections(phrase: str, phrases: WrittenPhrases) -> SqlFragment:
    """Notes and heading trails of the chunks that hold *phrase*."""
    return phrases.in_section(phrase).wrap("SELECT c.note_id, c.section FROM chunks c WHERE ")


# --- what SQL asks Python about a note ----------------------------------------------------------


def register_functions(connection: apsw.Connection) -> None:
    """Register the SQL functions that compiled conditions call on *connection*."""
    functions: dict[str, tuple[Callable[..., SqlValue], int]] = {
        "fold_case": (_fold_case, 1),
        "fold_marks": (_fold_marks, 1),
        "matches": (_matches, 2),
        "has_cased": (_has_cased, 2),
        "has_unit": (_has_unit, 2),
        "property_stands": (_property_stands, 4),
        "created_ms": (_created_ms, 1),
    }
    for name, (function, count) in functions.items():
        connection.create_scalar_function(name, function, count, deterministic=True)


def _fold_case(text: SqlValue) -> str:
    return fold_case(str(text))


def _fold_marks(text: SqlValue) -> str | None:
    return None if text is None else fold_marks(str(text))


def _matches(pattern: SqlValue, text: SqlValue) -> bool:
    return compile_pattern(str(pattern)).search(str(text)) is not None


def _has_cased(text: SqlValue, phrase: SqlValue) -> bool:
    return holds_cased(str(text), str(phrase))


def _has_unit(text: SqlValue, wanted: SqlValue) -> bool:
    return holds_unit(str(text), *_decoded(str(wanted)))


@lru_cache(maxsize=64)
def _decoded(wanted: str) -> tuple[InBlock | InTask, Languages]:
    """What `chunk_with_unit` encoded: it comes with the text of every chunk."""
    kind, (unit, phrases, without), languages = json.loads(wanted)
    condition = InTask if kind == InTask.__name__ else InBlock
    return condition(unit, tuple(phrases), tuple(without)), tuple(languages)


def _property_stands(kind: SqlValue, value: SqlValue, comparison: SqlValue, wanted: SqlValue) -> bool:
    """Compare *value*, of type *kind*, as `json_each` gives them: a list is its JSON, a truth value a number."""
    read: PropertyValue = "" if value is None or isinstance(value, bytes) else value
    if kind == "array":
        read = tuple(json.loads(str(value)))
    elif kind in ("true", "false"):
        read = kind == "true"
    return stands(read, cast("PropertyComparison", comparison), str(wanted))


def _created_ms(properties: SqlValue) -> int | None:
    try:
        read = json.loads(str(properties))
    except ValueError:  # a damaged row, which its checksum will tell when the note is shown
        return None
    return created_ms({name: tuple(value) if isinstance(value, list) else value for name, value in read.items()})
