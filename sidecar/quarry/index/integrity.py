"""
Whether the index still is what was written: SQLite's structure, our checksums, and the derived parts against the truth.

`check_structure` and `vector_index_agrees` look at everything; `verify_notes` goes note by note and may stop anywhere.
What only the last finds is damage inside values: SQLite has no checksums.
"""

from collections.abc import Iterator

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.errors import IndexDamaged
from quarry.index import meta
from quarry.index.checksums import is_note_sound, title_hash, vector_checksum
from quarry.index.database import Parts, select
from quarry.index.dense import MAX_NEIGHBOURS
from quarry.index.keyword_schema import table_exists
from quarry.index.rows import ChunkRow
from quarry.index.schema import TABLE_NAMES
from quarry.index.vectors import cosines

DISTANCE_TOLERANCE = 1e-5  # sqlite-vec adds in float32; one flipped bit of an int8 moves a cosine by 1e-4 and more


def quick_check(connection: apsw.Connection) -> None:
    """
    What is looked at on opening: the pages of every table hang together, and the tables are there.

    Table by table: asked for all at once, SQLite has FTS5 read its whole index as well, which `check_structure` does
    in idle time.

    Raises:
        IndexDamaged: They do not, or are not.
    """
    found = [
        row[0] for row in select(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    ]
    if missing := TABLE_NAMES - set(found):
        raise IndexDamaged(f"the index lacks the tables {', '.join(sorted(missing))}; it has to be rebuilt")
    for name in found:
        verdict = select(connection, "SELECT * FROM pragma_quick_check(?)", (name,))[0][0]
        if verdict != "ok":
            raise IndexDamaged(f"SQLite's quick_check found: {verdict}; the index has to be rebuilt")


def check_structure(connection: apsw.Connection, parts: Parts) -> None:
    """
    Every page and index, every reference between tables, and the keyword index against the text.

    Raises:
        IndexDamaged: Something does not fit.
    """
    verdict = connection.pragma("integrity_check")
    if verdict != "ok":
        raise IndexDamaged(f"SQLite's integrity_check found: {verdict}; the index has to be rebuilt")
    if broken := select(connection, "PRAGMA foreign_key_check"):
        raise IndexDamaged(f"a row of {broken[0][0]} belongs to nothing in {broken[0][2]}; the index has to be rebuilt")
    if parts.has_fts5:  # rank 1: also compare with what the views say, which finds what the default does not
        connection.execute("INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('integrity-check', 1)")
        connection.execute("INSERT INTO names_fts(names_fts, rank) VALUES ('integrity-check', 1)")


def verify_notes(connection: apsw.Connection, start_after: str | None, limit: int) -> tuple[list[str], str | None]:
    """
    Check every row of the next *limit* notes in the order of their paths.

    Returns:
        The paths of notes with a row that is not as it was written, and the path to go on after, None at the end.
    """
    notes: list[tuple[int, str]] = select(
        connection, "SELECT id, path FROM notes WHERE path > ? ORDER BY path LIMIT ?", (start_after or "", limit)
    )
    damaged = [path for note_id, path in notes if not _is_sound(connection, note_id)]
    return damaged, notes[-1][1] if len(notes) == limit else None


def vector_index_agrees(connection: apsw.Connection) -> bool:
    """
    Whether sqlite-vec holds exactly the vectors of the table `vectors`.

    It is asked what a search asks, for the distances to a fixed vector, as its tables are its own business.
    """
    dimension = meta.dimension(connection)
    if dimension is None:
        return not table_exists(connection, "chunks_vec")
    places = np.arange(dimension)
    probe = np.where(places % 3 == 0, 127, places % 89 - 44).astype(np.int8)  # any vector without a pattern of theirs
    return all(_range_agrees(connection, probe, first, last) for first, last in _ranges(connection))


def _range_agrees(connection: apsw.Connection, probe: NDArray[np.int8], first: int, last: int) -> bool:
    stored: list[tuple[int, bytes]] = select(
        connection,
        "SELECT chunk_id, vector FROM vectors WHERE chunk_id BETWEEN ? AND ? AND length(vector) > 0",
        (first, last),
    )
    found: dict[int, float] = dict(
        select(
            connection,
            "SELECT rowid, 1 - distance FROM chunks_vec WHERE embedding MATCH vec_int8(?) AND k = ?"
            " AND rowid IN (SELECT c.id FROM chunks c WHERE c.id BETWEEN ? AND ?)",
            (probe.tobytes(), MAX_NEIGHBOURS, first, last),
        )
    )
    if found.keys() != {chunk_id for chunk_id, _ in stored} or {len(vector) for _, vector in stored} - {len(probe)}:
        return False
    expected = cosines([vector for _, vector in stored], probe.astype(np.float32))
    return all(
        abs(found[chunk_id] - score) < DISTANCE_TOLERANCE for (chunk_id, _), score in zip(stored, expected, strict=True)
    )


def is_chunk_sound(row: ChunkRow, note_id: int, checksum: bytes) -> bool:
    """Whether a chunk's row is as it was written."""
    return row.checksum(note_id) == checksum


def _is_sound(connection: apsw.Connection, note_id: int) -> bool:
    if not is_note_sound(connection, note_id) or not _is_title_sound(connection, note_id):
        return False
    chunk_count = select(connection, "SELECT chunk_count FROM notes WHERE id = ?", (note_id,))[0][0]
    rows = select(
        connection,
        "SELECT c.checksum, v.vector, v.checksum, p.chunk_id, c.number, c.heading_path, c.section, c.text, c.context,"
        " c.first, c.last, c.first_utf16, c.line, c.shifts, c.content_hash FROM chunks c"
        " LEFT JOIN vectors v ON v.chunk_id = c.id LEFT JOIN pending p ON p.chunk_id = c.id"
        " WHERE c.note_id = ? ORDER BY c.number",
        (note_id,),
    )
    if [row[4] for row in rows] != list(range(chunk_count)):
        return False
    return all(_is_row_sound(note_id, *row) for row in rows)


def _is_title_sound(connection: apsw.Connection, note_id: int) -> bool:
    """Whether the vector of a note's title, if it has one, is as it was written, and for this title."""
    sql = "SELECT n.title, t.title_hash, t.vector, t.checksum FROM notes n JOIN title_vectors t ON t.note_id = n.id"
    rows = select(connection, sql + " WHERE n.id = ?", (note_id,))
    return all(
        key == title_hash(title) and checksum == vector_checksum(key, vector) for title, key, vector, checksum in rows
    )


def _is_row_sound(
    note_id: int,
    checksum: bytes,
    vector: bytes | None,
    of_vector: bytes | None,
    pending: int | None,
    *values: object,
) -> bool:
    row = ChunkRow(*values)  # type: ignore[arg-type]  # the columns in their order
    if not is_chunk_sound(row, note_id, checksum):
        return False
    if vector is None:
        return pending is not None
    return pending is None and vector_checksum(row.content_hash, vector) == of_vector


def _ranges(connection: apsw.Connection) -> Iterator[tuple[int, int]]:
    """Ranges `(first, last)` of chunk ids that hold at most as many vectors as sqlite-vec returns at once."""
    first = 0
    while True:
        rows = select(
            connection,
            "SELECT max(chunk_id) FROM (SELECT chunk_id FROM vectors WHERE chunk_id >= ? ORDER BY chunk_id LIMIT ?)",
            (first, MAX_NEIGHBOURS),
        )
        if rows[0][0] is None:
            return
        yield first, rows[0][0]
        first = rows[0][0] + 1
