import numpy as np
import pytest

from quarry.index.postings import query_scorer
from quarry.index.postings.bm25 import CHUNK_WEIGHTS
from quarry.index.postings.note_scoring import note_bitmap, notes_with_terms
from quarry.index.postings.query import KeywordQuery, QueryTerm
from quarry.index.postings.snapshot import SegmentSnapshot

QUERIES = [
    KeywordQuery(("the", "appl", "w7", "unknown"), prefix="w1"),
    KeywordQuery(("appl", "w7", "unknown"), prefix="w1"),
    KeywordQuery(("the",)),
    KeywordQuery(("the", "appl"), (("the", "appl"), ("w7", "the"))),
]


@pytest.fixture
def reader(index, store, make_note):
    """`the` is common and `appl` is not; some notes changed after the segment file was written, one is gone."""
    for number in range(60):
        parts = ["the end"] * (1 + number % 3) + (["apple the apple"] if not number % 30 else [])
        store(index, make_note(f"{number:02}.md", *parts, f"w{number}", title=f"w{number % 9}"))
    index.flush_postings()
    store(index, make_note("03.md", "the apple", "the pear", title="w7"))
    store(index, make_note("99.md", "w7 the w7"))
    index.remove("05.md")
    with index.reader() as reader:
        yield reader


@pytest.fixture
def scorer(reader):
    return reader._memory.postings.scorer(reader._db)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("few", [0, 4096])
def test_a_few_notes_score_as_they_do_in_a_ranking_of_all(reader, query, few, monkeypatch):
    monkeypatch.setattr(query_scorer, "FEW_POSTINGS", few)
    asked = reader.keywords.query(query)
    ranked = {note_id: score for note_id, _, score in asked.top_notes(None, 999)}
    some = sorted(ranked)[3:5]

    assert asked.note_scores(ranked) == ranked
    assert asked.note_scores([10**6, *some]) == {note_id: ranked[note_id] for note_id in some}
    assert asked.note_scores([]) == {}
    assert asked.count_notes(None) == len(ranked)


def test_the_notes_that_hold_a_term_are_told_by_what_stands_in_them(scorer):
    plain = [QueryTerm("appl"), QueryTerm("unknown"), QueryTerm("w7")]
    some = notes_with_terms(scorer, scorer.chunk_postings(plain), scorer.name_postings(plain))
    common = note_bitmap(scorer, QueryTerm("the"), scorer.postings_of)

    assert common.count == np.count_nonzero(np.unpackbits(common.bits)) == 60  # 60 less one, and a new one
    assert common.size_bytes == len(common.bits)
    assert some.sum(axis=1).tolist() == [3, 0, 8]  # "w7": notes 7, 16, 25 and so on, one of them twice, and both new


def test_the_notes_of_a_common_term_are_found_once(scorer):
    read = []

    def postings(term):
        read.append(term)
        return scorer.postings_of(term)

    assert note_bitmap(scorer, QueryTerm("the"), postings) is note_bitmap(scorer, QueryTerm("the"), postings)
    assert read == [QueryTerm("the")]


def test_a_common_term_is_unpacked_once_for_chunks_and_notes(reader, scorer, monkeypatch):
    read, unpack = [], SegmentSnapshot.postings
    monkeypatch.setattr(SegmentSnapshot, "postings", lambda self, term: read.append(id(self)) or unpack(self, term))
    scorer.chunks.frequency("the")  # of a snapshot with changes it is counted
    read.clear()
    asked = reader.keywords.query(KeywordQuery(("the",)))
    asked.top_chunks(None, 5, CHUNK_WEIGHTS)
    asked.note_scores(scorer.names.ids.tolist())
    asked.count_notes(None)

    assert scorer.is_common(QueryTerm("the"))
    assert read.count(id(scorer.chunks)) == 1
