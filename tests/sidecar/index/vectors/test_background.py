"""What a query's cosines with passages taken at random say, and what the sample depends on."""

import numpy as np
import pytest

from quarry.index import Background, Index
from quarry.index.vectors.background import PRIOR_MEAN, PRIOR_SPREAD, SAMPLE_ROWS, BackgroundSample, in_sample
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.query import QueryVector

DIM = 32


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(5).integers(-127, 128, (20_000, DIM), dtype=np.int8)


def test_the_sample_is_about_as_large_as_wanted_and_spread_over_all_rows(rows):
    chosen = in_sample(rows, len(rows))

    assert 0.8 * SAMPLE_ROWS < len(chosen) < 1.2 * SAMPLE_ROWS
    assert chosen[0] < 200
    assert chosen[-1] > len(rows) - 200


def test_the_sample_does_not_depend_on_the_order_of_the_rows(rows):
    order = np.random.default_rng(6).permutation(len(rows))
    query = QueryVector.of(np.ones(DIM, np.float32))
    first, second = (
        BackgroundSample.of(some[in_sample(some, len(some))]).background(query.quantized, query.quantized_norm)
        for some in (rows, rows[order])
    )

    assert first == second


def test_the_background_is_near_that_of_all_rows(rows):
    query = QueryVector.of(np.arange(DIM, dtype=np.float32))
    sample = BackgroundSample.of(rows[in_sample(rows, len(rows))])
    found = sample.background(query.quantized, query.quantized_norm)
    exact = rows.astype(float) @ query.quantized / np.linalg.norm(rows.astype(float), axis=1) / query.quantized_norm

    assert found.mean == pytest.approx(exact.mean(), abs=0.02)
    assert found.spread == pytest.approx(exact.std(), rel=0.1)


def test_few_rows_are_all_taken_and_count_beside_an_ordinary_vault(rows):
    few = rows[:4]
    query = QueryVector.of(few[0].astype(np.float32))
    found = BackgroundSample.of(few[in_sample(few, 4)]).background(query.quantized, query.quantized_norm)

    assert in_sample(few, 4).tolist() == [0, 1, 2, 3]
    assert found.spread < 3 * PRIOR_SPREAD  # though the one row that is the query has a cosine of 1


def test_nothing_is_the_background_of_an_ordinary_vault():
    empty = BackgroundSample.of(np.empty((0, DIM), np.int8))
    query = QueryVector.of(np.ones(DIM, np.float32))

    assert empty.background(query.quantized, query.quantized_norm) == Background(PRIOR_MEAN, PRIOR_SPREAD)


@pytest.mark.parametrize("dim", [1, 3, 7])
def test_short_vectors_are_hashed_too(dim):
    rows = np.random.default_rng(1).integers(-127, 128, (5_000, dim), dtype=np.int8)

    assert 0 < len(in_sample(rows, len(rows))) < len(rows)


def test_memory_and_sqlite_vec_know_the_same_background(put, index, encode, tmp_path):
    for number in range(30):
        put(f"{number:02}.md", f"apples {number} and pears of {number * 7} gardens")
    put("05.md", "altogether something else")
    vector = encode(["apples"])[0]
    with index.reader() as reader:
        in_memory = reader.dense_query(vector).background()
    index.close()
    other = Index.open(tmp_path / "index.db", vector_limits=VectorLimits(memory_bytes=0))
    try:
        with other.reader() as reader:
            stored = reader.dense_query(vector).background()
    finally:
        other.close()

    assert in_memory == stored
