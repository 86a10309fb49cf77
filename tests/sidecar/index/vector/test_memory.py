"""Dense queries of vectors in memory."""

import numpy as np
import pytest

from quarry.conditions import InFolder
from quarry.errors import Cancelled, DeadlineExceeded
from quarry.index import Deadline, Index


def test_searching_in_memory_sees_every_change(tmp_path, store, make_note, encode, ask, in_time):
    index = Index.open(tmp_path / "i.db", without=frozenset({"sqlite-vec"}))

    def found():
        with index.reader() as reader:
            return [c.path for c in reader.dense(encode(["apples"])[0], None, 9, deadline=in_time)]

    store(index, make_note("a.md", "apples"))
    assert found() == ["a.md"]
    store(index, make_note("b.md", "apples"))
    assert found() == ["a.md", "b.md"]
    index.remove("a.md")
    assert found() == ["b.md"]
    index.close()


def test_a_search_in_memory_stops_at_its_deadline_and_when_cancelled(tmp_path, store, make_note, encode, ask):
    index = Index.open(tmp_path / "i.db", without=frozenset({"sqlite-vec"}))
    store(index, make_note("a.md", "apples"))
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 1

    with index.reader() as reader:
        with pytest.raises(DeadlineExceeded):
            reader.dense(encode(["x"])[0], None, 5, deadline=Deadline.after(-1))
        with pytest.raises(Cancelled):
            reader.dense(encode(["x"])[0], None, 5, deadline=Deadline(float("inf"), is_cancelled))
    index.close()


def test_of_chunks_equally_near_the_first_stands_for_its_note(put, index, encode):
    put("a.md", "pears", "apples")
    put("a.md", "apples", "apples", "pears")  # the first of them came later than the second

    with index.reader() as reader:
        found = reader.dense_query(encode(["apples"])[0]).nearest_chunks(np.array([1]))
        assert found.chunk_ids.tolist() == [reader.note("a.md").chunk_ids[0]]
    assert found.cosines[0] == pytest.approx(1, abs=1e-3)
    assert 0.5 < found.means[0] < 0.9  # two of three passages are all that is asked for, the third is something else


def test_titles_are_found_by_their_meaning(put, index, encode, admit):
    put("a.md", "x", title="Apples and pears")
    put("b.md", "x", title="Submarines")
    put("c.md", "x", title="Pears")
    vector = encode(["pears"])[0]

    with index.reader() as reader:
        names = {name.note_id: name.title for name in reader.note_names([1, 2, 3, 9])}
        nearest_two = reader.dense_query(vector).top_titles(None, 2)
        in_folder = reader.dense_query(vector).top_titles(admit(reader, InFolder("f")), 2)
        scored, cosines = reader.dense_query(vector).title_cosines(np.array([1, 2, 3, 9]))

    assert [names[note_id] for note_id, _ in nearest_two] == ["Pears", "Apples and pears"]
    assert in_folder == []
    assert [names[note_id] for note_id in scored[np.argsort(-cosines)].tolist()] == [
        "Pears",
        "Apples and pears",
        "Submarines",
    ]


def test_equally_near_titles_are_not_cut_and_stand_by_id(put, index, encode):
    for name in ("c", "a", "b"):
        put(f"{name}.md", "x", title="Pears")

    with index.reader() as reader:
        found = reader.dense_query(encode(["pears"])[0]).top_titles(None, 1)

    assert [note_id for note_id, _ in found] == [1, 2, 3]
