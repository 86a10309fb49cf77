import numpy as np
import pytest

from quarry.index.keyword import query_scorer
from quarry.index.keyword.fts5 import CHUNK_WEIGHTS
from quarry.index.keyword.note_scoring import holding, marked
from quarry.index.keyword.query_scorer import QueryScorer
from quarry.index.keyword.snapshot_scorer import QueryTerm

TERMS = [QueryTerm("the"), QueryTerm("appl"), QueryTerm("w7"), QueryTerm("unknown"), QueryTerm("w1", is_prefix=True)]


@pytest.fixture
def words(index, store, make_note):
    """`the` is common and `appl` is not; some notes changed after the segment file was written, one is gone."""
    for number in range(60):
        parts = ["the end"] * (1 + number % 3) + (["apple the apple"] if not number % 30 else [])
        store(index, make_note(f"{number:02}.md", *parts, f"w{number}", title=f"w{number % 9}"))
    index.flush_postings()
    store(index, make_note("03.md", "the apple", "the pear", title="w7"))
    store(index, make_note("99.md", "w7 the w7"))
    index.remove("05.md")
    with index.reader() as reader:
        yield reader._keywords._words


@pytest.mark.parametrize("terms", [TERMS, TERMS[1:], TERMS[:1]])
@pytest.mark.parametrize("few", [0, 4096])
def test_a_few_notes_score_as_they_do_in_a_ranking_of_all(words, terms, few, monkeypatch):
    monkeypatch.setattr(query_scorer, "FEW_POSTINGS", few)
    asking = QueryScorer(words, terms)
    ids, scores = asking.best_notes(None, 999, "note", lambda: None)
    ranked = dict(zip(ids.tolist(), scores.tolist(), strict=True))

    assert asking.note_scores(ids.tolist()) == ranked
    assert asking.note_scores([10**6, *ids[3:5].tolist()]) == {i: ranked[i] for i in ids[3:5].tolist()}
    assert asking.note_scores([]) == {}
    assert asking.count_notes(None) == len(ranked)


def test_the_notes_that_hold_a_term_are_told_by_what_stands_in_them(words):
    plain = [QueryTerm("appl"), QueryTerm("unknown"), QueryTerm("w7")]
    some = holding(words, words.chunk_postings_of(plain), words.name_postings_of(plain))
    common = marked(words, QueryTerm("the"), words.chunk_postings)

    assert common.count == np.count_nonzero(np.unpackbits(common.bits)) == 60  # 60 less one, and a new one
    assert some.sum(axis=1).tolist() == [3, 0, 8]  # "w7": notes 7, 16, 25 and so on, one of them twice, and both new


def test_what_is_given_to_notes_is_added(words):
    asking = QueryScorer(words, TERMS[:2])
    some = asking.words.names.ids[:2].tolist()
    without = asking.note_scores(some)

    assert asking.note_scores(some, {some[1]: 5.0}) == {some[0]: without[some[0]], some[1]: without[some[1]] + 5}


def test_a_common_term_is_unpacked_once_for_chunks_and_notes(words, monkeypatch):
    read, moment = [], type(words.chunks)
    unpack = moment.postings
    monkeypatch.setattr(moment, "postings", lambda self, term: read.append(id(self)) or unpack(self, term))
    words.chunks.frequency("the")  # of a moment with changes it is counted
    read.clear()
    asking = QueryScorer(words, [QueryTerm("the")])
    asking.best_chunks(None, 5, CHUNK_WEIGHTS, lambda: None)
    asking.note_scores(words.names.ids.tolist())
    asking.count_notes(None)

    assert words.is_common_term(QueryTerm("the"))
    assert read.count(id(words.chunks)) == 1
