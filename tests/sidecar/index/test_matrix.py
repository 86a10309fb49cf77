import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.errors import Cancelled
from quarry.index import Index, quantise
from quarry.index import matrix as matrices
from quarry.index.matrix import Matrix, VectorCache


def random_matrix(count, dim=16, seed=0):
    rows = quantise(np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32))
    return Matrix.of((3 * number, row) for number, row in enumerate(rows))


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("ids", "rows", "norms"))


# --- a matrix ----------------------------------------------------------------------------------


def test_the_best_are_those_of_a_plain_sum_whatever_the_block(monkeypatch):
    matrix, query = random_matrix(500), np.arange(-8, 8, dtype=np.int8)
    plain = (matrix.rows.astype(np.int64) @ query.astype(np.int64)) / matrix.norms
    monkeypatch.setattr(matrices, "BLOCK_ROWS", 7)

    found = matrix.best(query, None, 20, lambda: None)

    assert found == [(int(matrix.ids[at]), plain[at]) for at in np.argsort(-plain, kind="stable")[:20]]


def test_only_chosen_rows_are_found_and_ties_are_not_cut():
    row = bytes([1, 2, 3, 4])
    matrix = Matrix.of((number, row) for number in range(10))
    chosen = np.arange(10) % 2 == 0

    assert [at for at, _ in matrix.best(np.ones(4, np.int8), chosen, 2, lambda: None)] == [0, 2, 4, 6, 8]
    assert matrix.best(np.ones(4, np.int8), np.zeros(10, bool), 2, lambda: None) == []


def test_a_search_can_be_given_up_between_blocks():
    def refuse():
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        random_matrix(10).best(np.ones(16, np.int8), None, 2, refuse)


def test_cosines_are_those_of_the_floats_and_unknown_ids_are_left_out():
    matrix = random_matrix(50)
    vector = np.random.default_rng(1).normal(size=16).astype(np.float32)
    expected = (matrix.rows[4] @ vector.astype(np.float64)) / np.linalg.norm(matrix.rows[4]) / np.linalg.norm(vector)

    found = matrix.cosines(vector, [12, 13, 9999])

    assert list(found) == [12]
    assert found[12] == pytest.approx(expected, abs=1e-9)
    assert matrix.cosines(np.zeros(16, np.float32), [12]) == {}
    assert Matrix.of([]).cosines(vector, [12]) == {}


@given(kept=st.sets(st.integers(0, 30)), fresh=st.sets(st.integers(0, 30)))
def test_rows_are_replaced_in_order(kept, fresh):
    vectors = {number: bytes([number + 1, 1]) for number in range(31)}
    before = Matrix.of((number, vectors[number]) for number in sorted(kept))
    after = before.replaced(
        np.array([number not in fresh for number in sorted(kept)], dtype=np.bool_),
        Matrix.of((number, vectors[number]) for number in sorted(fresh)),
    )

    assert same(after, Matrix.of((number, vectors[number]) for number in sorted(kept | fresh))) or not kept | fresh


# --- what is kept ------------------------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 5), st.lists(st.sampled_from(["apples", "pears", ""]), max_size=3)),
        st.tuples(st.just("remove"), st.integers(0, 5)),
        st.tuples(st.just("drop")),
        st.tuples(st.just("look")),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.sampled_from([0, 2, 500]))
def test_what_is_kept_and_brought_up_to_date_is_what_would_be_read(tmp_path_factory, store, make_note, steps, few):
    index = Index.open(tmp_path_factory.mktemp("kept") / "i.db")
    kept = VectorCache()
    original, matrices.FEW_NOTES = matrices.FEW_NOTES, few
    try:
        for step, *arguments in [*steps, ("look",)]:
            if step == "put":
                number, texts = arguments
                store(index, make_note(f"{number}.md", *texts, title=f"t{len(texts)}"))
            elif step == "remove":
                index.remove(f"{arguments[0]}.md")
            elif step == "drop":
                index.drop_vectors()
            else:
                with index.reader() as reader:
                    found, read = kept.vectors(reader._db), VectorCache().vectors(reader._db)
                assert found.generation == read.generation
                assert same(found.chunks, read.chunks) or len(read.chunks.ids) == len(found.chunks.ids) == 0
                assert same(found.titles, read.titles) or len(read.titles.ids) == len(found.titles.ids) == 0
    finally:
        matrices.FEW_NOTES = original
        index.close()


def test_a_saved_note_does_not_cause_everything_to_be_read(index, put, dense, monkeypatch):
    put("a.md", "apples")
    put("b.md", "pears")
    assert dense("apples", depth=1) == [("a.md", 0)]
    monkeypatch.setattr(matrices, "_load", None)

    put("c.md", "plums")

    assert dense("plums", depth=1) == [("c.md", 0)]


def test_an_older_moment_is_read_for_itself(index, put):
    cache = VectorCache()
    put("a.md", "apples")
    with index.reader() as older:
        put("b.md", "pears")
        with index.reader() as newer:
            assert len(cache.vectors(newer._db).chunks.ids) == 2
            assert len(cache.vectors(older._db).chunks.ids) == 1
            assert cache.vectors(newer._db) is cache.vectors(newer._db)


def test_too_many_vectors_for_memory_are_not_kept(index, put, monkeypatch):
    put("a.md", "apples")
    cache = VectorCache()

    with index.reader() as reader:
        assert cache.fits(reader._db)
        monkeypatch.setattr(matrices, "MEMORY_BYTES", 10)
        assert not cache.fits(reader._db)
        cache.vectors(reader._db)
        assert not cache.fits(reader._db)
