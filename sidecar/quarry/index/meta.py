"""Facts about the whole index, by name."""

import apsw

from quarry.index.database import select

GENERATION = "generation"  # counts transactions that changed notes; what is cached from the index is keyed by it
DIMENSION = "dimension"  # of every vector; absent while there is none, and then there is no `chunks_vec` either
LEXICAL_STALE = "lexical_stale"  # present: rows changed while FTS5 was missing
DENSE_STALE = "dense_stale"  # present: vectors changed while sqlite-vec was missing
TERMS = "terms"  # the version of `keywords.py` that filled the keyword index
DROPPED = "dropped"  # the generation in which all vectors were dropped
OWN_KEYS = frozenset({GENERATION, DIMENSION, LEXICAL_STALE, DENSE_STALE, TERMS, DROPPED})


def get(connection: apsw.Connection, key: str) -> str | None:
    """The value of *key*, or None."""
    rows: list[tuple[str]] = select(connection, "SELECT value FROM meta WHERE key = ?", (key,))
    return rows[0][0] if rows else None


def put(connection: apsw.Connection, key: str, value: str) -> None:
    """Set *key* to *value*."""
    connection.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (key, value))


def delete(connection: apsw.Connection, key: str) -> None:
    """Forget *key*."""
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def dimension(connection: apsw.Connection) -> int | None:
    """Of every vector in the index; None while there is none."""
    value = get(connection, DIMENSION)
    return int(value) if value is not None else None


def generation(connection: apsw.Connection) -> int:
    """A number that differs after every change of a note."""
    return int(get(connection, GENERATION) or 0)


def next_generation(connection: apsw.Connection) -> int:
    """The generation that the change in hand will make."""
    return generation(connection) + 1


def advance_generation(connection: apsw.Connection) -> None:
    """Say that something changed."""
    put(connection, GENERATION, str(next_generation(connection)))
