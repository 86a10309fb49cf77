import numpy as np

from quarry.index.postings.merging import merged


def postings(*pairs):
    return np.array([at for at, _ in pairs], np.intp), np.array([code for _, code in pairs], np.intp)


def test_postings_of_several_terms_are_those_of_one():
    ordinals, codes = merged([postings((1, 7), (5, 8)), postings(), postings((0, 9), (3, 7))])

    assert (ordinals.tolist(), codes.tolist()) == ([0, 1, 3, 5], [9, 7, 7, 8])


def test_terms_that_nothing_holds_have_none():
    assert [len(column) for column in merged([postings(), postings()])] == [0, 0]
    assert [len(column) for column in merged([])] == [0, 0]
