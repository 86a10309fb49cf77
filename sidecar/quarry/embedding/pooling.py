"""One vector of a text, from those of its tokens."""

from typing import Literal, TypeAlias, get_args

import numpy as np

from quarry.embedding.encoder import FloatMatrix, FloatVector

Pooling: TypeAlias = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
"""A way to pool, as sentence-transformers names it."""

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)


def pool(states: FloatMatrix, pooling: Pooling) -> FloatVector:
    """
    Pool *states*, shape (token count, dim), of at least one token.

    Returns:
        float32, shape (dim,), of any length: all are compared by their direction, in which `mean_sqrt_len_tokens` is
        `mean`.
    """
    match pooling:
        case "cls":
            vector = states[0]
        case "lasttoken":
            vector = states[-1]
        case "max":
            vector = states.max(axis=0)
        case "mean" | "mean_sqrt_len_tokens":
            vector = states.mean(axis=0)
        case "weightedmean":  # later tokens have read more: Muennighoff, SGPT, https://arxiv.org/abs/2202.08904
            weights = np.arange(1, len(states) + 1, dtype=np.float32)
            vector = weights @ states / weights.sum()
    return np.asarray(vector, np.float32)
