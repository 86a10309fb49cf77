"""
Which tables hold the vectors of a model? Those of the static model are always there (`schema.py`).

A contextual model's have tables of their own with the same columns, made when it is chosen and dropped with it:

    contextual_vectors          as `vectors`
    contextual_title_vectors    as `title_vectors`
    contextual_pending          as `pending`

Their rows go with their chunk or note, so that no vector outlives its text.
"""

import apsw
import numpy as np
from msgspec import Struct

from quarry.index import meta
from quarry.index.database import select
from quarry.index.ids import NoteIds, note_of_sql


class VectorTables(Struct, frozen=True):
    """The names of the tables of one model's vectors, and of the facts about them in `meta`."""

    vectors: str
    titles: str
    pending: str
    dimension_key: str
    dropped_key: str

    def sql(self, template: str) -> str:
        """The SQL of *template*, a constant with `{vectors}`, `{titles}` and `{pending}` where the names belong."""
        return template.format(vectors=self.vectors, titles=self.titles, pending=self.pending)

    def dimension(self, connection: apsw.Connection) -> int | None:
        """The dimension of every vector in these tables; None while there is none."""
        value = meta.get(connection, self.dimension_key)
        return int(value) if value is not None else None


STATIC = VectorTables("vectors", "title_vectors", "pending", meta.DIMENSION, meta.DROPPED)
CONTEXTUAL = VectorTables(
    vectors="contextual_vectors",
    titles="contextual_title_vectors",
    pending="contextual_pending",
    dimension_key=meta.CONTEXTUAL_DIMENSION,
    dropped_key=meta.CONTEXTUAL_DROPPED,
)

_CREATE = (
    """CREATE TABLE contextual_vectors (
        chunk_id INTEGER PRIMARY KEY REFERENCES chunk_rows(id) ON DELETE CASCADE,
        vector BLOB NOT NULL,
        checksum BLOB NOT NULL
    )""",
    """CREATE TABLE contextual_title_vectors (
        note_id INTEGER PRIMARY KEY REFERENCES notes(id) ON DELETE CASCADE,
        title INTEGER NOT NULL,
        vector BLOB NOT NULL,
        checksum BLOB NOT NULL
    )""",
    "CREATE TABLE contextual_pending (chunk_id INTEGER PRIMARY KEY REFERENCES chunk_rows(id) ON DELETE CASCADE)",
    "INSERT INTO contextual_pending SELECT id FROM chunk_rows",
)
_DROP = (
    "DROP TABLE contextual_vectors",
    "DROP TABLE contextual_title_vectors",
    "DROP TABLE contextual_pending",
)
CONTEXTUAL_NAMES = frozenset({CONTEXTUAL.vectors, CONTEXTUAL.titles, CONTEXTUAL.pending})
_KEYS = (meta.CONTEXTUAL_MODEL, meta.CONTEXTUAL_DIMENSION, meta.CONTEXTUAL_COMPLETE)
_WAITING = (
    "SELECT id, chunk_count FROM notes WHERE id IN (SELECT "
    + note_of_sql("chunk_id")
    + " FROM contextual_pending) ORDER BY id"
)
MAX_WAITING_SHARE = 0.1  # of all chunks: what a morning of writing leaves for the next idle minute is far less


def create_contextual(connection: apsw.Connection, model: str) -> None:
    """Make the contextual tables, empty, for vectors of *model*: every chunk and title waits for one."""
    for statement in _CREATE:
        connection.execute(statement)
    meta.put(connection, meta.CONTEXTUAL_MODEL, model)
    meta.put(connection, meta.CONTEXTUAL_DROPPED, str(meta.next_generation(connection)))


def drop_contextual(connection: apsw.Connection) -> None:
    """Drop the contextual tables, which must be there, and forget their model."""
    for statement in _DROP:
        connection.execute(statement)
    for key in _KEYS:
        meta.delete(connection, key)


def contextual_model(connection: apsw.Connection) -> str | None:
    """The model that the contextual tables are for; None where there are no such tables."""
    return meta.get(connection, meta.CONTEXTUAL_MODEL)


def serving_model(connection: apsw.Connection) -> str | None:
    """
    The contextual model whose vectors answer in the snapshot that *connection* sees; None where the static one's do.

    Contextual vectors answer from the moment when no chunk and no title waited for one, and as long as at most a share
    `MAX_WAITING_SHARE` of all chunks waits: those of notes that were just saved.
    """
    model = contextual_model(connection)
    if model is None or meta.get(connection, meta.CONTEXTUAL_COMPLETE) is None:
        return None
    most = int(MAX_WAITING_SHARE * meta.totals(connection)[1])
    return model if waiting_count(connection, most + 1) <= most else None


class Waiting(Struct, frozen=True):
    """Notes with a chunk that waits for its contextual vector."""

    note_ids: NoteIds
    chunk_count: int  # of these notes, waiting or not

    @classmethod
    def read(cls, connection: apsw.Connection) -> "Waiting":
        """The waiting notes of the snapshot that *connection* sees, which has contextual tables."""
        rows = select(connection, _WAITING)
        return cls(np.array([note_id for note_id, _ in rows], dtype=np.int64), sum(count for _, count in rows))


def waiting_count(connection: apsw.Connection, limit: int = -1) -> int:
    """How many chunks wait for a contextual vector, counted no further than *limit*; -1: all are counted."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM contextual_pending LIMIT ?)"
    return int(select(connection, sql, (limit,))[0][0])


def notes_without_vectors(connection: apsw.Connection) -> frozenset[int]:
    """The notes with a chunk that waits for a vector, of the static model or of the contextual one if there is one."""
    tables = (STATIC, CONTEXTUAL) if contextual_model(connection) else (STATIC,)
    queries = (f"SELECT DISTINCT {note_of_sql('chunk_id')} FROM {each.pending}" for each in tables)
    return frozenset(note_id for sql in queries for (note_id,) in select(connection, sql))
