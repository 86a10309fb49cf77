import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import Cancelled
from quarry.index.postings import bm25
from quarry.index.postings.bm25 import LazyScores, idf, scores_of, sparse_scores, top_documents

SIZE = 400


def term(seed, count, length_norms, *, as_common, by_code=False):
    random = np.random.default_rng(seed)
    positions = np.sort(random.choice(SIZE, count, replace=False))
    frequencies = random.integers(1, 4, count).astype(np.float64)
    if not as_common:
        return sparse_scores(positions, frequencies, np.array([count]), length_norms, SIZE)
    everywhere = np.zeros(SIZE)
    everywhere[positions] = frequencies
    if not by_code:
        return LazyScores(count, idf(count, SIZE), length_norms, everywhere, None)
    codes = everywhere.astype(np.uint16)
    return LazyScores(count, idf(count, SIZE), length_norms, np.arange(4.0), codes)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, SIZE), st.booleans(), st.booleans()), max_size=5),
    st.integers(1, 60),
    st.sampled_from([None, 2, 7]),
)
def test_the_best_are_those_of_all_scores_and_ties_are_not_cut(terms, limit, every):
    length_norms = 1.2 * (0.25 + 0.75 * (1 + np.arange(SIZE) % 3))
    found = [term(seed, count, length_norms, as_common=a and count > 0, by_code=b) for seed, count, a, b in terms]
    chosen = None if every is None else np.arange(SIZE) % every == 0

    positions, values = top_documents(found, SIZE, chosen, limit, lambda: None)

    whole = scores_of(found, SIZE, np.arange(SIZE))
    if chosen is not None:
        whole = whole * chosen
    lowest = np.sort(whole)[-limit]
    expected = np.flatnonzero((whole >= lowest) & (whole > 0))
    assert sorted(positions.tolist()) == expected.tolist()
    assert values.tolist() == whole[positions].tolist()


@pytest.mark.parametrize("by_code", [False, True])
def test_a_common_term_scores_like_a_rare_one(by_code):
    length_norms = np.full(SIZE, 1.2)
    rare = term(1, 50, length_norms, as_common=False)
    common = term(1, 50, length_norms, as_common=True, by_code=by_code)

    assert common.held().tolist() == rare.held().tolist() == rare.ordinals.tolist()
    assert [array.tolist() for array in common.each()] == [array.tolist() for array in rare.each()]
    everywhere = np.arange(SIZE)
    assert scores_of([rare], SIZE, everywhere).tolist() == scores_of([common], SIZE, everywhere).tolist()
    assert common.highest >= rare.values.max()


def test_a_search_can_be_given_up_between_terms():
    def refuse():
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        top_documents([term(1, 5, np.ones(SIZE), as_common=False)], SIZE, None, 3, refuse)


def test_a_term_in_most_documents_has_the_least_idf():
    assert bm25.idf(9, 10) == bm25.LEAST_IDF


def test_terms_read_together_score_like_each_by_itself():
    length_norms = 1.2 * (0.25 + 0.75 * (1 + np.arange(SIZE) % 3))
    apart = [term(seed, count, length_norms, as_common=False) for seed, count in ((1, 40), (2, 0), (3, 7))]
    positions = np.concatenate([found.ordinals for found in apart])

    together = sparse_scores(positions, np.ones(47), np.array([40, 0, 7]), length_norms, SIZE)

    of_each = [sparse_scores(at.ordinals, np.ones(at.count), np.array([at.count]), length_norms, SIZE) for at in apart]
    everywhere = np.arange(SIZE)
    assert scores_of([together], SIZE, everywhere).tolist() == scores_of(of_each, SIZE, everywhere).tolist()
