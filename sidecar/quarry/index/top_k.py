"""The highest of many scores, without sorting them."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
