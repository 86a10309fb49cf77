import numpy as np
import pytest

from quarry.errors import Cancelled
from quarry.index import quantize
from quarry.index.vectors import matrix as matrices
from quarry.index.vectors.matrix import RowBuffer, ScoredMatrix, VectorLimits, VectorMatrix, norm_type, row_norms
from quarry.index.vectors.quantize import int8_dot


def matrix_of(ids, rows, slot_bits=0, **limits):
    stored = RowBuffer(len(ids), rows.shape[1], VectorLimits(**limits))
    stored.append(np.array(ids, dtype=np.int64), rows)
    return VectorMatrix.of(stored, slot_bits)


def random_rows(count, dim=16, seed=0):
    rows = quantize(np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32))
    return np.frombuffer(b"".join(rows), dtype=np.int8).reshape(count, dim)


def random_matrix(count, dim=16, seed=0, slot_bits=0, **limits):
    return matrix_of(range(0, 3 * count, 3), random_rows(count, dim, seed), slot_bits, **limits)


def best_ids(matrix, query, chosen, limit):
    return sorted(matrix.ids[ScoredMatrix(matrix, query).top_rows(chosen, limit, 0, lambda: None)].tolist())


QUERY = np.arange(-8, 8, dtype=np.int8)


def test_the_best_are_those_of_a_plain_sum_whatever_the_block():
    matrix = random_matrix(500, rows_per_check=7)
    plain = (matrix.rows.astype(np.int64) @ QUERY.astype(np.int64)) / matrix.norms

    found = ScoredMatrix(matrix, QUERY).top_rows(None, 20, 0, lambda: None)

    assert sorted(found.tolist()) == sorted(np.argsort(-plain, kind="stable")[:20].tolist())
    assert matrix.scores_at(QUERY, found).tolist() == pytest.approx(plain[found].tolist(), rel=1e-6)


def test_only_chosen_rows_are_found_and_ties_are_not_cut():
    matrix = matrix_of(range(10), np.tile(np.array([1, 2, 3, 4], np.int8), (10, 1)))

    assert best_ids(matrix, np.ones(4, np.int8), np.arange(0, 10, 2), 2) == [0, 2, 4, 6, 8]
    assert best_ids(matrix, np.ones(4, np.int8), np.arange(0, 2), 1) == [0, 1]  # so few are copied out
    assert best_ids(matrix, np.ones(4, np.int8), np.arange(0), 2) == []


def test_a_search_can_be_given_up():
    def refuse():
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        ScoredMatrix(random_matrix(10), QUERY).top_rows(None, 2, 0, refuse)


@pytest.mark.parametrize("dim", [1, 16, 256, 257, 300, 1024, 2048])
def test_a_norm_tells_the_exact_whole_number_that_it_is_the_root_of(dim):
    rows = np.random.default_rng(dim).integers(-127, 128, (200, dim)).astype(np.int8)
    rows[0], rows[1:3, 0] = 127, 1
    squares = np.square(rows, dtype=np.int64).sum(axis=1)

    norms = row_norms(rows).astype(norm_type(dim))

    assert np.rint(np.square(norms, dtype=np.float64)).tolist() == squares.tolist()


# --- changes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 16, 256, 260, 300])
def test_a_score_is_known_as_exactly_as_if_it_had_never_been_float32(dim):
    rows = np.concatenate([random_rows(50, dim, 3), np.full((2, dim), 127, np.int8)])
    matrix, query = matrix_of(range(52), rows), np.full(dim, 127, np.int8)
    at = np.arange(51, -1, -1)
    products, squares = (np.sum(rows[at].astype(np.int64) * other, axis=1) for other in (query, rows[at]))

    assert matrix.unrounded(matrix.scores_at(query, at), at).tolist() == (products / np.sqrt(squares)).tolist()


def test_what_is_replaced_is_found_no_more_and_what_replaces_it_is():
    matrix = matrix_of([8, 9, 16, 24], random_rows(4), slot_bits=3)
    fresh = random_rows(3, seed=1)

    after = matrix.with_replaced([1, 2, 9], np.array([8, 10, 72]), fresh)

    everything = best_ids(after, QUERY, None, 99)
    assert everything == [8, 10, 24, 72]
    assert [after.ids[after.rows_of_owners(np.array([n]))[0]].tolist() for n in (1, 2, 3, 9)] == [
        [8, 10],
        [],
        [24],
        [72],
    ]
    assert after.rows[after.rows_of_owners(np.array([1]))[0][0]].tobytes() == fresh[0].tobytes()
    assert best_ids(matrix, QUERY, None, 99) == [8, 9, 16, 24]


def test_a_matrix_without_room_or_mostly_of_the_past_is_to_be_read_anew():
    matrix = matrix_of([1, 2, 3, 4], random_rows(4), min_spare_rows=2)

    assert matrix.with_replaced([7, 8, 9], np.array([7, 8, 9]), random_rows(3)) is None
    assert matrix.with_replaced([7], np.array([7]), random_rows(1, dim=8)) is None
    assert matrix.with_replaced([1, 2, 3], np.empty(0, np.int64), random_rows(0)) is None


# --- many rows ---------------------------------------------------------------------------------


def test_of_many_rows_the_signs_propose_and_the_numbers_decide():
    rng = np.random.default_rng(2)
    centres = rng.normal(size=(60, 64))
    rows = (centres[rng.integers(0, 60, 4_000)] + 0.3 * rng.normal(size=(4_000, 64))).astype(np.float32)
    stored = np.frombuffer(b"".join(quantize(rows)), dtype=np.int8).reshape(4_000, 64)
    matrix = matrix_of(range(4_000), stored, exact_rows=1_000, shortlist=600)
    query = np.frombuffer(quantize(centres[:1].astype(np.float32))[0], dtype=np.int8)
    chosen = np.arange(0, 4_000, 2)

    for among in (None, chosen):
        plain = matrix.scores_at(query, np.arange(4_000) if among is None else among)
        exact = np.argsort(-plain, kind="stable")[:20]
        expected = set((exact if among is None else among[exact]).tolist())
        assert len(expected & set(ScoredMatrix(matrix, query).top_rows(among, 20, 0, lambda: None).tolist())) >= 19


def test_many_rows_that_were_added_one_after_the_other_are_searched_like_those_read_at_once():
    rows, limits = random_rows(1_100), {"exact_rows": 1_000, "shortlist": 50}
    grown = matrix_of(range(990), rows[:990], **limits)
    for owner in range(990, 1_100):
        grown = grown.with_replaced([owner], np.array([owner]), rows[owner : owner + 1])
    at_once = matrix_of(range(1_100), rows, **limits)

    assert best_ids(grown, QUERY, None, 10) == best_ids(at_once, QUERY, None, 10)


def test_all_rows_are_compared_once_however_often_a_scan_is_asked(monkeypatch):
    matrix, compared = random_matrix(300), []

    def counted(rows, query):
        compared.append(len(rows))
        return int8_dot(rows, query)

    monkeypatch.setattr(matrices, "int8_dot", counted)
    scan = ScoredMatrix(matrix, QUERY)
    found = scan.top_rows(None, 20, 0, lambda: None)
    among = scan.top_rows(np.arange(0, 300, 2), 20, 0, lambda: None)
    scores = scan.scores_at(np.arange(300))

    assert compared == [300]
    assert scores.tolist() == matrix.scores_at(QUERY, np.arange(300)).tolist()
    assert set(found[found % 2 == 0].tolist()) <= set(among.tolist())


def test_deleted_rows_are_not_found_where_binary_codes_propose():
    rows = random_rows(1_200)
    matrix = matrix_of(range(1_200), rows, exact_rows=1_000, shortlist=20)
    nearest = best_ids(matrix, QUERY, None, 3)

    after = matrix.with_replaced(nearest, np.empty(0, np.int64), random_rows(0))

    found = best_ids(after, QUERY, None, 3)
    assert len(found) == 3
    assert not set(found) & set(nearest)


def test_where_fewer_are_left_than_wanted_deleted_rows_do_not_make_up_the_number():
    matrix = matrix_of(range(4), random_rows(4)).with_replaced([1], np.empty(0, np.int64), random_rows(0))

    assert best_ids(matrix, QUERY, None, 4) == [0, 2, 3]
