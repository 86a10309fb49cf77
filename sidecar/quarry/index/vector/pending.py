"""Chunks and titles that wait for a vector, and vectors that need not be computed again."""

import json
from collections.abc import Sequence

import apsw

from quarry.index.checksums import content_hash, content_number, vector_checksum
from quarry.index.database import select
from quarry.index.ids import note_of, of_note_sql, slot_of
from quarry.index.note_rows import note_rows
from quarry.index.records import PendingChunk, PendingTitle

_KNOWN = (
    "WITH these(id) AS MATERIALIZED (SELECT id FROM notes WHERE path IN (SELECT value FROM json_each(?)))"
    " SELECT r.content, v.vector, v.checksum FROM these JOIN chunk_rows r ON "
    + of_note_sql("r.id", "these.id")
    + " JOIN vectors v ON v.chunk_id = r.id"
    " UNION ALL SELECT title, vector, checksum FROM these JOIN title_vectors ON note_id = these.id"
)
_CHUNKS = "SELECT chunk_id FROM pending ORDER BY chunk_id LIMIT ?"
_TITLES = (
    "SELECT n.id, n.title FROM notes n LEFT JOIN title_vectors t ON t.note_id = n.id"
    " WHERE t.note_id IS NULL ORDER BY n.id LIMIT ?"
)
_IS_ANY = (  # a title's vector goes with its note, so that counting tells
    "SELECT EXISTS (SELECT 1 FROM pending) OR (SELECT count(*) FROM notes) > (SELECT count(*) FROM title_vectors)"
)


def known_vectors(connection: apsw.Connection, paths: Sequence[str], hashes: Sequence[bytes]) -> dict[bytes, bytes]:
    """
    Stored vectors of the notes at *paths*, by `content_hash` or `title_hash`, as far as they are undamaged.

    Args:
        hashes: The texts that vectors are wanted for. Other notes than those at *paths* are not searched for them: an
            index by content takes a megabyte, and a text that moved is soon embedded.
    """
    wanted = {content_number(key): key for key in hashes}
    found = select(connection, _KNOWN, (json.dumps(list(paths)),))
    return {
        key: vector
        for number, vector, checksum in found
        if (key := wanted.get(number)) is not None and checksum == vector_checksum(key, vector)
    }


def pending_chunks(connection: apsw.Connection, limit: int) -> list[PendingChunk]:
    """
    The first *limit* chunks that wait for a vector.

    Raises:
        IndexDamaged: The content of one of their notes is not as it was written.
    """
    ids: list[int] = [chunk_id for (chunk_id,) in select(connection, _CHUNKS, (limit,))]
    contents = {at: row.packed_note() for at, row in note_rows(connection, {note_of(at) for at in ids}).items()}
    found = []
    for chunk_id in ids:
        content = contents.get(note_of(chunk_id))
        number = content.number_of(slot_of(chunk_id)) if content else None
        if content is not None and number is not None:
            chunk = content.chunk(number)
            found.append(PendingChunk(chunk_id, content_hash(chunk), chunk))
    return found


def pending_titles(connection: apsw.Connection, limit: int) -> list[PendingTitle]:
    """The first *limit* notes whose titles wait for a vector."""
    return [PendingTitle(*row) for row in select(connection, _TITLES, (limit,))]


def has_pending(connection: apsw.Connection) -> bool:
    """Whether any chunk or title waits for a vector."""
    return bool(select(connection, _IS_ANY)[0][0])
