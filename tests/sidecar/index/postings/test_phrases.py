import numpy as np
import pytest

from quarry.errors import Cancelled, IndexDamaged
from quarry.index import Deadline, note_rows
from quarry.index.database import NO_DEADLINE
from quarry.index.note_rows import ContentReader
from quarry.index.postings.phrases import (
    find_phrase,
    proximity_scores,
)


@pytest.fixture
def scored(index):
    """A reader, and the scorer of its postings in memory."""
    with index.reader() as reader:
        scorer = reader._memory.postings.scorer(reader._db)
        assert scorer is not None
        yield reader, scorer


@pytest.fixture
def red_cars(put):
    put("a red car.md", "a red car and a red car", "red", "car", title="x", context="")
    put("b.md", "blue", title="Red car", aliases=("red", "car"), context="red car", heading="one red car")
    put("c.md", "car red", title="x", tags=("red/car",), context="")
    put("d.md", "red-car", "redcar", title="x", aliases=("a Red Car", "y"), context="")


def test_a_phrase_with_a_term_that_no_note_has_stands_nowhere(red_cars, scored):
    reader, scorer = scored
    statements = []
    reader._db.exec_trace = lambda _, sql, __: statements.append(sql) or True
    found = find_phrase(ContentReader(reader._db), scorer, "red unknown", NO_DEADLINE)
    reader._db.exec_trace = None

    assert (len(found.chunks), len(found.names), len(found.note_ids)) == (0, 0, 0)
    assert statements == []


def test_a_phrase_is_found_where_chunks_are_in_other_slots_than_their_order(index, put):
    put("a.md", "x", "y", "red car")
    put("a.md", "red car", "x", "the red car", "y")

    with index.reader() as reader:
        chunk_ids = reader.note("a.md").chunk_ids
        scorer = reader._memory.postings.scorer(reader._db)
        found = find_phrase(ContentReader(reader._db), scorer, "red car", NO_DEADLINE)

        assert chunk_ids != tuple(sorted(chunk_ids))
        assert sorted(scorer.chunks.ids[found.chunks].tolist()) == sorted([chunk_ids[0], chunk_ids[2]])
        assert (np.diff(found.chunks) > 0).all()


# --- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 2, 64])
def test_terms_are_read_by_id_however_many_at_a_time_and_ids_that_are_not_there_are_left_out(
    index, put, monkeypatch, at_once
):
    monkeypatch.setattr(note_rows, "READ_AT_ONCE", at_once)
    for number in range(3):
        put(f"{number}.md", f"w{number}")

    with index.reader() as reader:
        found = list(ContentReader(reader._db).terms([1, 2, 3, 9], NO_DEADLINE))

    assert [note_id for note_id, _ in found] == [1, 2, 3]
    assert all(f"w{note_id - 1}".encode() in terms.line for note_id, terms in found)


def test_reading_stops_when_nobody_waits_for_it(red_cars, scored):
    reader, scorer = scored

    with pytest.raises(Cancelled):
        find_phrase(ContentReader(reader._db), scorer, "red car", Deadline(float("inf"), lambda: True))
    with pytest.raises(Cancelled):
        proximity_scores(
            ContentReader(reader._db), scorer, [("red", "car")], [2048], Deadline(float("inf"), lambda: True)
        )


def test_a_note_that_changed_by_itself_is_damage(index, red_cars, scored):
    _, scorer = scored
    index._writer.connection.execute("UPDATE bodies SET body = x'00' WHERE note_id = 2")

    with pytest.raises(IndexDamaged), index.reader() as other:
        find_phrase(ContentReader(other._db), scorer, "red car", NO_DEADLINE)


# --- proximity -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "kept"), [(0, []), (1, [1]), (note_rows.MAX_KEPT_BYTES, [1, 3])])
def test_notes_that_were_read_are_kept_up_to_a_limit(red_cars, scored, monkeypatch, limit, kept):
    monkeypatch.setattr(note_rows, "MAX_KEPT_BYTES", limit)
    reader, scorer = scored
    notes, statements = ContentReader(reader._db), []
    proximity_scores(notes, scorer, [("red", "car")], [1 << 11, 3 << 11], NO_DEADLINE)
    reader._db.exec_trace = lambda _, __, bindings: statements.append(bindings) or True

    contents = dict(notes.contents([1, 3], NO_DEADLINE))

    reader._db.exec_trace = None
    assert all(b"red" in content for content in contents.values())
    assert statements == [(str([note_id for note_id in (1, 3) if note_id not in kept]),)][: len(kept) < 2]
