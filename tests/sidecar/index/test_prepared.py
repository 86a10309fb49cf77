import pickle

import pytest

from quarry.index import Index, quantize
from quarry.index.note_codec import open_packed
from quarry.index.postings import segment_file
from quarry.index.postings.fields import chunk_lengths, name_length, note_terms
from quarry.index.postings.segment_file import HEADER_BYTES
from quarry.index.prepared import counted, prepare


def test_a_note_prepared_in_another_process_is_the_same(make_note, stamp, encode):
    *vectors, title = quantize(encode(["apples", "pears", "a"]))
    note = prepare(make_note("a.md", "apples", "pears", tags=("t",), aliases=("A",)), stamp(), vectors, title)

    assert pickle.loads(pickle.dumps(note)) == note


def test_lengths_and_the_vocabulary_are_those_of_the_terms(make_note, stamp):
    note = prepare(make_note("a.md", "the apples", "getStaleFiles x/y", title="The title"), stamp(), [None] * 2)

    assert note.terms == note_terms(make_note("a.md", "the apples", "getStaleFiles x/y", title="The title"))
    assert note.lengths == tuple(map(chunk_lengths, note.terms.chunks))
    assert note.name_length == name_length(note.terms.names)
    assert sorted(note.vocabulary.split(" ")) == sorted(
        {term for fields in (note.terms.names, *note.terms.chunks) for field in fields for term in field.split()}
    )
    assert open_packed(note.body).terms() == note.terms


def test_a_note_that_cannot_be_stored_cannot_be_prepared(make_note, stamp):
    with pytest.raises(ValueError, match="2 chunks but 1"):
        prepare(make_note("b.md", "x", "y"), stamp(), [None])
    with pytest.raises(ValueError, match="2048"):
        prepare(make_note("b.md", *["x"] * 2049), stamp(), [None] * 2049)
    with pytest.raises(ValueError, match="no Unicode"):
        prepare(make_note("bad\udcff.md", "x"), stamp(), [None])


def test_notes_counted_elsewhere_give_the_postings_that_reading_everything_gives(tmp_path, make_note, stamp):
    notes = [make_note(f"{i}.md", f"apples {i}", "pears", tags=(f"t{i}",)) for i in range(40)]
    prepared = [prepare(note, stamp(), [None] * 2) for i, note in enumerate(notes)]
    ready = counted(prepared[:25]) + counted(prepared[25:])
    ready = [prepared[i] if i % 7 == 3 else note for i, note in enumerate(ready)]
    index = Index.open(tmp_path / "1.db")
    path = segment_file.path_beside(index.path)

    with index.bulk():
        for note in ready[5:30]:
            index.upsert(note)
        index.flush()
        index.remove("9.md")
        index.upsert(ready[8], old_path="11.md")
        for note in (*ready[:7], *ready[28:]):
            index.upsert(note)

    collected = path.read_bytes()
    index.close()
    path.unlink()
    index = Index.open(index.path)
    index.flush_postings()
    assert [note.counted is None for note in ready] == [i % 7 == 3 for i in range(40)]
    assert [note.terms is None for note in ready] == [i % 7 != 3 for i in range(40)]
    assert counted(ready[:9])[:3] == ready[:3]
    assert path.read_bytes()[HEADER_BYTES:] == collected[HEADER_BYTES:]
    index.close()
