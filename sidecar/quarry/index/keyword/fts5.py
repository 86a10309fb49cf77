"""
The keyword retriever of FTS5: ranks chunks, and whole notes, by BM25 over the terms of a query.

No table holds whole notes: a note scores what it is called plus its chunks. bm25() gives negative numbers, lower is
better; scores here are its opposite.
"""

from collections.abc import Iterable, Mapping, Sequence

import apsw
from msgspec import Struct
from msgspec.structs import asdict

from quarry.index.database import SqlValue, select
from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds, id_list
from quarry.index.keyword.match_query import (
    BODY_COLUMNS,
    CHUNK_COLUMNS,
    NAME_COLUMNS,
    NOTE_COLUMNS,
    KeywordQuery,
    expression,
    quoted,
)
from quarry.index.tie_breaking import Scored, candidates, fetch_with_ties, top_candidates
from quarry.types import Ranking


class ChunkWeights(Struct, frozen=True):
    """What a term counts for in each column of `chunks_fts`; the first three as published."""

    text: float = 1.0
    section: float = 0.5
    context: float = 0.3
    compounds: float = 1.0
    parts: float = 0.3


class NoteWeights(Struct, frozen=True):
    """What a term counts for in each column of `names_fts`, and the scores of the chunks."""

    title: float = 10.0
    aliases: float = 5.0
    name: float = 10.0
    headings: float = 2.0
    tags: float = 2.0
    body: float = 1.0  # its chunks together
    compounds: float = 1.0


CHUNK_WEIGHTS = ChunkWeights()
NOTE_WEIGHTS = NoteWeights()

_CHUNKS = (
    "SELECT rowid, -bm25(chunks_fts, :text, :section, :context, :compounds, :parts) AS score"
    " FROM chunks_fts WHERE chunks_fts MATCH :wanted"
)
# `+` keeps FTS5 from running its MATCH once for every id.
_OF_NOTES = " AND (+rowid >> 11) IN (SELECT value FROM json_each(:ids))"
_AMONG = " AND +rowid IN (SELECT value FROM json_each(:ids))"
_NAMED = (
    "SELECT rowid, -bm25(names_fts, :title, :aliases, :name, :headings, :tags, :compounds) AS score"
    " FROM names_fts WHERE names_fts MATCH :wanted"
)
_HELD_NAMED = (
    "SELECT rowid, -bm25(names_fts, :title, :aliases, :name, :headings, :tags, :compounds), 0.0"
    " FROM names_fts WHERE names_fts MATCH :wanted"
)
_HELD_IN_BODY = (
    " UNION ALL SELECT rowid >> 11, 0.0, -bm25(chunks_fts, 1.0, 0.0, 0.0, 1.0, 0.0)"
    " FROM chunks_fts WHERE chunks_fts MATCH :in_body"
)
_HELD = "WITH body(id, named, held) AS ("
# Words in different chunks add up, but many chunks do not win by their number; rounded, in whichever order they come.
_BY_NOTE = ") SELECT id, max(named) + :body * round(sqrt(sum(held * held)), 12) AS score FROM body GROUP BY id"
_EVERY_NOTE = _HELD + _HELD_NAMED + _HELD_IN_BODY + _BY_NOTE
_SOME_NOTES = _HELD + _HELD_NAMED + _AMONG + _HELD_IN_BODY + _OF_NOTES + _BY_NOTE
_HOLDING_NAMED = "SELECT rowid FROM names_fts WHERE names_fts MATCH :wanted"
_HOLDING_IN_BODY = " UNION SELECT rowid >> 11 FROM chunks_fts WHERE chunks_fts MATCH :in_body"
_EVERY_HOLDING = _HOLDING_NAMED + _HOLDING_IN_BODY
_SOME_HOLDING = _HOLDING_NAMED + _AMONG + _HOLDING_IN_BODY + _OF_NOTES
_COUNT, _END = "SELECT count(*) FROM (", ")"
_COUNT_EVERY = _COUNT + _EVERY_HOLDING + _END
_COUNT_SOME = _COUNT + _SOME_HOLDING + _END
_BEST = " ORDER BY score DESC LIMIT :limit"


def rank(
    connection: apsw.Connection,
    query: KeywordQuery,
    admitted: NoteIds | None,
    depth: int,
    deadline: Deadline,
    weights: ChunkWeights = CHUNK_WEIGHTS,
) -> Ranking:
    """The best *depth* chunks of the *admitted* notes for any term or phrase of *query*; None admits every note."""
    return _rank_chunks(connection, expression(query, CHUNK_COLUMNS), admitted, depth, deadline, weights)


def rank_notes(
    connection: apsw.Connection,
    query: KeywordQuery,
    admitted: NoteIds | None,
    depth: int,
    deadline: Deadline,
    weights: NoteWeights = NOTE_WEIGHTS,
    *,
    by_name: bool = False,
) -> list[tuple[int, str, float]]:
    """
    `(note_id, path, score)` of the best *depth* of the *admitted* notes; equal scores by path.

    Args:
        by_name: Only what notes are called counts: title, aliases, file name. That is a tenth of the work.
    """
    values = _of_notes(query, weights)
    if values is None:
        return []
    every, some = _EVERY_NOTE, _SOME_NOTES
    if by_name:
        values["wanted"] = f"{NAME_COLUMNS} : ({expression(query, NOTE_COLUMNS)})"
        every, some = _NAMED, _NAMED + _AMONG
    with deadline.over(connection):
        found = _best(connection, every, some, values, admitted, depth)
        sql = "SELECT id, path FROM notes WHERE id IN (SELECT value FROM json_each(?))"
        paths = dict(select(connection, sql, (id_list(note_id for note_id, _ in found),)))
        named = [(note_id, paths[note_id], score) for note_id, score in found if note_id in paths]
    return sorted(named, key=lambda note: (-note[2], note[1]))[:depth]


def count(connection: apsw.Connection, query: KeywordQuery, admitted: NoteIds | None, limit: int) -> int:
    """How many chunks `rank` would rank, counted no further than *limit*."""
    wanted = expression(query, CHUNK_COLUMNS)
    if wanted is None:
        return 0
    values: dict[str, SqlValue] = {"wanted": wanted, "limit": limit}
    matching = "SELECT count(*) FROM (SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH :wanted"
    if admitted is None:
        found = select(connection, matching + " LIMIT :limit)", values)
    else:
        found = select(connection, matching + _OF_NOTES + " LIMIT :limit)", {**values, "ids": id_list(admitted)})
    return int(found[0][0])


def count_notes(connection: apsw.Connection, query: KeywordQuery, admitted: NoteIds | None) -> int:
    """How many of the *admitted* notes hold a term or phrase of *query*."""
    found = _of_holding(connection, _COUNT_EVERY, _COUNT_SOME, query, admitted)
    return found[0][0] if found else 0


def notes_holding(connection: apsw.Connection, query: KeywordQuery, admitted: NoteIds | None) -> list[int]:
    """These notes, in no order."""
    return [note_id for (note_id,) in _of_holding(connection, _EVERY_HOLDING, _SOME_HOLDING, query, admitted)]


def _of_holding(
    connection: apsw.Connection, every: str, some: str, query: KeywordQuery, admitted: NoteIds | None
) -> Sequence[tuple[int]]:
    wanted = expression(query, NOTE_COLUMNS)
    if wanted is None:
        return []
    values: dict[str, SqlValue] = {"wanted": wanted, "in_body": _in_body(query)}
    if admitted is None:
        return select(connection, every, values)
    return select(connection, some, {**values, "ids": id_list(admitted)})


def chunk_scores(
    connection: apsw.Connection,
    query: KeywordQuery,
    chunk_ids: Iterable[int],
    deadline: Deadline,
    weights: ChunkWeights = CHUNK_WEIGHTS,
) -> dict[int, float]:
    """The scores that `rank` gives to these chunks; those that hold nothing of *query* are left out."""
    return _scores(connection, expression(query, CHUNK_COLUMNS), chunk_ids, deadline, weights)


def every_score(
    connection: apsw.Connection,
    query: KeywordQuery,
    admitted: NoteIds | None,
    deadline: Deadline,
    weights: ChunkWeights = CHUNK_WEIGHTS,
) -> dict[int, float]:
    """The scores of all chunks that `rank` would rank, in no order."""
    wanted = expression(query, CHUNK_COLUMNS)
    if wanted is None:
        return {}
    values: dict[str, SqlValue] = {"wanted": wanted, **asdict(weights)}
    sql = _CHUNKS
    if admitted is not None:
        values["ids"] = id_list(admitted)
        sql += _OF_NOTES
    with deadline.over(connection):
        return dict(select(connection, sql, values))


def note_scores(
    connection: apsw.Connection,
    query: KeywordQuery,
    note_ids: Iterable[int] | NoteIds | None,
    deadline: Deadline,
    weights: NoteWeights = NOTE_WEIGHTS,
) -> dict[int, float]:
    """The scores that `rank_notes` gives to these notes (None: all); those without anything of *query* are left out."""
    values = _of_notes(query, weights)
    if values is None:
        return {}
    sql = _EVERY_NOTE
    if note_ids is not None:
        values["ids"] = id_list(note_ids)
        sql = _SOME_NOTES
    with deadline.over(connection):
        return dict(select(connection, sql, values))


def holding(connection: apsw.Connection, term: str, limit: int) -> list[int]:
    """The first *limit* chunks that hold *term*, by path and number."""
    sql = (
        "SELECT c.id FROM chunks_fts JOIN chunk_rows c ON c.id = chunks_fts.rowid JOIN notes n ON n.id = c.note_id"
        " WHERE chunks_fts MATCH ? ORDER BY n.path, c.number LIMIT ?"
    )
    return [chunk_id for (chunk_id,) in select(connection, sql, (quoted(term), limit))]


def _of_notes(query: KeywordQuery, weights: NoteWeights) -> dict[str, SqlValue] | None:
    """What the queries for whole notes are given; None where nothing is asked for."""
    wanted = expression(query, NOTE_COLUMNS)
    return None if wanted is None else {"wanted": wanted, "in_body": _in_body(query), **asdict(weights)}


def _in_body(query: KeywordQuery) -> str:
    """Any of what *query* has in the texts of chunks; it must have something."""
    return f"{BODY_COLUMNS} : ({expression(query, '{text}')})"


def _rank_chunks(
    connection: apsw.Connection,
    wanted: str | None,
    admitted: NoteIds | None,
    depth: int,
    deadline: Deadline,
    weights: ChunkWeights,
) -> Ranking:
    if wanted is None:
        return ()
    values: dict[str, SqlValue] = {"wanted": wanted, **asdict(weights)}
    with deadline.over(connection):
        found = _best(connection, _CHUNKS, _CHUNKS + _OF_NOTES, values, admitted, depth)
        return top_candidates(candidates(connection, dict(found)), depth)


def _best(
    connection: apsw.Connection,
    every: str,
    some: str,
    values: Mapping[str, SqlValue],
    admitted: NoteIds | None,
    depth: int,
) -> Sequence[Scored]:
    """
    At least the best *depth* rows, and all that score like the last of them.

    Args:
        every: The query for all rows with their scores; *some*: for those of *admitted* notes.
    """
    if depth < 1:
        return []
    asked = {**values, **({} if admitted is None else {"ids": id_list(admitted)})}
    sql = (every if admitted is None else some) + _BEST
    return fetch_with_ties(lambda limit: select(connection, sql, {**asked, "limit": limit}), depth)


def _scores(
    connection: apsw.Connection,
    wanted: str | None,
    ids: Iterable[int],
    deadline: Deadline,
    weights: ChunkWeights,
) -> dict[int, float]:
    if wanted is None:
        return {}
    values: dict[str, SqlValue] = {"wanted": wanted, "ids": id_list(ids), **asdict(weights)}
    with deadline.over(connection):
        return dict(select(connection, _CHUNKS + _AMONG, values))
