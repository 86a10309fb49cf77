import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.postings.builder import BulkCollector, CountedDocument, SegmentBuilder, count_terms, downcast
from quarry.index.postings.segment import merge_segments
from quarry.index.postings.snapshot import MutableSegment

TOKENS = st.sampled_from(["a", "be", "ü", "机", "x\u2028y", "", "a_b", "c++"])
BATCHES = st.lists(st.tuples(*[st.lists(TOKENS, max_size=6).map(" ".join)] * 3), max_size=20)


def counts_of(counted):
    """Of each document word -> how often it is in each field."""
    found = [{} for _ in counted.field_lengths]
    for word, document, code in zip(counted.term, counted.document, counted.code, strict=True):
        assert counted.terms[word].decode() not in found[document]
        found[document][counted.terms[word].decode()] = counted.tf_table[code].tolist()
    return found


@pytest.mark.slow
@given(BATCHES)
def test_every_token_is_counted_in_its_document_and_field(documents):
    counted = count_terms(documents, 3)

    fields = [[Counter(field.split(" ")) for field in document] for document in documents]
    for document in fields:
        for field in document:
            field.pop("", None)
    assert counts_of(counted) == [{word: [c[word] for c in found] for word in set().union(*found)} for found in fields]
    assert counted.field_lengths.tolist() == [[c.total() for c in found] for found in fields]
    assert len(set(counted.terms)) == len(counted.terms)


def test_what_was_counted_is_the_same_elsewhere():
    counted = count_terms([("a b", "c"), ("b b", "")], 2)

    expected = [{"a": [1, 0], "b": [1, 0], "c": [0, 1]}, {"b": [2, 0]}]
    assert counts_of(counted) == expected
    assert counts_of(pickle.loads(pickle.dumps(counted))) == expected


def test_more_words_and_documents_than_fit_into_half_a_number_are_counted():
    documents = [(" ".join(f"w{document}x{word}" for word in range(40)), "all all") for document in range(4_000)]
    counted = count_terms(documents, 2)

    found = counts_of(counted)
    assert len(counted.terms) * len(documents) >= 1 << 29
    assert found[17] == {f"w17x{word}": [1, 0] for word in range(40)} | {"all": [0, 2]}
    assert counted.field_lengths.tolist() == [[40, 2]] * 4_000


def test_numbers_take_four_bytes_where_two_are_too_few():
    values = np.array([0, 70_000])

    assert downcast(values, 70_001).tolist() == [0, 70_000]
    assert downcast(values[:1], 1 << 16).dtype == np.uint16


FIELD = st.lists(st.sampled_from(["a", "b", "be", "ü", "机", "😀", "x\u2028y", "", "\u00a0"]), max_size=6).map(" ".join)
DOCUMENTS = st.lists(st.tuples(st.integers(0, 30), FIELD, FIELD), max_size=20)


BY_ID = st.dictionaries(st.integers(0, 40), st.tuples(FIELD, FIELD), max_size=15)


def told(found):
    """Id -> (lengths, term -> counts)."""
    counts = {int(i): ({}, size.tolist()) for i, size in zip(found.ids, found.field_lengths, strict=True)}
    for at, term in enumerate(found.terms):
        documents, codes = found.postings(at, at + 1)
        assert (np.diff(documents) > 0).all()
        for document, code in zip(documents.tolist(), codes.tolist(), strict=True):
            counts[int(found.ids[document])][0][term.decode()] = found.tf_table[code].tolist()
    return counts


def expected(documents):
    found = {}
    for i, *fields in documents:
        tokens = [[token for token in field.split(" ") if token] for field in fields]
        counted = [Counter(field) for field in tokens]
        terms = {term: [field[term] for field in counted] for field in tokens for term in field}
        found[i] = (terms, [len(field) for field in tokens])
    return found


@pytest.mark.slow
@given(DOCUMENTS, st.sampled_from([1, 3, 512]), st.data())
def test_postings_are_what_counting_gives_whether_a_document_was_counted_before_or_not(documents, batch_size, data):
    batch = count_terms([fields for _, *fields in documents], 2)
    builder = SegmentBuilder(2, batch_size=batch_size)
    put = []
    for row in data.draw(st.lists(st.integers(0, len(documents) - 1), max_size=30)) if documents else []:
        i, *fields = documents[row]
        put.append(documents[row])
        if data.draw(st.booleans()):
            builder.add_counted(i, CountedDocument(batch, row))
        else:
            builder.add(i, fields)

    assert len(builder) == len(put)
    found = builder.build()
    assert told(found) == expected(put)
    assert list(found.terms) == sorted(found.terms)


def contents(segment):
    """The terms and arrays of a segment, to be compared."""
    names = ("ids", "field_lengths", "tf_table", "blocks", "block_offsets", "first_block_of")
    return bytes(segment.terms.blocks), [np.asarray(getattr(segment, name)).tolist() for name in names]


def test_equal_documents_make_equal_bytes_in_whichever_order_they_came():
    documents = [(i, (f"w{i % 7} both", f"x{i}")) for i in range(50)]
    one, other = SegmentBuilder(2), SegmentBuilder(2)
    for i, fields in documents:
        one.add(i, fields)
    other.add(99, ("gone entirely", ""))
    for i, fields in reversed(documents):
        other.add(i, fields)

    assert contents(one.build()) == contents(other.build(np.arange(51) == 0))


def test_huge_counts_are_counted():
    builder = SegmentBuilder(5)
    builder.add(1, ("again " * 70_000, "", "", "", "again"))
    builder.add(2, ("again", "", "", "", ""))

    assert told(builder.build()) == {
        1: ({"again": [70_000, 0, 0, 0, 1]}, [70_000, 0, 0, 0, 1]),
        2: ({"again": [1, 0, 0, 0, 0]}, [1, 0, 0, 0, 0]),
    }


def test_who_gathers_may_remove_what_it_put_and_put_it_again():
    collector = BulkCollector()
    for note in (1, 2, 3):
        collector.add_names(note, (f"n{note}", "", "", "", "", ""))
        collector.add_chunk(note << 11, (f"t{note}", "", "", "", ""))
        collector.add_chunk((note << 11) + 1, (f"u{note}", "", "", "", ""))
    collector.remove_chunk((1 << 11) + 1)
    for note in (2, 3):
        collector.remove_names(note)
        collector.remove_chunk(note << 11)
        collector.remove_chunk((note << 11) + 1)
    collector.add_names(3, ("back", "", "", "", "", ""))
    collector.add_chunk(3 << 11, ("again", "", "", "", ""))

    chunks, names = collector.build()

    assert {i: list(terms) for i, (terms, _) in told(chunks).items()} == {1 << 11: ["t1"], 3 << 11: ["again"]}
    assert {i: list(terms) for i, (terms, _) in told(names).items()} == {1: ["n1"], 3: ["back"]}


def built(documents):
    builder = SegmentBuilder(2)
    for i, fields in documents.items():
        builder.add(i, fields)
    return builder.build()


@pytest.mark.slow
@given(BY_ID, BY_ID, st.sets(st.integers(0, 40)))
def test_merging_gives_the_bytes_that_building_gives(before, fresh, gone):
    base, additions = built(before), MutableSegment(2)
    for i, fields in fresh.items():
        additions.add(i, fields)
    dead = gone | fresh.keys()

    keep = np.array([i not in dead for i in base.ids], np.bool_)

    found = merge_segments(base, keep, additions.to_segment(np.ones(len(fresh), np.bool_)))

    wanted = built({**{i: fields for i, fields in before.items() if i not in dead}, **fresh})
    assert contents(found) == contents(wanted)
