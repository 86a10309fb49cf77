import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.errors import IndexDamaged
from quarry.index import Background, Index
from quarry.index.database import connect
from quarry.index.vectors.matrix import VectorLimits, row_norms
from quarry.index.vectors.vector_cache import (
    PRIOR_MEAN,
    PRIOR_SPREAD,
    SAMPLE_ROWS,
    BackgroundSample,
    VectorCache,
    in_sample,
)
from quarry.index.vectors.vector_query import QueryVector


def live_rows(matrix):
    """Id -> row and length, of all that is not deleted."""
    at = np.setdiff1d(np.arange(matrix.count), matrix.deleted).tolist()
    return {int(matrix.ids[n]): (matrix.rows[n].tobytes(), float(matrix.norms[n])) for n in at}


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 5), st.lists(st.sampled_from(["apples", "pears", ""]), max_size=3)),
        st.tuples(st.just("remove"), st.integers(0, 5)),
        st.tuples(st.just("drop")),
        st.tuples(st.just("look")),
    ),
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=60)
@given(STEPS, st.sampled_from([0, 2, 500]))
def test_what_is_kept_and_brought_up_to_date_is_what_would_be_read(tmp_path_factory, store, make_note, steps, few):
    path = tmp_path_factory.mktemp("kept") / "i.db"
    index = Index.open(path)
    kept = VectorCache(VectorLimits(refreshed_notes=few))
    try:
        for step, *arguments in [*steps, ("look",)]:
            if step == "put":
                number, texts = arguments
                store(index, make_note(f"{number}.md", *texts, title=f"t{len(texts)}"))
            elif step == "remove":
                index.remove(f"{arguments[0]}.md")
            elif step == "drop":
                index.static.choose("another")
            else:
                connection, _ = connect(path, writable=False)
                found, read = kept.snapshot(connection), VectorCache().snapshot(connection)
                connection.close()
                for one, other in ((found.chunks, read.chunks), (found.titles, read.titles)):
                    assert live_rows(one) == live_rows(other)
                    owners = np.arange(8)
                    at, there = one.rows_of_owners(owners)[0], other.rows_of_owners(owners)[0]
                    assert one.ids[at].tolist() == other.ids[there].tolist()
    finally:
        index.close()


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_however_many_rows_are_read_at_a_time_all_are(put, snapshot, rows):
    for number, texts in enumerate((["apples", "", "pears"], ["plums"], [""])):
        put(f"{number}.md", *texts, title=f"t{number}")

    with snapshot() as connection:
        found = VectorCache(VectorLimits(rows_per_read=rows)).snapshot(connection)
        stored = dict(connection.execute("SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0"))
        titles = dict(connection.execute("SELECT note_id, vector FROM title_vectors WHERE length(vector) > 0"))

    assert len(stored) == 3
    for matrix, rows_of in ((found.chunks, stored), (found.titles, titles)):
        assert matrix.ids.tolist() == sorted(rows_of)
        assert {row_id: row for row_id, (row, _) in live_rows(matrix).items()} == rows_of
        assert row_norms(matrix.rows).astype(matrix.norms.dtype).tolist() == matrix.norms.tolist()


def test_vectors_of_another_length_than_the_others_are_damage(index, put, tmp_path):
    put("a.md", "apples", "pears")
    connection, _ = connect(tmp_path / "index.db", writable=True)
    last = "(SELECT max(chunk_id) FROM vectors)"
    connection.execute(f"UPDATE vectors SET vector = substr(vector, 2) WHERE chunk_id = {last}")
    connection.close()

    with pytest.raises(IndexDamaged, match="dimensions"), index.reader() as reader:
        reader.read_ahead()


def vectors_read(reader, ask):
    """SQL statements over the tables of vectors that *ask* runs on the reader's connection."""
    statements = []
    reader._db.set_exec_trace(lambda _, sql, __: statements.append(sql) or True)
    ask()
    reader._db.set_exec_trace(None)
    return [sql for sql in statements if "vectors" in sql]


def test_what_is_read_ahead_is_not_read_again(index, put, encode):
    put("a.md", "apples")

    with index.reader() as reader:
        ahead = vectors_read(reader, reader.read_ahead)
        then = vectors_read(reader, lambda: reader.dense_query(encode(["apples"])[0]))

    assert ahead
    assert then == []


def test_an_index_that_was_read_ahead_while_empty_and_is_empty_again_is_near_nothing(index, put, dense):
    with index.reader() as reader:
        reader.read_ahead()
    put("a.md", "apples")
    index.remove("a.md")

    assert dense("apples") == []


@pytest.mark.parametrize("vector_limits", [VectorLimits(memory_bytes=10)])
def test_nothing_is_read_ahead_that_memory_may_not_hold(index, put):
    put("a.md", "apples")

    with index.reader() as reader:
        assert vectors_read(reader, reader.read_ahead) == []


def test_an_older_snapshot_is_read_for_itself(put, snapshot):
    cache = VectorCache()
    put("a.md", "apples")
    with snapshot() as older:
        put("b.md", "pears")
        with snapshot() as newer:
            assert len(live_rows(cache.snapshot(newer).chunks)) == 2
            assert len(live_rows(cache.snapshot(older).chunks)) == 1
            assert cache.snapshot(newer) is cache.snapshot(newer)


def test_whether_memory_may_hold_all_vectors_is_known_before_and_after_they_are_read(put, snapshot):
    put("a.md", "apples")
    caches = VectorCache(), VectorCache(VectorLimits(memory_bytes=10))

    with snapshot() as connection:
        before = [cache.fits(connection) for cache in caches]
        for cache in caches:
            cache.snapshot(connection)
        after = [cache.fits(connection) for cache in caches]

    assert before == after == [True, False]


def test_a_reader_of_an_older_snapshot_is_not_disturbed_by_rows_that_are_appended(put, snapshot):
    cache = VectorCache()
    put("a.md", "apples", "pears")
    put("b.md", "plums")
    with snapshot() as connection:
        before = cache.snapshot(connection)
        seen = live_rows(before.chunks)
    put("a.md", "quinces")
    put("c.md", "cherries")
    with snapshot() as connection:
        after = cache.snapshot(connection)

    assert after.chunks.stored is before.chunks.stored
    assert live_rows(before.chunks) == seen
    assert len(live_rows(after.chunks)) == 3


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
