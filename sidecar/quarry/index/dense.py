"""
The meaning leg: nearest vectors by cosine.

Two steps. sqlite-vec (or, without it, a matrix in memory) proposes rows by comparing int8 with int8; then the few
proposed are scored against the query's own floats. So both ways to propose give the same scores, and a slip in the
derived vector index can cost a candidate but never show a wrong one.
"""

from collections.abc import Sequence

import apsw
import numpy as np

from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.matrix import MatrixCache
from quarry.index.scope import Restriction
from quarry.index.ties import Scored, cut, fetch_past_ties
from quarry.index.vectors import FloatVector, cosines, quantise
from quarry.types import Candidate, Ranking

OVERFETCH = 2  # proposed for each one wanted: rounding the query to int8 moves neighbours by a few ranks
OVERFETCH_MORE = 20
MAX_NEIGHBOURS = 4096  # sqlite-vec refuses more

_NEAREST = "SELECT rowid, -distance FROM chunks_vec WHERE embedding MATCH vec_int8(?) AND k = ? ORDER BY distance"
_NEAREST_AMONG = (
    "SELECT rowid, -distance FROM chunks_vec WHERE embedding MATCH vec_int8(?) AND k = ?"
    " AND rowid IN (SELECT c.id FROM chunks c WHERE "
)
_IN_ORDER = ") ORDER BY distance"


def rank(
    connection: apsw.Connection,
    vector: FloatVector,
    restriction: Restriction,
    depth: int,
    deadline: Deadline,
    *,
    has_vec: bool,
    memory: MatrixCache,
) -> Ranking:
    """
    The *depth* chunks nearest to *vector* among those that *restriction* admits.

    Args:
        has_vec: Whether sqlite-vec is there to propose.
        memory: What proposes otherwise, and when more rows score alike than sqlite-vec can return.
    """
    needle = quantise(vector[np.newaxis, :])[0]
    if not needle or depth < 1:
        return ()
    wanted = depth * OVERFETCH + OVERFETCH_MORE
    with deadline.over(connection):
        proposed = _ask_vec(connection, needle, restriction, wanted) if has_vec else None
        if proposed is None:
            proposed = _ask_memory(connection, memory, needle, restriction, wanted, deadline)
        return cut(_score(connection, vector, [chunk_id for chunk_id, _ in proposed]), depth)


def _ask_vec(
    connection: apsw.Connection, needle: bytes, restriction: Restriction, wanted: int
) -> Sequence[Scored] | None:
    """What sqlite-vec proposes; None when it cannot return all rows that score alike at the cut."""
    among = restriction.on("c.id").within(_NEAREST_AMONG, _IN_ORDER)

    def fetch(limit: int) -> Sequence[Scored]:
        count = min(limit, MAX_NEIGHBOURS)
        if restriction.is_everything:
            return select(connection, _NEAREST, (needle, count))
        return select(connection, among.sql, (needle, count, *among.bindings))

    if wanted >= MAX_NEIGHBOURS:
        return None
    rows = fetch_past_ties(fetch, wanted)
    is_cut_amid_ties = len(rows) == MAX_NEIGHBOURS and rows[-1][1] == rows[wanted - 1][1]
    return None if is_cut_amid_ties else rows


def _ask_memory(
    connection: apsw.Connection,
    memory: MatrixCache,
    needle: bytes,
    restriction: Restriction,
    wanted: int,
    deadline: Deadline,
) -> Sequence[Scored]:
    among = None
    if not restriction.is_everything:
        admitted = restriction.on("c.id").within("SELECT c.id FROM chunks c WHERE ")
        rows = select(connection, admitted.sql, admitted.bindings)
        among = np.array([chunk_id for (chunk_id,) in rows], dtype=np.int64)
    matrix = memory.matrix(connection)
    return matrix.best(np.frombuffer(needle, dtype=np.int8), among, wanted, deadline.check)


def _score(connection: apsw.Connection, vector: FloatVector, chunk_ids: Sequence[int]) -> list[Candidate]:
    sql = (
        "SELECT n.path, c.number, v.vector FROM vectors v JOIN chunks c ON c.id = v.chunk_id"
        " JOIN notes n ON n.id = c.note_id WHERE v.chunk_id = ?"
    )
    rows = [(chunk_id, *row) for chunk_id in chunk_ids for row in select(connection, sql, (chunk_id,))]
    scores = cosines([row[3] for row in rows], vector)
    return [
        Candidate(chunk_id, path, number, score)
        for (chunk_id, path, number, _), score in zip(rows, scores, strict=True)
    ]
