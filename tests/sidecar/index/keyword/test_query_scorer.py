import numpy as np

from quarry.index.keyword.fts5 import CHUNK_WEIGHTS
from quarry.index.keyword.query_scorer import QueryScorer
from quarry.index.keyword.segment import Segment
from quarry.index.keyword.segment_snapshot import SegmentSnapshot
from quarry.index.keyword.snapshot_scorer import QueryTerm


def test_each_posting_is_read_once_for_all_that_is_asked(index, store, make_note, monkeypatch):
    for number in range(40):
        store(index, make_note(f"{number:02}.md", f"apple w{number}", "the end"))
    index.flush_postings()
    read, postings = [], Segment.postings

    def counted(self, first, last):
        read.append((id(self), first))
        return postings(self, first, last)

    monkeypatch.setattr(Segment, "postings", counted)
    with index.reader() as reader:
        words = reader._keywords._words
        asking = QueryScorer(words, [QueryTerm("w3"), QueryTerm("w7"), QueryTerm("unknown")])
        found, scores = asking.best_chunks(None, 5, CHUNK_WEIGHTS, lambda: None)
        notes, _ = asking.best_notes(None, 5, "note", lambda: None)

        assert asking.chunk_scores(found.tolist(), CHUNK_WEIGHTS) == dict(
            zip(found.tolist(), scores.tolist(), strict=True)
        )
        assert sorted(asking.note_scores(words.names.ids.tolist())) == sorted(notes.tolist())
        assert asking.count_notes(None) == 2
        assert asking.count_notes(None, also=[int(words.names.ids[0])]) == 3
    assert np.unique(read, axis=0).shape[0] == len(read)


def test_what_begins_so_is_read_once_however_much_is_asked(index, store, make_note, monkeypatch):
    for number in range(40):
        store(index, make_note(f"{number:02}.md", f"apple w{number}", "the end"))
    index.flush_postings()
    read, beginning = [], SegmentSnapshot.prefix_postings

    def counted(self, prefix):
        read.append(id(self))
        return beginning(self, prefix)

    monkeypatch.setattr(SegmentSnapshot, "prefix_postings", counted)
    with index.reader() as reader:
        words = reader._keywords._words
        asking = QueryScorer(words, [QueryTerm("w1", is_prefix=True)])
        chunks, _ = asking.best_chunks(None, 5, CHUNK_WEIGHTS, lambda: None)
        asking.best_notes(None, 5, "note", lambda: None)

        assert len(chunks) == asking.count_chunks(None, 99) == asking.count_notes(None) == 11
        assert read.count(id(words.chunks)) == 1
