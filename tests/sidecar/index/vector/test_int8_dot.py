import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.vector import quantize as module
from quarry.index.vector.quantize import int8_dot, numpy_int8_dot


@pytest.fixture(autouse=True)
def asked_anew():
    module._simsimd.cache_clear()
    yield
    module._simsimd.cache_clear()


@given(dim=st.integers(1, 2_100), count=st.integers(0, 9), seed=st.integers(0, 9))
def test_products_are_whole_numbers_whoever_adds_them_up(dim, count, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-128, 128, (count, dim), dtype=np.int8)
    query = rng.integers(-128, 128, dim, dtype=np.int8)
    plain = (rows.astype(np.int64) @ query.astype(np.int64)).tolist()

    assert int8_dot(rows, query).tolist() == numpy_int8_dot(rows, query).tolist() == plain


def test_the_largest_numbers_do_not_overflow():
    rows = np.full((3, 4_096), -128, dtype=np.int8)

    assert int8_dot(rows, rows[0]).tolist() == numpy_int8_dot(rows, rows[0]).tolist() == [4_096 * 128 * 128] * 3


def test_without_the_library_or_with_one_that_is_wrong_numpy_is_asked(monkeypatch):
    class Wrong:
        @staticmethod
        def dot(query, rows):
            return np.zeros(len(rows))

    rows = np.ones((2, 5), dtype=np.int8)

    for found in (None, Wrong):
        module._simsimd.cache_clear()
        monkeypatch.setitem(__import__("sys").modules, "simsimd", found)
        assert module._simsimd() is None
        assert int8_dot(rows, rows[0]).tolist() == [5, 5]
