"""
Every vector of the index in memory, to be searched exactly.

Reading 80,000 vectors takes a tenth of a second, so a saved note must not cause it: what is kept is brought up to date
by the notes that changed since.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index import meta
from quarry.index.database import select
from quarry.index.ids import SLOT_BITS, NoteIds, among, id_range
from quarry.index.ties import Scored
from quarry.index.vectors import matrix_cosines

BLOCK_ROWS = 1024  # turned into floats at a time, 1 MB at 256 dimensions; 4096 want fresh pages: ten times slower
MEMORY_BYTES = 512 * 1024 * 1024  # of vectors kept: of 1.9 million chunks; sqlite-vec takes ten times as long to answer
ROUNDING = 0.05  # share of a score by which rounding the query to int8 may put two rows in the other order
RUN = 64  # scores of which the highest is looked at first; a quarter of the time of sorting out 80,000 at once
EXACT_SUM = 2**24  # float32 counts whole numbers up to here without rounding
FEW_NOTES = 500  # are read one by one; for more it is quicker to read everything

_Rows = Iterable[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Stored vectors in the order of their ids, which are of chunks or of notes."""

    ids: NDArray[np.int64]  # shape (count,), ascending
    rows: NDArray[np.int8]  # shape (count, dim)
    norms: NDArray[np.float64]  # shape (count,)

    @classmethod
    def of(cls, rows: _Rows) -> "Matrix":
        """A matrix of `(id, vector)` in ascending order."""
        found = list(rows)
        ids = np.array([at for at, _ in found], dtype=np.int64)
        flat = np.frombuffer(b"".join(vector for _, vector in found), dtype=np.int8)
        matrix = flat.reshape(len(ids), -1) if len(ids) else flat.reshape(0, 0)
        return cls(ids, matrix, _norms(matrix))

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.ids.nbytes + self.rows.nbytes + self.norms.nbytes

    def replaced(self, keep: NDArray[np.bool_], fresh: "Matrix") -> "Matrix":
        """The rows to *keep* of this and all of *fresh*, in order."""
        if not len(fresh.ids):
            return Matrix(self.ids[keep], self.rows[keep], self.norms[keep])
        if not keep.any():
            return fresh
        ids = np.concatenate([self.ids[keep], fresh.ids])
        order = np.argsort(ids, kind="stable")
        rows = np.concatenate([self.rows[keep], fresh.rows])
        norms = np.concatenate([self.norms[keep], fresh.norms])
        return Matrix(ids[order], rows[order], norms[order])

    def best(
        self, query: NDArray[np.int8], chosen: NDArray[np.bool_] | None, limit: int, check: Callable[[], None]
    ) -> Sequence[Scored]:
        """
        The *limit* rows nearest to *query* by cosine, and all that score like the last of them; best first.

        Products of int8 are summed as whole numbers, so no order of adding changes a score.

        Args:
            chosen: The rows to choose from, shape (count,); None: all.
            check: Called between blocks; may raise to give up.
        """
        ids, rows, norms = self.ids, self.rows, self.norms
        if chosen is not None:
            ids, rows, norms = ids[chosen], rows[chosen], norms[chosen]
        if not len(ids):
            return []
        kind = _exact_kind(query)
        needle = query.astype(kind)
        scores = np.empty(len(ids), dtype=np.float64)
        for start in range(0, len(ids), BLOCK_ROWS):
            check()
            scores[start : start + BLOCK_ROWS] = np.dot(rows[start : start + BLOCK_ROWS].astype(kind), needle)
        scores /= norms
        found = _highest(scores, limit)
        found = found[np.argsort(-scores[found], kind="stable")]
        return [(int(ids[at]), float(scores[at])) for at in found]

    def products(self, query: NDArray[np.int8], at: NDArray[np.intp]) -> NDArray[np.float64]:
        """The scores that `best` gives to the rows at these positions; shape (len(at),)."""
        kind = _exact_kind(query)
        scores: NDArray[np.float64] = np.dot(self.rows[at].astype(kind), query.astype(kind)) / self.norms[at]
        return scores

    def cosines(self, vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """The cosine of *vector* with the rows of *ids*; ids without a row are left out, and a zero vector has none."""
        wanted = np.array(ids, dtype=np.int64)
        if not len(wanted) or not len(self.ids) or not vector.any():
            return {}
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        at = at[self.ids[at] == wanted]
        return dict(zip(self.ids[at].tolist(), matrix_cosines(self.rows[at], vector).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Vectors:
    """All vectors of one moment."""

    generation: int
    chunks: Matrix
    titles: Matrix  # by the ids of notes

    def promising(self, query: NDArray[np.int8], note_ids: Sequence[int]) -> tuple[list[int], dict[int, float]]:
        """
        Of each note the chunk nearest to *query*, and those so near that only floats can tell which is nearest.

        Returns:
            Those chunks, and note -> mean cosine of all its chunks. Notes without one are left out.
        """
        notes = np.array(note_ids, dtype=np.int64)
        first = np.searchsorted(self.chunks.ids, notes << SLOT_BITS)
        count = np.searchsorted(self.chunks.ids, (notes + 1) << SLOT_BITS) - first
        notes, first, count = notes[count > 0], first[count > 0], count[count > 0]
        if not len(first):
            return [], {}
        begins = np.cumsum(count) - count  # where each note's rows begin among all that are looked at
        at = np.arange(count.sum()) + np.repeat(first - begins, count)
        scores = self.chunks.products(query, at)
        highest = np.repeat(np.maximum.reduceat(scores, begins), count)
        found: list[int] = self.chunks.ids[at[scores >= highest - np.abs(highest) * ROUNDING]].tolist()
        length = float(np.sqrt(np.square(query, dtype=np.int64).sum()))
        means = np.add.reduceat(scores, begins) / (count * length)
        return found, dict(zip(notes.tolist(), means.tolist(), strict=True))

    def admitted(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Which rows of `chunks` are of these notes."""
        return among(self.chunks.ids >> SLOT_BITS, note_ids)


class VectorCache:
    """The vectors of the newest moment that was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: Vectors | None = None

    def fits(self, connection: apsw.Connection) -> bool:
        """Whether all vectors may be kept in memory."""
        with self._lock:
            kept = self._kept
        if kept is not None:
            return kept.chunks.size_bytes < MEMORY_BYTES
        _, count = meta.totals(connection)
        return bool(count * (meta.dimension(connection) or 0) < MEMORY_BYTES)

    def vectors(self, connection: apsw.Connection) -> Vectors:
        """The vectors as *connection*'s snapshot has them."""
        generation = meta.generation(connection)
        with self._lock:
            kept = self._kept
            if kept is not None and kept.generation == generation:
                return kept
            if kept is not None and kept.generation > generation:  # an older moment; the newest is kept all the same
                return _load(connection, generation)
            self._kept = _brought_up(connection, kept, generation) if kept else _load(connection, generation)
            return self._kept


def _load(connection: apsw.Connection, generation: int) -> Vectors:
    """Read all vectors: 80,000 of 256 dimensions take 0.1 s."""
    chunks = select(connection, "SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0 ORDER BY chunk_id")
    titles = select(connection, "SELECT note_id, vector FROM title_vectors WHERE length(vector) > 0 ORDER BY note_id")
    return Vectors(generation, Matrix.of(chunks), Matrix.of(titles))


def read_vectors(connection: apsw.Connection, note_ids: Sequence[int]) -> Vectors:
    """The vectors of some notes alone, for where memory does not hold all."""
    chunks = Matrix.of(row for note_id in note_ids for row in _chunk_rows(connection, note_id))
    titles = Matrix.of(row for note_id in note_ids for row in _title_row(connection, note_id))
    return Vectors(meta.generation(connection), chunks, titles)


def _brought_up(connection: apsw.Connection, kept: Vectors, generation: int) -> Vectors:
    """*kept* with the notes read anew that changed since."""
    changed = [
        note_id
        for (note_id,) in select(
            connection,
            "SELECT note_id FROM changes WHERE generation > ? ORDER BY note_id LIMIT ?",
            (kept.generation, FEW_NOTES + 1),
        )
    ]
    was_dropped = int(meta.get(connection, meta.DROPPED) or 0) > kept.generation
    if was_dropped or len(changed) > FEW_NOTES:
        return _load(connection, generation)
    if not changed:
        return Vectors(generation, kept.chunks, kept.titles)
    note_ids = np.array(changed, dtype=np.int64)
    fresh = read_vectors(connection, changed)
    return Vectors(
        generation,
        kept.chunks.replaced(~kept.admitted(note_ids), fresh.chunks),
        kept.titles.replaced(~among(kept.titles.ids, note_ids), fresh.titles),
    )


def _chunk_rows(connection: apsw.Connection, note_id: int) -> _Rows:
    return select(
        connection,
        "SELECT chunk_id, vector FROM vectors WHERE chunk_id BETWEEN ? AND ? AND length(vector) > 0 ORDER BY chunk_id",
        id_range(note_id),
    )


def _title_row(connection: apsw.Connection, note_id: int) -> _Rows:
    sql = "SELECT note_id, vector FROM title_vectors WHERE note_id = ? AND length(vector) > 0"
    return select(connection, sql, (note_id,))


def _highest(scores: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """
    Where the *limit* highest of *scores* stand, and all that are as high as the last of them; in no order.

    The highest of each run of 64 are looked at first: at least *limit* scores are as high as the last of the *limit*
    highest of those, so nothing lower needs to be sorted.
    """
    runs = len(scores) // RUN
    if limit >= runs:
        threshold = np.partition(scores, -limit)[-limit] if limit < len(scores) else -np.inf
        return np.flatnonzero(scores >= threshold)
    peaks = scores[: runs * RUN].reshape(runs, RUN).max(axis=1)
    found = np.flatnonzero(scores >= np.partition(peaks, -limit)[-limit])
    lowest = np.partition(scores[found], -limit)[-limit]
    highest: NDArray[np.intp] = found[scores[found] >= lowest]
    return highest


def _exact_kind(query: NDArray[np.int8]) -> type[np.floating[Any]]:
    """The smallest float that adds up products with *query* without rounding."""
    return np.float32 if query.size * 127 * 127 < EXACT_SUM else np.float64


def _norms(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    squares = np.empty(len(rows), dtype=np.float64)
    for start in range(0, len(rows), BLOCK_ROWS):
        squares[start : start + BLOCK_ROWS] = np.square(rows[start : start + BLOCK_ROWS], dtype=np.int64).sum(axis=1)
    return np.sqrt(squares)
