"""The best of many scores, with ties broken by path and chunk number, never by the order in which rows were written."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index.database import select
from quarry.index.keys import id_list

Scores: TypeAlias = NDArray[np.floating[Any]]

LOWEST = float(np.finfo(np.float32).min)  # no score is as low as this, but minus infinity
PEAK_STRIDE = 64  # scores of which only the highest is compared first: a quarter of the time of sorting out 80,000


def top_k(scores: Scores, limit: int, margin: float = 0.0) -> NDArray[np.intp]:
    """
    Positions of the *limit* highest *scores*, and of all that equal the last of them; ascending.

    Args:
        margin: All scores lower than the last by at most so much are found as well.

    A score of minus infinity is never found.
    """
    found: NDArray[np.intp] = (scores >= max(reached_by(scores, limit) - margin, LOWEST)).nonzero()[0]
    if len(found) > limit:
        chosen = scores.take(found)
        found = found[chosen >= _kth_highest(chosen, limit) - margin]
    return found


def reached_by(scores: Scores, limit: int) -> float:
    """
    A score that at least *limit* of *scores* reach, and not many more; where they are fewer, the lowest finite one.

    It is the *limit*-th highest of the peaks of groups of scores: so many groups hold a score as high as that. A group
    is every n-th score and not a run of neighbours, as that is quicker.
    """
    groups = len(scores) // PEAK_STRIDE
    if limit <= groups:
        peaks: Scores = np.maximum.reduce(scores[: groups * PEAK_STRIDE].reshape(PEAK_STRIDE, groups))
        return max(_kth_highest(peaks, limit), LOWEST)
    return max(_kth_highest(scores, limit), LOWEST) if limit <= len(scores) else LOWEST


def _kth_highest(scores: Scores, k: int) -> float:
    ordered = scores.copy()
    ordered.partition(-k)
    return float(ordered[-k])


GROWTH = 4  # where a cut falls amid equal scores, so many times as many are asked for

Scored = tuple[int, float]
"""The id of a chunk or note, and its score; higher is better."""
ChunkLocation = tuple[str, int]
"""The path of a chunk's note, and the chunk's number there."""


def fetch_with_ties(fetch: Callable[[int], Sequence[Scored]], depth: int) -> Sequence[Scored]:
    """
    The best *depth* rows and all that score like the last of them, best first, and perhaps some more.

    Args:
        fetch: Gives as many of the best rows as it is asked for, best first; fewer when there are no more.
    """
    limit = depth + 1
    while True:
        rows = fetch(limit)
        if len(rows) < limit or rows[-1][1] != rows[depth - 1][1]:
            return rows
        limit *= GROWTH


def sort_by_score_then_path(
    ids: NDArray[np.int64],
    scores: NDArray[np.float64],
    depth: int,
    location_of: Callable[[Sequence[int]], Mapping[int, ChunkLocation]],
) -> list[Scored]:
    """The best *depth* of *ids* with their *scores*; see `argsort_by_score_then_path`."""
    order = argsort_by_score_then_path(ids, scores, depth, location_of)
    return list(zip(ids[order].tolist(), scores[order].tolist(), strict=True))


def argsort_by_score_then_path(
    ids: NDArray[np.int64],
    scores: NDArray[np.float64],
    depth: int,
    location_of: Callable[[Sequence[int]], Mapping[int, ChunkLocation]],
) -> NDArray[np.intp]:
    """
    Positions of the best *depth* of *ids*, best first; equal *scores* are ordered by path, then by chunk number.

    Args:
        location_of: Locations of ids. It is called only where several of the best score alike, as looking locations up
            costs more than sorting.
    """
    order = (-scores).argsort(kind="stable")
    ordered = scores[order]
    if len(order) > depth:
        ordered = ordered[: np.count_nonzero(ordered >= ordered[depth - 1])]
        order = order[: len(ordered)]
    is_tied = ordered[1:] == ordered[:-1]
    if is_tied.any():
        runs = _runs(is_tied)
        ordered_ids, positions = ids[order].tolist(), order.tolist()
        places = location_of([note_id for first, last in runs for note_id in ordered_ids[first:last]])
        place_of = {at: places.get(ordered_ids[at], ("", 0)) for first, last in runs for at in range(first, last)}
        for first, last in runs:
            order[first:last] = [positions[at] for at in sorted(range(first, last), key=place_of.__getitem__)]
    return order[:depth]


def _runs(is_tied: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of equal scores as `[first, last)`, given for each score but the last whether the next one equals it."""
    runs: list[tuple[int, int]] = []
    for at in is_tied.nonzero()[0].tolist():
        first = runs.pop()[0] if runs and runs[-1][1] == at + 1 else at
        runs.append((first, at + 2))
    return runs


def paths_of(connection: apsw.Connection, note_ids: Sequence[int]) -> dict[int, str]:
    """The paths of these notes; ids that are not there are left out."""
    sql = "SELECT id, path FROM notes WHERE id IN (SELECT value FROM json_each(?))"
    return dict(select(connection, sql, (id_list(note_ids),)))


def chunk_locations(connection: apsw.Connection, chunk_ids: Sequence[int]) -> dict[int, ChunkLocation]:
    """The location of each of these chunks; ids that are not there are left out."""
    sql = (
        "SELECT c.id, n.path, c.number FROM chunk_rows c JOIN notes n ON n.id = c.note_id"
        " WHERE c.id IN (SELECT value FROM json_each(?))"
    )
    return {chunk_id: (path, number) for chunk_id, path, number in select(connection, sql, (id_list(chunk_ids),))}
