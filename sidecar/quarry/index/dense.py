"""
The meaning leg: nearest vectors by cosine.

Two steps. A matrix in memory (or, for a vault too large for that, sqlite-vec) proposes rows by comparing int8 with
int8; then the few proposed are scored against the query's own floats. So both ways to propose give the same scores, and
a slip in the derived vector index can cost a candidate but never show a wrong one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw
import numpy as np

from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds, among, id_list, note_of
from quarry.index.matrix import VectorCache, read_vectors
from quarry.index.ties import Scored, candidates, cut, fetch_past_ties
from quarry.index.vectors import FloatMatrix, FloatVector, cosines, dequantise, quantise
from quarry.types import Candidate, Ranking

OVERFETCH = 2  # proposed for each one wanted: rounding the query to int8 moves neighbours by a few ranks
OVERFETCH_MORE = 20


class Nearest(NamedTuple):
    """How near a note is: its nearest chunk, that one's cosine, and the mean cosine of all, to about three digits."""

    chunk_id: int
    cosine: float
    mean: float


_NEAREST = (
    "SELECT chunk_id, -vec_distance_cosine(vec_int8(vector), vec_int8(?)) AS score FROM vectors"
    " WHERE length(vector) > 0 ORDER BY score DESC LIMIT ?"
)
_NEAREST_AMONG = (
    "SELECT chunk_id, -vec_distance_cosine(vec_int8(vector), vec_int8(?)) AS score FROM vectors"
    " WHERE length(vector) > 0 AND chunk_id >> 11 IN (SELECT value FROM json_each(?3)) ORDER BY score DESC LIMIT ?2"
)


def rank(
    connection: apsw.Connection,
    vector: FloatVector,
    admitted: NoteIds | None,
    depth: int,
    deadline: Deadline,
    *,
    has_vec: bool,
    memory: VectorCache,
) -> Ranking:
    """
    The *depth* chunks nearest to *vector* among those of the *admitted* notes; None admits every note.

    Args:
        has_vec: Whether sqlite-vec is there to propose.
        memory: What proposes wherever it may.
    """
    needle = quantise(vector[np.newaxis, :])[0]
    if not needle or depth < 1:
        return ()
    wanted = depth * OVERFETCH + OVERFETCH_MORE
    with deadline.over(connection):
        proposed = None
        if has_vec and not memory.fits(connection):
            proposed = _ask_vec(connection, needle, admitted, wanted)
        if proposed is not None:
            scores = _stored_cosines(connection, vector, [chunk_id for chunk_id, _ in proposed])
        else:
            vectors = memory.vectors(connection)
            chosen = None if admitted is None else vectors.admitted(admitted)
            proposed = vectors.chunks.best(np.frombuffer(needle, dtype=np.int8), chosen, wanted, deadline.check)
            scores = vectors.chunks.cosines(vector, [chunk_id for chunk_id, _ in proposed])
        return cut(_name(connection, scores, depth), depth)


def cosines_of(
    connection: apsw.Connection, vector: FloatVector, chunk_ids: Sequence[int], memory: VectorCache
) -> dict[int, float]:
    """The cosine of *vector* with each of these chunks; those without a vector are left out."""
    if memory.fits(connection):
        return memory.vectors(connection).chunks.cosines(vector, chunk_ids)
    return _stored_cosines(connection, vector, chunk_ids)


def vectors_of(connection: apsw.Connection, chunk_ids: Iterable[int], dim: int) -> FloatMatrix:
    """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
    sql = (
        "SELECT vector FROM vectors WHERE length(vector) > 0 AND chunk_id IN (SELECT value FROM json_each(?))"
        " ORDER BY chunk_id"
    )
    return dequantise([vector for (vector,) in select(connection, sql, (id_list(chunk_ids),))], dim)


def title_cosines(
    connection: apsw.Connection, vector: FloatVector, note_ids: Sequence[int], memory: VectorCache
) -> dict[int, float]:
    """The cosine of *vector* with the title of each of these notes; those without a vector are left out."""
    if memory.fits(connection):
        return memory.vectors(connection).titles.cosines(vector, note_ids)
    sql = (
        "SELECT note_id, vector FROM title_vectors WHERE length(vector) > 0"
        " AND note_id IN (SELECT value FROM json_each(?))"
    )
    return _cosines(select(connection, sql, (id_list(note_ids),)), vector)


def nearest_chunks(
    connection: apsw.Connection, vector: FloatVector, note_ids: Iterable[int], memory: VectorCache
) -> dict[int, Nearest]:
    """The chunk of each note that is nearest to *vector*; notes without a vector are left out."""
    wanted = sorted(note_ids)
    needle = quantise(vector[np.newaxis, :])[0]
    if not needle or not wanted:
        return {}
    vectors = memory.vectors(connection) if memory.fits(connection) else read_vectors(connection, wanted)
    chunk_ids, means = vectors.promising(np.frombuffer(needle, dtype=np.int8), wanted)
    cosines: dict[int, dict[int, float]] = {}
    for chunk_id, score in vectors.chunks.cosines(vector, chunk_ids).items():
        cosines.setdefault(note_of(chunk_id), {})[chunk_id] = score
    nearest = {}
    for note_id, of_note in cosines.items():
        highest = max(of_note.values())
        chunk_id = _first(connection, [chunk_id for chunk_id, score in of_note.items() if score == highest])
        nearest[note_id] = Nearest(chunk_id, highest, means[note_id])
    return nearest


def nearest_titles(
    connection: apsw.Connection, vector: FloatVector, admitted: NoteIds | None, depth: int, memory: VectorCache
) -> dict[int, float]:
    """The notes with titles nearest to *vector*; none in a vault too large for memory."""
    needle = quantise(vector[np.newaxis, :])[0]
    if not needle or depth < 1 or not memory.fits(connection):
        return {}
    titles = memory.vectors(connection).titles
    chosen = None if admitted is None else among(titles.ids, admitted)
    proposed = titles.best(np.frombuffer(needle, dtype=np.int8), chosen, depth * OVERFETCH, lambda: None)
    scores = titles.cosines(vector, [note_id for note_id, _ in proposed])
    ranked = sorted(scores.items(), key=lambda title: (-title[1], title[0]))
    return {note_id: score for note_id, score in ranked if score >= ranked[min(depth, len(ranked)) - 1][1]}


def _first(connection: apsw.Connection, chunk_ids: Sequence[int]) -> int:
    """Of chunks of one note that are equally near, the one that stands first."""
    if len(chunk_ids) == 1:
        return chunk_ids[0]
    sql = "SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1"
    found: list[tuple[int]] = select(connection, sql, (id_list(chunk_ids),))
    return found[0][0]


def _cosines(rows: Sequence[tuple[int, bytes]], vector: FloatVector) -> dict[int, float]:
    scores = cosines([row[1] for row in rows], vector) if vector.any() else []
    return dict(zip((row[0] for row in rows), scores, strict=False))


def _ask_vec(connection: apsw.Connection, needle: bytes, admitted: NoteIds | None, wanted: int) -> Sequence[Scored]:
    """What sqlite-vec proposes: the *wanted* nearest of the stored rows, and all that are as near as the last."""

    def fetch(limit: int) -> Sequence[Scored]:
        if admitted is None:
            return select(connection, _NEAREST, (needle, limit))
        return select(connection, _NEAREST_AMONG, (needle, limit, id_list(admitted)))

    return fetch_past_ties(fetch, wanted)


def _stored_cosines(connection: apsw.Connection, vector: FloatVector, chunk_ids: Sequence[int]) -> dict[int, float]:
    sql = (
        "SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0 AND chunk_id IN (SELECT value FROM json_each(?))"
    )
    return _cosines(select(connection, sql, (id_list(chunk_ids),)), vector)


def _name(connection: apsw.Connection, scores: Mapping[int, float], depth: int) -> list[Candidate]:
    """The best *depth* of *scores* and all that score like the last of them, as candidates."""
    ranked = sorted(scores.items(), key=lambda scored: -scored[1])
    lowest = ranked[min(depth, len(ranked)) - 1][1] if ranked else 0.0
    return candidates(connection, {chunk_id: score for chunk_id, score in ranked if score >= lowest})
