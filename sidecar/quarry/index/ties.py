"""Cutting a ranking where it has ties: by path and chunk number, never by the order in which rows came to be."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import apsw

from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.types import Candidate, Ranking

GROWTH = 4  # a cut amid equal scores asks again for this many times as many

Scored = tuple[int, float]
"""A chunk's id and its score, higher is better."""


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


def candidates(connection: apsw.Connection, scores: Mapping[int, float]) -> list[Candidate]:
    """The chunks of *scores* by name, in no order; ids that are not there are left out."""
    sql = (
        "SELECT c.id, n.path, c.number FROM chunks c JOIN notes n ON n.id = c.note_id"
        " WHERE c.id IN (SELECT value FROM json_each(?))"
    )
    rows = select(connection, sql, (id_list(scores),))
    return [Candidate(chunk_id, path, number, scores[chunk_id]) for chunk_id, path, number in rows]
