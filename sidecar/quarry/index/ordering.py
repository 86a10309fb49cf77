"""Notes in an order that a person can read off a list: newest first, by when they were created, by file name."""

from typing import TypeAlias

import apsw

from quarry.index.database import select
from quarry.index.filters.filter import CREATED_OF_NOTE
from quarry.index.folding import fold_name
from quarry.index.ids import NoteIds, id_list
from quarry.index.sql import SqlFragment
from quarry.lazy_pattern import lazy_pattern
from quarry.types import SortOrder

NEWEST_FIRST = " ORDER BY n.mtime_ns DESC, n.path"

_ADMITTED = "n.id IN (SELECT value FROM json_each(?))"
_CREATED_LAST_FIRST = f" ORDER BY {CREATED_OF_NOTE} DESC NULLS LAST, n.mtime_ns DESC, n.path"
_DIGITS = lazy_pattern(r"(\d+)")

OrderedNote: TypeAlias = tuple[int, str, float]
"""A note's id, path and time of change in milliseconds."""


def among(admitted: NoteIds | None) -> SqlFragment:
    """SQL: whether the note `n` is *admitted*."""
    return SqlFragment("1") if admitted is None else SqlFragment(_ADMITTED, (id_list(admitted),))


def ordered_notes(
    connection: apsw.Connection, admitted: NoteIds | None, order: SortOrder, limit: int, offset: int
) -> list[OrderedNote]:
    """
    The *admitted* notes with a passage in *order*, *limit* of them behind the first *offset*.

    By relevance to nothing, the newest come first. Notes whose front matter does not say when they were created come
    last, the newest first. Numbers in names count as numbers: `Week 2` comes before `Week 10`. The path decides ties.
    """
    chosen = among(admitted).wrap("SELECT n.id, n.path, n.mtime_ns / 1e6 FROM notes n WHERE n.chunk_count > 0 AND ")
    if order == "name":
        rows: list[OrderedNote] = select(connection, chosen.text, chosen.bindings)
        rows.sort(key=lambda row: (_name_key(row[1]), row[1]))
        return rows[offset : offset + limit]
    page = chosen.wrap("", (_CREATED_LAST_FIRST if order == "created" else NEWEST_FIRST) + " LIMIT ? OFFSET ?")
    found: list[OrderedNote] = select(connection, page.text, (*page.bindings, limit, offset))
    return found


def _name_key(path: str) -> tuple[str | int, ...]:
    """The sort key of a file name: texts and numbers in turns, so that 2 comes before 10."""
    return tuple([int(part) if at % 2 else part for at, part in enumerate(_DIGITS.split(fold_name(path)))])
