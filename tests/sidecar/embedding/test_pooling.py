from typing import get_args

import numpy as np
import pytest

from quarry.embedding.pooling import POOLINGS, Pooling, pool

STATES = np.array([[1, 0], [2, 6], [6, 3]], np.float32)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("cls", [1, 0]),
        ("lasttoken", [6, 3]),
        ("max", [6, 6]),
        ("mean", [3, 3]),
        ("mean_sqrt_len_tokens", [3, 3]),  # which is longer, and points the same way
        ("weightedmean", [23 / 6, 21 / 6]),
    ],
)
def test_states_are_pooled(pooling: Pooling, expected: list[float]) -> None:
    vector = pool(STATES, pooling)

    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, expected)


@pytest.mark.parametrize("pooling", get_args(Pooling))
def test_the_vector_of_a_single_token_is_its_state(pooling: Pooling) -> None:
    assert pool(STATES[1:2], pooling).tolist() == [2, 6]


def test_all_poolings_are_listed() -> None:
    assert set(POOLINGS) == set(get_args(Pooling))
