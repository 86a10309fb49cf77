from contextlib import contextmanager

import numpy as np
import pytest

from quarry.index.keyword import bm25, proximity

APART = [("1.md", "red sky", "blue car"), ("2.md", "blue sky"), ("3.md", "red car and red car")]


@pytest.fixture
def reader(index, store, make_note):
    """Memory answers; only one note has a red car, twice."""
    for path, *texts in APART:
        store(index, make_note(path, *texts))
    index.flush_postings()
    with index.reader() as reader:
        assert reader._keywords._words is not None
        yield reader


@contextmanager
def asked_of_fts5(reader):
    """The statements that look something up in the keyword index."""
    found: list[str] = []
    reader._db.exec_trace = lambda _, sql, __: "MATCH" not in sql or found.append(sql) or True
    try:
        yield found
    finally:
        reader._db.exec_trace = None


def ids_of(reader):
    return [row[0] for row in reader._db.execute("SELECT id FROM chunks ORDER BY id")]


def test_words_that_stand_together_in_no_candidate_are_not_looked_for(reader):
    with asked_of_fts5(reader) as asked:
        scores = reader.phrase_scores([("red", "blue"), ("blue", "unknown")], ids_of(reader))

    assert scores == {}
    assert asked == []


def test_a_phrase_is_looked_for_once_and_counts_as_often_as_it_stands(reader):
    chunk_ids = ids_of(reader)
    with asked_of_fts5(reader) as asked:
        scores = reader.phrase_scores([("red", "car"), ("red", "blue")], chunk_ids)

    moment = reader._keywords._words.chunks
    (chunk_id,) = scores
    factor = moment.length_norms[moment.ordinals_of(np.array([chunk_id]))[0]]
    assert len(asked) == 1
    assert scores[chunk_id] == pytest.approx(bm25.score(2.0, factor, bm25.idf(2, 4)))  # "car" is in 2 of 4


def test_a_phrase_weighs_as_if_its_share_of_the_chunks_asked_about_went_for_all(index, store, make_note):
    for number in range(20):
        store(index, make_note(f"{number:02}.md", "red car" if number % 2 else "red old car", "no"))
    index.flush_postings()

    with index.reader() as reader:
        few, more = ([i for i in ids_of(reader) if i & 2047 == 0][:count] for count in (2, 5))
        of_few, of_more = (reader.phrase_scores([("red", "car")], some) for some in (few, more))

        assert ([*of_few], [*of_more]) == (few[1:], more[1::2])
        assert of_few[few[1]] / bm25.idf(20 / 2, 40) == pytest.approx(of_more[few[1]] / bm25.idf(20 * 2 / 5, 40))


@pytest.mark.parametrize("seek", [0, 10**9])
def test_looking_chunks_up_and_going_through_all_give_the_same(reader, seek, monkeypatch):
    expected = reader.phrase_scores([("red", "car"), ("blue", "sky")], ids_of(reader))
    monkeypatch.setattr(proximity, "SEEK", seek)

    assert reader.phrase_scores([("red", "car"), ("blue", "sky")], ids_of(reader)) == expected
    assert len(expected) == 2


def test_terms_side_by_side_may_be_one_term_or_three(index, store, make_note):
    store(index, make_note("1.md", "go go go now", "go now go"))
    index.flush_postings()

    with index.reader() as reader:
        first, second = ids_of(reader)
        assert [*reader.phrase_scores([("go", "go")], [first, second])] == [first]
        assert [*reader.phrase_scores([("go", "go", "now")], [first, second])] == [first]
        assert [*reader.phrase_scores([("now", "go")], [first, second])] == [second]
        assert [*reader.phrase_scores([("now",)], [first, second])] == [first, second]


def test_only_the_chunks_asked_about_are_scored(reader):
    held = reader.phrase_scores([("red", "car")], ids_of(reader))

    assert reader.phrase_scores([("red", "car")], [i for i in ids_of(reader) if i not in held]) == {}
