import numpy as np
import pytest

from quarry.errors import Cancelled, IndexDamaged
from quarry.index import Deadline, note_rows
from quarry.index.database import NO_DEADLINE
from quarry.index.note_rows import ContentReader
from quarry.index.postings.fields import CHUNK_FIELDS, NAME_FIELDS
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


def found_in(index, phrase):
    """The fields of chunks and of names that hold *phrase*, by id, and the notes that do."""
    with index.reader() as reader:
        scorer = reader._memory.postings.scorer(reader._db)
        found = find_phrase(ContentReader(reader._db), scorer, phrase, NO_DEADLINE)
    chunks = zip(scorer.chunks.ids[found.chunks].tolist(), found.chunk_frequencies.tolist(), strict=True)
    names = zip(scorer.names.ids[found.names].tolist(), found.name_frequencies.tolist(), strict=True)
    return dict(chunks), dict(names), found.note_ids.tolist()


def row(fields, **counts):
    """Frequencies by field: `at_2=3` is three times in field 2."""
    found = [0.0] * fields
    for name, count in counts.items():
        found[int(name.removeprefix("at_"))] = count
    return found


@pytest.fixture
def red_cars(put):
    put("a red car.md", "a red car and a red car", "red", "car", title="x", context="")
    put("b.md", "blue", title="Red car", aliases=("red", "car"), context="red car", heading="one red car")
    put("c.md", "car red", title="x", tags=("red/car",), context="")
    put("d.md", "red-car", "redcar", title="x", aliases=("a Red Car", "y"), context="")


def test_every_field_that_holds_a_phrase_is_counted(index, red_cars):
    chunks, names, notes = found_in(index, "red car")

    assert chunks == {
        1 << 11: row(CHUNK_FIELDS, at_0=2),
        2 << 11: row(CHUNK_FIELDS, at_1=1, at_2=1),
        4 << 11: row(CHUNK_FIELDS, at_0=1),
    }
    assert names == {
        1: row(NAME_FIELDS, at_2=1),
        2: row(NAME_FIELDS, at_0=1, at_3=1),
        3: row(NAME_FIELDS, at_4=1),
        4: row(NAME_FIELDS, at_1=1),
    }
    assert notes == [1, 2, 4]  # by their text, title and aliases


def test_a_phrase_over_a_border_of_chunks_is_in_the_note_and_in_no_chunk(index, put):
    put("a.md", "a red", "", "car here")
    put("b.md", "red", "x", "car")

    assert found_in(index, "red car") == ({}, {}, [1])


def test_a_phrase_reaches_from_no_alias_or_tag_into_the_next(index, put):
    put("a.md", "x", aliases=("red", "car"), tags=("red", "car"), title="t")

    assert found_in(index, "red car") == ({}, {}, [])


def test_a_phrase_is_found_where_chunks_lie_in_other_slots_than_their_order(index, put):
    put("a.md", "x", "y", "red car")
    put("a.md", "red car", "x", "the red car", "y")

    with index.reader() as reader:
        chunk_ids = reader.note("a.md").chunk_ids
        scorer = reader._memory.postings.scorer(reader._db)
        found = find_phrase(ContentReader(reader._db), scorer, "red car", NO_DEADLINE)

        assert chunk_ids != tuple(sorted(chunk_ids))
        assert sorted(scorer.chunks.ids[found.chunks].tolist()) == sorted([chunk_ids[0], chunk_ids[2]])
        assert (np.diff(found.chunks) > 0).all()


def test_a_phrase_with_a_term_that_no_note_has_stands_nowhere(red_cars, scored):
    reader, scorer = scored
    statements = []
    reader._db.exec_trace = lambda _, sql, __: statements.append(sql) or True
    found = find_phrase(ContentReader(reader._db), scorer, "red unknown", NO_DEADLINE)
    reader._db.exec_trace = None

    assert (len(found.chunks), len(found.names), len(found.note_ids)) == (0, 0, 0)
    assert statements == []


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


@pytest.fixture
def ask(index, by_fts5):
    """The proximity scores of chunks, from memory and likewise by FTS5."""

    def scores(pairs, chunk_ids):
        with index.reader() as reader, by_fts5(index) as other:
            found = reader.keywords.proximity_scores(pairs, chunk_ids)
            assert other.proximity_scores(pairs, chunk_ids) == found
            return found

    return scores


@pytest.fixture
def apart(put):
    put("1.md", "red sky", "blue car", title="x")
    put("2.md", "blue sky", title="x")
    put("3.md", "red car and red car", title="x")


def every_chunk(index, chunk_ids):
    with index.reader() as reader:
        return chunk_ids(reader)


def test_terms_that_stand_together_in_no_candidate_score_nothing(index, apart, ask, chunk_ids):
    assert ask([("red", "blue"), ("blue", "unknown"), ("unknown", "x")], every_chunk(index, chunk_ids)) == {}
    assert ask([], every_chunk(index, chunk_ids)) == {}
    assert ask([("red", "car")], []) == {}


def test_terms_side_by_side_may_be_one_term_or_three(index, put, ask):
    put("1.md", "go go go now", "go now go")
    first, second = 1 << 11, (1 << 11) + 1

    assert [*ask([("go", "go")], [first, second])] == [first]
    assert [*ask([("go", "go", "now")], [first, second])] == [first]
    assert [*ask([("now", "go")], [first, second])] == [second]
    assert [*ask([("now",)], [first, second])] == [first, second]


def test_terms_side_by_side_stand_in_one_field(put, ask):
    put("1.md", "red", "red car", heading="car", context="red")
    put("2.md", "x", heading="a red car", context="red car")

    assert [*ask([("red", "car")], [1 << 11, (1 << 11) + 1, 2 << 11])] == [(1 << 11) + 1, 2 << 11]
