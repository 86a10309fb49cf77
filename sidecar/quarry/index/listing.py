"""Lists of notes and of problems: newest first, with the passage by which each note is shown."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from unicodedata import normalize

import apsw
import numpy as np

from quarry.conditions import MATCH_ALL, AllOf, AnyOf, Condition, HasPhrase, InBlock, InTask, MatchesPattern
from quarry.index import meta
from quarry.index.database import SqlFragment, join, select
from quarry.index.filters.filter import (
    CREATED_OF_NOTE,
    chunk_matching,
    chunk_with_cased_phrase,
    chunk_with_unit,
)
from quarry.index.filters.phrase_filter import WrittenPhrases
from quarry.index.keys import NoteIds, id_list, id_range, target_key
from quarry.index.note_rows import read_list
from quarry.index.records import IndexedFile, Newest, NotePage, NoteSummary, Problem
from quarry.lazy_pattern import lazy_pattern
from quarry.messages import Message, from_json, to_json
from quarry.options import SortOrder
from quarry.types import Candidate, FileStamp

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
    return tuple([int(part) if at % 2 else part for at, part in enumerate(_DIGITS.split(target_key(path)))])


def newest(
    connection: apsw.Connection,
    admitted: NoteIds | None,
    condition: Condition,
    phrases: WrittenPhrases,
    depth: int,
    order: SortOrder = "modified",
    offset: int = 0,
) -> Newest:
    """
    The *depth* newest of the *admitted* notes, each by the first passage that shows why it meets *condition*.

    With another *order*, the first in that; those before *offset* are left out.

    That passage holds a wanted task, line or block, a match of a regular expression, or a phrase in the wanted case;
    without any of these it is the note's first. A note
    without any passage is not listed.
    """
    rows = ordered_notes(connection, admitted, order, depth, offset)
    total = among(admitted).wrap("SELECT count(*) FROM notes n WHERE n.chunk_count > 0 AND ")
    showing = _first_chunk(condition, phrases)
    found = []
    for note_id, path, modified_ms in rows:
        chunk_id, number = select(connection, showing.text, (*id_range(note_id), *showing.bindings))[0]
        found.append(Candidate(chunk_id, path, number, modified_ms))
    return Newest(tuple(found), select(connection, total.text, total.bindings)[0][0])


def newest_of_all(connection: apsw.Connection, depth: int) -> Newest:
    """
    The *depth* newest of all notes, each by its first passage: what a query with nothing to rank by finds.

    SQLite goes through all notes for it, 7 ms for 17,000.
    """
    return newest(connection, None, MATCH_ALL, WrittenPhrases(), depth)


def page(connection: apsw.Connection, admitted: NoteIds | None, limit: int, offset: int) -> NotePage:
    """Some *admitted* notes, newest first, and how many there are in all."""
    chosen = among(admitted).wrap(" FROM notes n WHERE ")
    some = chosen.wrap(
        "SELECT n.path, n.title, json_extract(n.properties, '$.type'), json_extract(n.properties, '$.domain'),"
        " json_extract(n.properties, '$.status'), (SELECT json_group_array(tag) FROM (SELECT tag FROM tags"
        " WHERE note_id = n.id ORDER BY position)), n.mtime_ns / 1000000, n.size_bytes, n.chunk_count",
        NEWEST_FIRST + " LIMIT ? OFFSET ?",
    )
    rows = select(connection, some.text, (*some.bindings, limit, offset))
    notes = tuple(
        NoteSummary(path, title, _text(kind), _text(domain), _text(status), read_list(tags), *numbers)
        for path, title, kind, domain, status, tags, *numbers in rows
    )
    total = chosen.wrap("SELECT count(*)")
    return NotePage(notes, select(connection, total.text, total.bindings)[0][0])


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def id_of(connection: apsw.Connection, path: str) -> int | None:
    """The id of the note at *path*, which may be spelled in any Unicode composition; None if there is none."""
    sql = "SELECT id FROM notes WHERE path = ?1 OR composed = ?1 ORDER BY path <> ?2, path LIMIT 1"
    found = select(connection, sql, (normalize("NFC", path), path))
    return found[0][0] if found else None


def stamps_at(connection: apsw.Connection, places: Iterable[str]) -> dict[str, FileStamp]:
    """The file stamps of notes at or below one of *places*, which are in NFC, by path."""
    sql = (  # "0" is what follows "/"
        "SELECT path, size_bytes, mtime_ns, sha256, ctime_ns FROM notes WHERE path = ?1 OR composed = ?1"
        " OR path > ?1 || '/' AND path < ?1 || '0' OR composed > ?1 || '/' AND composed < ?1 || '0'"
    )
    rows = [row for place in places for row in select(connection, sql, (place,))]
    return {path: FileStamp(*stamp) for path, *stamp in rows}


def indexed_files(connection: apsw.Connection) -> list[IndexedFile]:
    """Every note, in no order."""
    sql = "SELECT id, path, size_bytes, mtime_ns, ctime_ns FROM notes"
    return [IndexedFile(*row) for row in select(connection, sql)]


def content_hashes(connection: apsw.Connection, paths: Iterable[str], least_bytes: int) -> dict[str, bytes]:
    """Path, spelled as on disk -> SHA-256 of the file as it was indexed, of notes of at least *least_bytes*."""
    sql = "SELECT path, sha256 FROM notes WHERE path IN (SELECT value FROM json_each(?)) AND size_bytes >= ?"
    return dict(select(connection, sql, (json.dumps(list(paths)), least_bytes)))


def count_chunks(connection: apsw.Connection, admitted: NoteIds | None, limit: int) -> int:
    """The number of chunks of the *admitted* notes, counted no further than *limit*."""
    if admitted is None:
        return min(limit, meta.chunk_count(connection))
    few = admitted[:limit]  # every note has a chunk, so that these are enough
    counted = among(few).wrap("SELECT ifnull(sum(n.chunk_count), 0) FROM notes n WHERE ")
    return min(limit, int(select(connection, counted.text, counted.bindings)[0][0]))


def first_chunk(connection: apsw.Connection, note_id: int) -> int | None:
    """The id of the first chunk of a note; None where it has none."""
    rows = select(
        connection, "SELECT id FROM chunks WHERE id BETWEEN ? AND ? ORDER BY number LIMIT 1", id_range(note_id)
    )
    return rows[0][0] if rows else None


def _first_chunk(condition: Condition, phrases: WrittenPhrases) -> SqlFragment:
    """SQL: the chunk of a note, by its range of ids, that matches most parts of *condition*; the first of equals."""
    evidence = [piece.wrap("(", ")") for piece in _evidence(condition, phrases)]
    best = join(" + ", evidence, SqlFragment("NULL"))
    return best.wrap(
        "SELECT c.id, c.number FROM chunks c WHERE c.id BETWEEN ? AND ? ORDER BY ", " DESC, c.number LIMIT 1"
    )


def _evidence(condition: Condition, phrases: WrittenPhrases) -> Sequence[SqlFragment]:
    """The parts of *condition* that a single chunk can show, each as a condition on the chunk `c`."""
    if isinstance(condition, AllOf | AnyOf):
        return [piece for part in condition.parts for piece in _evidence(part, phrases)]
    if isinstance(condition, MatchesPattern) and condition.place == "text":
        return [chunk_matching(condition)]
    if isinstance(condition, HasPhrase) and condition.match_case:
        return [chunk_with_cased_phrase(condition.phrase, phrases)]
    if isinstance(condition, InBlock | InTask):
        return [chunk_with_unit(condition, phrases)]
    return []


_ALL = (
    " FROM (SELECT path, reason, skipped FROM problems UNION ALL"
    " SELECT n.path, p.value, 0 FROM notes n, json_each(n.problems) p WHERE n.problems <> '[]')"
)
_FIRST = "SELECT path, reason, skipped" + _ALL + " ORDER BY path, reason LIMIT ?"
_OF_PATH = "SELECT path, reason, skipped" + _ALL + " WHERE path = ?"
_COUNT = "SELECT count(*)" + _ALL


def record_problem(connection: apsw.Connection, path: str, reason: Message, skipped: bool) -> None:
    """Record a problem of the file at *path*, in place of an earlier one; *skipped*: it is not in the index."""
    connection.execute(
        "INSERT INTO problems VALUES (?1,?2,?3) ON CONFLICT DO UPDATE SET reason = ?2, skipped = ?3",
        (_printable(path), to_json(reason), int(skipped)),
    )


def paths_with_problem(connection: apsw.Connection, paths: Iterable[str]) -> list[str]:
    """The subset of *paths* that have a recorded problem."""
    sql = "SELECT 1 FROM problems WHERE path = ?"
    return [path for path in paths if select(connection, sql, (_printable(path),))]


def clear_problem(connection: apsw.Connection, path: str) -> None:
    """Delete the recorded problem of the file at *path*, if there is one."""
    connection.execute("DELETE FROM problems WHERE path = ?", (_printable(path),))


def replace_skipped(connection: apsw.Connection, skipped: Mapping[str, Message]) -> None:
    """Record *skipped*, path -> reason, in place of all files that were skipped before; other problems stay."""
    connection.execute("DELETE FROM problems WHERE skipped")
    rows = [(_printable(path), to_json(reason)) for path, reason in skipped.items()]
    connection.executemany("INSERT OR REPLACE INTO problems VALUES (?, ?, 1)", rows)


def first_problems(connection: apsw.Connection, limit: int) -> list[Problem]:
    """The first *limit* problems, by path and reason: those recorded and those of indexed notes."""
    return [_problem(*row) for row in select(connection, _FIRST, (limit,))]


def problems_of(connection: apsw.Connection, path: str) -> list[Problem]:
    """The problems of the file at *path*, spelled as on disk."""
    return [_problem(*row) for row in select(connection, _OF_PATH, (path,))]


def _problem(path: str, reason: str, skipped: int) -> Problem:
    return Problem(path, from_json(reason), bool(skipped))


def problem_count(connection: apsw.Connection) -> int:
    """The number of all problems."""
    found: list[tuple[int]] = select(connection, _COUNT)
    return found[0][0]


def _printable(text: str) -> str:
    """*text* with invalid Unicode escaped: a file name of odd bytes must not keep its own report away."""
    return text.encode("utf-8", "backslashreplace").decode()


def every_note(connection: apsw.Connection) -> NoteIds:
    """The ids of all notes, ascending."""
    rows = select(connection, "SELECT id FROM notes ORDER BY id", ())
    return np.fromiter((note_id for (note_id,) in rows), dtype=np.int64, count=len(rows))
