import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.postings.term_counts import count_terms, downcast

TOKENS = st.sampled_from(["a", "be", "ü", "机", "x\u2028y", "", "a_b", "c++"])
DOCUMENTS = st.lists(st.tuples(*[st.lists(TOKENS, max_size=6).map(" ".join)] * 3), max_size=20)


def told(counted):
    """Of each document word -> how often it is in each column."""
    found = [{} for _ in counted.field_lengths]
    for word, document, code in zip(counted.term, counted.document, counted.code, strict=True):
        assert counted.terms[word].decode() not in found[document]
        found[document][counted.terms[word].decode()] = counted.tf_table[code].tolist()
    return found


@pytest.mark.slow
@given(DOCUMENTS)
def test_every_token_is_counted_in_its_document_and_column(documents):
    counted = count_terms(documents, 3)

    columns = [[Counter(column.split(" ")) for column in document] for document in documents]
    for document in columns:
        for column in document:
            column.pop("", None)
    assert told(counted) == [{word: [c[word] for c in found] for word in set().union(*found)} for found in columns]
    assert counted.field_lengths.tolist() == [[c.total() for c in found] for found in columns]
    assert len(set(counted.terms)) == len(counted.terms)


def test_what_was_counted_is_the_same_elsewhere():
    counted = count_terms([("a b", "c"), ("b b", "")], 2)

    expected = [{"a": [1, 0], "b": [1, 0], "c": [0, 1]}, {"b": [2, 0]}]
    assert told(counted) == expected
    assert told(pickle.loads(pickle.dumps(counted))) == expected


def test_no_documents_have_no_words():
    counted = count_terms([], 5)

    assert (counted.terms, counted.field_lengths.shape, len(counted.term)) == ((), (0, 5), 0)


def test_more_words_and_documents_than_fit_into_half_a_number_are_counted():
    documents = [(" ".join(f"w{document}x{word}" for word in range(40)), "all all") for document in range(4_000)]
    counted = count_terms(documents, 2)

    found = told(counted)
    assert len(counted.terms) * len(documents) >= 1 << 29
    assert found[17] == {f"w17x{word}": [1, 0] for word in range(40)} | {"all": [0, 2]}
    assert counted.field_lengths.tolist() == [[40, 2]] * 4_000


def test_numbers_take_four_bytes_where_two_are_too_few():
    values = np.array([0, 70_000])

    assert downcast(values, 70_001).tolist() == [0, 70_000]
    assert downcast(values[:1], 1 << 16).dtype == np.uint16
