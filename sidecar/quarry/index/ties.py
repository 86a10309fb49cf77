"""Cutting a ranking where it has ties: by path and chunk number, never by the order in which rows came to be."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.types import Candidate, Ranking

GROWTH = 4  # a cut amid equal scores asks again for this many times as many

Scored = tuple[int, float]
"""A chunk's id and its score, higher is better."""
Place = tuple[str, int]
"""The path of a chunk's note, and its number there."""


def fetch_past_ties(fetch: Callable[[int], Sequence[Scored]], depth: int) -> Sequence[Scored]:
    """
    At least the best *depth*, and all that score like the last of them.

    Args:
        fetch: Gives the best so many, best first; fewer when there are no more.
    """
    limit = depth + 1
    while True:
        rows = fetch(limit)
        if len(rows) < limit or rows[-1][1] != rows[depth - 1][1]:
            return rows
        limit *= GROWTH


def cut(candidates: Iterable[Candidate], depth: int) -> Ranking:
    """The best *depth* of *candidates*, equal scores by path and number."""
    ordered = sorted(candidates, key=lambda candidate: (-candidate.score, candidate.path, candidate.number))
    return tuple(ordered[:depth])


def in_order(
    ids: NDArray[np.int64],
    scores: NDArray[np.float64],
    depth: int,
    place_of: Callable[[Sequence[int]], Mapping[int, Place]],
) -> list[Scored]:
    """
    The best *depth* of *ids*, equal *scores* by their places.

    Args:
        place_of: Is only asked where several of the best score alike: to look it up costs more than to sort.
    """
    order = np.argsort(-scores, kind="stable")
    scores = scores[order]
    if len(order) > depth:
        order = order[: np.searchsorted(-scores, -scores[depth - 1], side="right")]
        scores = scores[: len(order)]
    found = list(zip(ids[order].tolist(), scores.tolist(), strict=True))
    runs = _ties(scores)
    if runs:
        places = place_of([found[at][0] for first, last in runs for at in range(first, last)])
        for first, last in runs:
            found[first:last] = sorted(found[first:last], key=lambda scored: places.get(scored[0], ("", 0)))
    return found[:depth]


def _ties(scores: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Where several of the ordered *scores* are equal: `[first, last)` of each such run."""
    is_tied = np.concatenate([[False], scores[1:] == scores[:-1], [False]])
    borders: list[int] = np.flatnonzero(is_tied[1:] != is_tied[:-1]).tolist()
    return [(first, last + 1) for first, last in zip(borders[::2], borders[1::2], strict=True)]


def place_of_chunks(connection: apsw.Connection, chunk_ids: Sequence[int]) -> dict[int, Place]:
    """The place of each of these chunks; ids that are not there are left out."""
    sql = (
        "SELECT c.id, n.path, c.number FROM chunk_rows c JOIN notes n ON n.id = c.note_id"
        " WHERE c.id IN (SELECT value FROM json_each(?))"
    )
    return {chunk_id: (path, number) for chunk_id, path, number in select(connection, sql, (id_list(chunk_ids),))}


def candidates(connection: apsw.Connection, scores: Mapping[int, float]) -> list[Candidate]:
    """The chunks of *scores* by name, in no order; ids that are not there are left out."""
    places = place_of_chunks(connection, [*scores])
    return [Candidate(chunk_id, path, number, scores[chunk_id]) for chunk_id, (path, number) in places.items()]
