"""
Whether the index is still as it was written: SQLite's structure, our checksums, derived tables against their source.

`check_opening` costs nothing, whatever the size; `check_pages` reads every page of every table once, right after the
start; `check_structure` checks everything in idle time; `verify_notes` goes note by note and may stop anywhere. Only
`verify_notes` finds damage inside values: SQLite has no checksums.
"""

import apsw

from quarry.errors import IndexDamaged
from quarry.index import meta
from quarry.index.database import Parts, select
from quarry.index.keys import (
    content_hash,
    content_number,
    fold_tag,
    id_range,
    target_key,
    target_number,
    title_hash,
    vector_checksum,
)
from quarry.index.links import is_map
from quarry.index.note_codec import NoteContent
from quarry.index.note_rows import NoteRow, note_from, note_rows
from quarry.index.postings.fields import NoteTerms, chunk_lengths, languages_in, name_length
from quarry.index.postings.fts5 import check_keyword_index
from quarry.index.schema import TABLE_NAMES
from quarry.index.vectors.kept_vectors import is_kept_name, kept_names
from quarry.index.vectors.rows import CONTEXTUAL_NAMES, VectorTables, contextual_model, vector_tables

_VECTORS_OF_NOTE = (
    "SELECT v.vector, v.checksum, p.chunk_id FROM chunk_rows r"
    " LEFT JOIN {vectors} v ON v.chunk_id = r.id LEFT JOIN {pending} p ON p.chunk_id = r.id"
    " WHERE r.id BETWEEN ? AND ? ORDER BY r.number"
)


def check_opening(connection: apsw.Connection) -> None:
    """
    Check on opening that the tables exist, that the first row of each can be read, and that the totals are numbers.

    SQLite itself checks on the first read that the file is as long as its header says.

    Raises:
        IndexDamaged: One of these fails.
    """
    tables = _tables(connection)
    if missing := TABLE_NAMES - set(tables):
        raise IndexDamaged(f"the index lacks the tables {', '.join(sorted(missing))}; it has to be rebuilt")
    has_contextual = contextual_model(connection) is not None
    if CONTEXTUAL_NAMES & set(tables) != (CONTEXTUAL_NAMES if has_contextual else frozenset()):
        raise IndexDamaged("the index has not the tables of contextual vectors that it says; it has to be rebuilt")
    if {*filter(is_kept_name, tables)} != kept_names(connection):
        raise IndexDamaged("the index has not the tables of kept vectors that it says; it has to be rebuilt")
    for name in tables:
        first_row = 'SELECT * FROM "' + name + '" LIMIT 1'  # our own names; a few pages of any index
        select(connection, first_row)
    try:
        meta.totals(connection)
    except ValueError as error:
        raise IndexDamaged("the index does not say how much it holds; it has to be rebuilt") from error


def check_pages(connection: apsw.Connection) -> None:
    """
    Check that the pages of every table hang together. Reads all of them: 120 MB take .1 s.

    Table by table: asked for all at once, SQLite has FTS5 read its whole index as well, which `check_structure` does
    in idle time.

    Raises:
        IndexDamaged: They do not.
    """
    for name in _tables(connection):
        verdict = select(connection, "SELECT * FROM pragma_quick_check(?)", (name,))[0][0]
        if verdict != "ok":
            raise IndexDamaged(f"SQLite's quick_check found: {verdict}; the index has to be rebuilt")


def _tables(connection: apsw.Connection) -> list[str]:
    found = select(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    return [name for (name,) in found]


def check_structure(connection: apsw.Connection, parts: Parts) -> None:
    """
    Check every page and index, every reference between tables, and the keyword index against the forward index.

    Raises:
        IndexDamaged: One of these fails.
    """
    verdict = connection.pragma("integrity_check")
    if verdict != "ok":
        raise IndexDamaged(f"SQLite's integrity_check found: {verdict}; the index has to be rebuilt")
    if broken := select(connection, "PRAGMA foreign_key_check"):
        raise IndexDamaged(f"a row of {broken[0][0]} belongs to nothing in {broken[0][2]}; the index has to be rebuilt")
    orphans = "SELECT id FROM chunk_rows WHERE note_id NOT IN (SELECT id FROM notes) LIMIT 1"
    if found := select(connection, orphans):
        raise IndexDamaged(f"chunk {found[0][0]} is of no note; the index has to be rebuilt")
    counted = select(connection, "SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM chunk_rows)")[0]
    if counted != meta.totals(connection):
        raise IndexDamaged(f"there are {counted} notes and chunks, not those it says; the index has to be rebuilt")
    if parts.has_fts5:
        check_keyword_index(connection)


def verify_notes(connection: apsw.Connection, start_after: str | None, limit: int) -> tuple[list[str], str | None]:
    """
    Check every row of the next *limit* notes in the order of their paths.

    Returns:
        The paths of notes with a row that is not as it was written, and the path to go on after, None at the end.
    """
    notes: list[tuple[int, str]] = select(
        connection, "SELECT id, path FROM notes WHERE path > ? ORDER BY path LIMIT ?", (start_after or "", limit)
    )
    rows = note_rows(connection, [note_id for note_id, _ in notes])
    damaged = [path for note_id, path in notes if note_id not in rows or not _is_sound(connection, rows[note_id])]
    return damaged, notes[-1][1] if len(notes) == limit else None


def _is_sound(connection: apsw.Connection, row: NoteRow) -> bool:
    """Whether every row of the note is as it was written."""
    if not row.is_sound:
        return False
    packed = row.packed_note()
    content, terms = packed.content(), packed.terms()
    derived = select(connection, "SELECT name_length, languages, is_map FROM notes WHERE id = ?", (row.note_id,))
    return (
        derived == [(name_length(terms.names), languages_in(terms), is_map(note_from(row.values, content)))]
        and _are_tags_and_links_sound(connection, row, content)
        and _are_chunks_sound(connection, row, content, terms)
        and all(_are_vectors_sound(connection, row, content, tables) for tables in vector_tables(connection))
    )


def _are_tags_and_links_sound(connection: apsw.Connection, row: NoteRow, content: NoteContent) -> bool:
    """Whether look-ups by tag and by link find the note; a surplus row of `links` does no harm: links are compared."""
    tags = select(connection, "SELECT tag, tag_key FROM tags WHERE note_id = ? ORDER BY position", (row.note_id,))
    if tags != [(tag, fold_tag(tag)) for tag in content.tags]:
        return False
    sql = "SELECT 1 FROM links WHERE target = ? AND note_id = ?"
    keys = {target_key(link.target) for link in content.links} - {""}
    return all(select(connection, sql, (target_number(key), row.note_id)) for key in keys)


def _are_chunks_sound(connection: apsw.Connection, row: NoteRow, content: NoteContent, terms: NoteTerms) -> bool:
    """Whether there is a row for each chunk of *content* and no other."""
    rows = select(
        connection,
        "SELECT id, number, content, length, note_length FROM chunk_rows WHERE id BETWEEN ? AND ? ORDER BY number",
        id_range(row.note_id),
    )
    first, _ = id_range(row.note_id)
    expected = [
        (first + slot, number, content_number(content_hash(chunk)), *chunk_lengths(fields))
        for number, (slot, chunk, fields) in enumerate(zip(content.slots, content.chunks, terms.chunks, strict=True))
    ]
    return rows == expected


def _are_vectors_sound(connection: apsw.Connection, row: NoteRow, content: NoteContent, tables: VectorTables) -> bool:
    """Whether each chunk has its vector or is pending, and the title's vector, if there is one, is for this title."""
    sql, key = tables.sql("SELECT title, vector, checksum FROM {titles} WHERE note_id = ?"), title_hash(row.title)
    for number, vector, checksum in select(connection, sql, (row.note_id,)):
        if number != content_number(key) or checksum != vector_checksum(key, vector):
            return False
    rows = select(connection, tables.sql(_VECTORS_OF_NOTE), id_range(row.note_id))
    return all(
        pending is not None if vector is None else pending is None and vector_checksum(key, vector) == checksum
        for key, (vector, checksum, pending) in zip(map(content_hash, content.chunks), rows, strict=True)
    )
