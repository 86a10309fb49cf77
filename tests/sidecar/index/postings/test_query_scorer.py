import numpy as np
import pytest

from quarry.index.postings.bm25 import CHUNK_WEIGHTS
from quarry.index.postings.fields import KeywordQuery, QueryTerm
from quarry.index.postings.segment import Segment


@pytest.fixture
def merged(index, put):
    """Notes of two chunks, in a segment file."""
    for number in range(40):
        put(f"{number:02}.md", f"apple w{number}", "the end")
    index.flush_postings()
    return index


def test_each_posting_is_read_once_for_all_that_is_asked(merged, monkeypatch):
    read, postings = [], Segment.postings

    def counted(self, first, last):
        read.append((id(self), first))
        return postings(self, first, last)

    monkeypatch.setattr(Segment, "postings", counted)
    with merged.reader() as reader:
        asked = reader.keywords.query(KeywordQuery(("w3", "w7", "unknown")))
        found = asked.top_chunks(None, 5, CHUNK_WEIGHTS)
        notes = asked.top_note_ids(None, 5)

        assert asked.chunk_scores([chunk_id for chunk_id, _ in found], CHUNK_WEIGHTS) == dict(found)
        assert asked.note_scores(range(50)).keys() == notes
        assert asked.count_notes(None) == asked.count_chunks(None, 9) == len(found) == 2
    assert read
    assert np.unique(read, axis=0).shape[0] == len(read)


def test_what_begins_so_is_read_once_however_much_is_asked(merged, monkeypatch):
    read, postings = [], Segment.postings

    def counted(self, first, last):
        read.append(id(self))
        return postings(self, first, last)

    monkeypatch.setattr(Segment, "postings", counted)
    with merged.reader() as reader:
        asked = reader.keywords.query(KeywordQuery(prefix="w1"))
        chunks = asked.top_chunks(None, 99, CHUNK_WEIGHTS)
        asked.top_note_ids(None, 5)

        assert len(chunks) == asked.count_chunks(None, 99) == asked.count_notes(None) == 11
        assert read.count(id(reader._memory.postings.scorer(reader._db).chunks.segment)) == 1


def test_a_note_that_is_admitted_and_gone_is_no_error(merged):
    with merged.reader() as reader:
        asked = reader.keywords.query(KeywordQuery(("w3", "w7")))

        assert asked.top_note_ids(np.array([4, 10**6]), 9) == {4}
        assert asked.count_chunks(np.array([10**6]), 9) == asked.count_notes(np.array([10**6])) == 0


def test_which_chunk_holds_which_term_is_told_for_every_kind_of_term(merged):
    with merged.reader() as reader:
        asked = reader.keywords.query(
            KeywordQuery(("the", "w3", "unknown"), phrases=(("the", "end"), ("end", "the")), prefix="w1")
        )
        chunks = sorted(chunk_id for chunk_id, _ in asked.top_chunks(None, 99, CHUNK_WEIGHTS))
        held = asked.terms_held(np.array([*chunks, 10**9]))
        texts = [reader.chunks([chunk_id])[chunk_id].chunk.text.split() for chunk_id in chunks]

    for term, row in zip(asked.terms, held.tolist(), strict=True):
        words = term.text.split()
        expected = [
            any(word.startswith(term.text) for word in text) if term.is_prefix else " ".join(words) in " ".join(text)
            for text in texts
        ]
        if term.kind == "term":
            expected = [term.text in text for text in texts]
        assert row == [*expected, False], term
    assert held.shape == (6, len(chunks) + 1)


def test_a_prefix_of_names_stands_in_no_text(index, put):
    put("Folder.md", "x")
    put("b.md", "folder")

    with index.reader() as reader:
        asked = reader.keywords.query(KeywordQuery(name_prefix="fo"))
        first = reader.note_named("Folder.md").note_id

        assert asked.top_note_ids(None, 9) == {first}
        assert (asked.count_notes(None), asked.count_chunks(None, 9)) == (1, 0)
        assert [*asked.note_scores([first])] == [first]


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


def test_a_common_term_is_unpacked_once_for_chunks_and_notes(reader, scorer, monkeypatch):
    read, unpack = [], Segment.postings
    monkeypatch.setattr(Segment, "postings", lambda self, *terms: read.append(id(self)) or unpack(self, *terms))
    scorer.chunks.frequency("the")  # of a snapshot with changes it is counted
    read.clear()
    asked = reader.keywords.query(KeywordQuery(("the",)))
    asked.top_chunks(None, 5, CHUNK_WEIGHTS)
    asked.note_scores(scorer.names.ids.tolist())
    asked.count_notes(None)

    assert scorer.is_common(QueryTerm("the"))
    assert read.count(id(scorer.chunks.segment)) <= 1
