"""
The vectors of models that were in use before, kept beside those in use: going back to such a model costs nothing.

Tables are renamed when another model is chosen, in one transaction: those of the model in use always have the names in
`rows.py`. Kept vectors answer nothing. A vector goes with its chunk or note, as they refer to it; what came since is
found when the tables are taken out again: every chunk without a vector waits for one.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Literal

import apsw
from msgspec import Meta, MsgspecError, Struct, convert
from msgspec.structs import asdict

from quarry.index import meta
from quarry.index.database import select
from quarry.index.keys import content_number, title_hash
from quarry.index.schema import PENDING_TABLE, VECTOR_TABLES
from quarry.index.vectors.rows import CONTEXTUAL, STATIC, VectorTables, waiting_count

MAX_KEPT = 3  # models besides those in use; of more, the one that was used least recently goes
ROW_BYTES = 36  # that a row takes besides its vector

ModelKind = Literal["static", "contextual"]
TABLES: dict[ModelKind, VectorTables] = {"static": STATIC, "contextual": CONTEXTUAL}


class KeptModel(Struct, frozen=True):
    """A model whose vectors are kept."""

    kind: ModelKind
    model: str  # its fingerprint, as text
    place: Annotated[int, Meta(ge=1)]  # in the names of its tables
    dimension: Annotated[str, Meta(pattern=r"\A[0-9]{1,5}\Z")]
    is_complete: bool  # whether there was a moment when nothing waited

    @property
    def tables(self) -> VectorTables:
        """The tables of its vectors; none of their other names is in use."""
        vectors, titles = _names(self.place)
        return VectorTables(vectors, titles, pending="", dimension_key="", dropped_key="", model_key="")


class StoredModel(Struct, frozen=True):
    """A model that the index has vectors of."""

    kind: ModelKind
    model: str  # its fingerprint, as text
    chunks: int  # that have a vector
    size_bytes: int
    is_used: bool


def kept_models(connection: apsw.Connection) -> list[KeptModel]:
    """The models whose vectors are kept, the last used first."""
    try:
        return convert(json.loads(meta.get(connection, meta.KEPT_MODELS) or "[]"), list[KeptModel])
    except (MsgspecError, RecursionError, ValueError) as error:
        raise apsw.CorruptError(f"the index does not say which vectors it keeps: {error}") from error


def stored_models(connection: apsw.Connection) -> list[StoredModel]:
    """All models that the index has vectors of: those in use, then the kept ones. Counting reads every vector."""
    found = []
    for kind, tables in TABLES.items():
        if model := meta.get(connection, tables.model_key):
            count = meta.chunk_count(connection) - waiting_count(connection, tables=tables)
            size_bytes = _size_bytes(count + meta.note_count(connection), tables.dimension(connection) or 0)
            found.append(StoredModel(kind, model, count, size_bytes, is_used=True))
    for kept in kept_models(connection):
        counts = [
            select(connection, kept.tables.sql(sql))[0][0]
            for sql in ("SELECT count(*) FROM {vectors}", "SELECT count(*) FROM {titles}")
        ]
        size_bytes = _size_bytes(sum(counts), int(kept.dimension))
        found.append(StoredModel(kept.kind, kept.model, counts[0], size_bytes, is_used=False))
    return found


def kept_names(connection: apsw.Connection) -> set[str]:
    """The names of the tables of kept vectors that there should be."""
    return {name for kept in kept_models(connection) for name in _names(kept.place)}


def is_kept_name(table: str) -> bool:
    """Whether a table of that name is for kept vectors."""
    return table.startswith("kept_")


def choose(connection: apsw.Connection, kind: ModelKind, model: str | None) -> None:
    """
    Make the tables of *kind* those of *model*, with its own vectors where they are kept, and keep those of the other.

    Args:
        model: None, of a contextual one alone: there are no such tables then.
    """
    kept = kept_models(connection)
    found = next((each for each in kept if (each.kind, each.model) == (kind, model)), None)
    others = _put_away(connection, kind, [each for each in kept if each is not found], found)
    _set_kept(connection, others)
    tables = TABLES[kind]
    if model is None:
        return
    if found:
        _rename(connection, found.tables, tables)
        meta.put(connection, tables.dimension_key, found.dimension)
        _drop_old_titles(connection, tables)
    else:
        for template in VECTOR_TABLES:
            connection.execute(tables.sql(template))
    connection.execute(tables.sql(PENDING_TABLE))
    without = "INSERT INTO {pending} SELECT id FROM chunk_rows WHERE id NOT IN (SELECT chunk_id FROM {vectors})"
    connection.execute(tables.sql(without))
    if found and found.is_complete and kind == "contextual":
        meta.put(connection, meta.CONTEXTUAL_COMPLETE, "1")
    meta.put(connection, tables.model_key, model)
    meta.put(connection, tables.dropped_key, str(meta.next_generation(connection)))


def forget(connection: apsw.Connection, model: str) -> None:
    """Drop the kept vectors of *model*, if there are any; those in use stay."""
    kept = kept_models(connection)
    for each in kept:
        if each.model == model:
            _drop(connection, each.tables)
    _set_kept(connection, [each for each in kept if each.model != model])


def _set_kept(connection: apsw.Connection, kept: Sequence[KeptModel]) -> None:
    meta.put(connection, meta.KEPT_MODELS, json.dumps([asdict(each) for each in kept]))


def _put_away(
    connection: apsw.Connection, kind: ModelKind, kept: list[KeptModel], found: KeptModel | None
) -> list[KeptModel]:
    """
    Keep the vectors of *kind* before all that is *kept* already, leave no tables, and return all that is kept then.

    Args:
        found: Still has its place, and is to have the names of the tables of *kind*.
    """
    tables = TABLES[kind]
    model, dimension = meta.get(connection, tables.model_key), meta.get(connection, tables.dimension_key)
    if kind == "contextual" and model is None:  # there are no tables
        return kept
    connection.execute(tables.sql("DROP TABLE {pending}"))
    if model and dimension:
        for each in kept[MAX_KEPT - 1 :]:
            _drop(connection, each.tables)
        kept = kept[: MAX_KEPT - 1]
        place = min({*range(1, MAX_KEPT + 2)} - {each.place for each in (*kept, *([found] if found else []))})
        is_complete = meta.get(connection, meta.CONTEXTUAL_COMPLETE) is not None
        put_away = KeptModel(kind, model, place, dimension, is_complete)
        _rename(connection, tables, put_away.tables)
        kept = [put_away, *kept]
    else:
        _drop(connection, tables)
    for key in (tables.model_key, tables.dimension_key, *([meta.CONTEXTUAL_COMPLETE] if kind == "contextual" else ())):
        meta.delete(connection, key)
    return kept


def _names(place: int) -> tuple[str, str]:
    return f"kept_{place}_vectors", f"kept_{place}_titles"


def _rename(connection: apsw.Connection, before: VectorTables, after: VectorTables) -> None:
    for old, new in ((before.vectors, after.vectors), (before.titles, after.titles)):
        connection.execute(f"ALTER TABLE {old} RENAME TO {new}")


def _drop(connection: apsw.Connection, tables: VectorTables) -> None:
    for name in (tables.vectors, tables.titles):
        connection.execute(f"DROP TABLE {name}")


def _drop_old_titles(connection: apsw.Connection, tables: VectorTables) -> None:
    """Delete the vectors of titles that were other ones when those were made."""
    rows = select(connection, tables.sql("SELECT id, n.title, t.title FROM notes n JOIN {titles} t ON note_id = id"))
    old = [(note_id,) for note_id, title, number in rows if number != content_number(title_hash(title))]
    connection.executemany(tables.sql("DELETE FROM {titles} WHERE note_id = ?"), old)


def _size_bytes(rows: int, dimension: int) -> int:
    return rows * (dimension + ROW_BYTES)
