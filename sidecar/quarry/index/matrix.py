"""Every vector of the index in memory: the exact search that serves where sqlite-vec cannot."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index import meta
from quarry.index.database import select
from quarry.index.ties import Scored

BLOCK_ROWS = 1024  # turned into floats at a time, 1 MB at 256 dimensions; 4096 want fresh pages: ten times slower
EXACT_SUM = 2**24  # float32 counts whole numbers up to here without rounding


@dataclass(frozen=True, slots=True)
class Matrix:
    """Stored vectors in the order of their chunk ids."""

    ids: NDArray[np.int64]  # shape (count,), ascending
    rows: NDArray[np.int8]  # shape (count, dim)
    norms: NDArray[np.float64]  # shape (count,)

    def best(
        self, query: NDArray[np.int8], among: NDArray[np.int64] | None, limit: int, check: Callable[[], None]
    ) -> Sequence[Scored]:
        """
        The *limit* rows nearest to *query* by cosine, and all that score like the last of them; best first.

        Products of int8 are summed as whole numbers, so no order of adding changes a score.

        Args:
            among: Ids to choose from; None: all.
            check: Called between blocks; may raise to give up.
        """
        chosen = slice(None) if among is None else np.flatnonzero(np.isin(self.ids, among))
        ids, rows, norms = self.ids[chosen], self.rows[chosen], self.norms[chosen]
        if not len(ids):
            return []
        kind: type[np.floating[Any]] = np.float32 if query.size * 127 * 127 < EXACT_SUM else np.float64
        needle = query.astype(kind)
        scores = np.empty(len(ids), dtype=np.float64)
        for start in range(0, len(ids), BLOCK_ROWS):
            check()
            scores[start : start + BLOCK_ROWS] = np.dot(rows[start : start + BLOCK_ROWS].astype(kind), needle)
        scores /= norms
        threshold = np.partition(scores, -limit)[-limit] if limit < len(scores) else -np.inf
        found = np.flatnonzero(scores >= threshold)
        found = found[np.argsort(-scores[found], kind="stable")]
        return [(int(ids[at]), float(scores[at])) for at in found]


def load(connection: apsw.Connection) -> Matrix:
    """Read all vectors; 20,000 of 256 dimensions take 20 ms."""
    found = select(connection, "SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0 ORDER BY chunk_id")
    ids = np.array([chunk_id for chunk_id, _ in found], dtype=np.int64)
    flat = np.frombuffer(b"".join(vector for _, vector in found), dtype=np.int8)
    rows = flat.reshape(len(ids), -1) if len(ids) else flat.reshape(0, 0)
    squares = np.empty(len(ids), dtype=np.float64)
    for start in range(0, len(ids), BLOCK_ROWS):
        squares[start : start + BLOCK_ROWS] = np.square(rows[start : start + BLOCK_ROWS], dtype=np.int64).sum(axis=1)
    return Matrix(ids, rows, np.sqrt(squares))


class MatrixCache:
    """The matrix of the newest state that was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[int, Matrix] | None = None

    def matrix(self, connection: apsw.Connection) -> Matrix:
        """The vectors as *connection*'s snapshot has them."""
        generation = meta.generation(connection)
        with self._lock:
            if self._kept is None or self._kept[0] != generation:
                self._kept = (generation, load(connection))
            return self._kept[1]
