"""Cutting a ranking where it has ties: by path and chunk number, never by the order in which rows came to be."""

from collections.abc import Callable, Iterable, Sequence

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
