import numpy as np
import pytest

from quarry.errors import Cancelled, DeadlineExceeded
from quarry.index import Deadline, Index, quantise


def test_the_nearest_stands_first_and_scores_its_cosine(put, index, encode, ask, in_time):
    put("near.md", "apples and pears")
    put("far.md", "submarine engines")
    vector = encode(["apples and pears"])[0]

    with index.reader() as reader:
        ranking = reader.dense(vector * 3, ask("apples"), 5, deadline=in_time)

    assert [c.path for c in ranking] == ["near.md", "far.md"]
    assert ranking[0].score == pytest.approx(1, abs=1e-3)
    assert ranking[1].score < 0.6


def test_phrases_excluded_words_and_scope_hold_before_the_cut(put, dense):
    for n in range(40):
        put(f"n{n:02}.md", "apples pears")
    put("here/last.md", "a red car", tags=("t",))

    assert dense("apples pears", depth=1, phrases=["red car"]) == [("here/last.md", 0)]
    assert dense("apples pears", depth=1, excluded=["pears"]) == [("here/last.md", 0)]
    assert dense("apples pears", depth=1, folders=("here",)) == [("here/last.md", 0)]
    assert dense("apples pears", depth=1, tags=("t",)) == [("here/last.md", 0)]


def test_equal_chunks_are_cut_by_path_whatever_the_order_they_came_in(put, dense):
    for name in ("m", "z", "b", "y", "a", "x", "c"):
        for n in range(9):
            put(f"{name}{n}.md", "apples")

    assert dense("apples", depth=3) == [("a0.md", 0), ("a1.md", 0), ("a2.md", 0)]


def test_more_equal_chunks_than_sqlite_vec_returns_are_still_cut_by_path(index, store, make_note, dense, monkeypatch):
    monkeypatch.setattr("quarry.index.dense.MAX_NEIGHBOURS", 64)
    with index.batch():
        for n in reversed(range(200)):
            store(index, make_note(f"{n:03}.md", "apples"))

    assert dense("apples", depth=2) == [("000.md", 0), ("001.md", 0)]


def test_a_text_with_nothing_to_embed_is_neither_found_nor_pending(put, index, dense):
    put("empty.md", "")
    put("full.md", "apples")

    assert dense("apples") == [("full.md", 0)]
    with index.reader() as reader:
        assert reader.counts().pending == 0


def test_a_query_without_meaning_finds_nothing(put, dense):
    put("a.md", "apples")

    assert dense("") == []


def test_an_index_without_vectors_finds_nothing(index, make_note, stamp, dense):
    index.upsert(make_note("a.md", "apples"), stamp(), [None])

    assert dense("apples") == []


def test_a_vector_of_another_model_is_refused(put, index, ask, in_time):
    put("a.md", "apples")

    with index.reader() as reader, pytest.raises(ValueError, match="dimensions"):
        reader.dense(np.ones(7, dtype=np.float32), ask("x"), 5, deadline=in_time)


def test_searching_in_memory_gives_the_same_ranking(tmp_path, store, make_note, encode, ask, in_time):
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(200)]
    notes = [make_note(f"{n:03}.md", *(" ".join(rng.choice(words, 5)) for _ in range(3))) for n in range(150)]
    rankings = []
    for number, without in enumerate((frozenset(), frozenset({"sqlite-vec"}))):
        index = Index.open(tmp_path / f"{number}.db", without=without)
        with index.batch():
            for note in notes:
                store(index, note)
        with index.reader() as reader:
            for query in (ask("w1"), ask("w1", folders=("nowhere",)), ask("w1", excluded=["w2", "w3"])):
                found = reader.dense(encode(["w1 w5 w9"])[0], query, 30, deadline=in_time)
                rankings.append([(c.path, c.number, c.score) for c in found])
        index.close()

    assert rankings[:3] == rankings[3:]
    assert [len(ranking) for ranking in rankings[:3]] == [30, 0, 30]


def test_searching_in_memory_sees_every_change(tmp_path, store, make_note, encode, ask, in_time):
    index = Index.open(tmp_path / "i.db", without=frozenset({"sqlite-vec"}))

    def found():
        with index.reader() as reader:
            return [c.path for c in reader.dense(encode(["apples"])[0], ask("x"), 9, deadline=in_time)]

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
            reader.dense(encode(["x"])[0], ask("x"), 5, deadline=Deadline.after(-1))
        with pytest.raises(Cancelled):
            reader.dense(encode(["x"])[0], ask("x"), 5, deadline=Deadline(float("inf"), is_cancelled))
    index.close()


def test_more_candidates_are_proposed_than_wanted_so_that_rounding_costs_none(tmp_path, make_note, stamp, ask, in_time):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(2000, 64)).astype(np.float32)
    index = Index.open(tmp_path / "i.db")
    rows = quantise(vectors)
    with index.batch():
        for n, row in enumerate(rows):
            index.upsert(make_note(f"{n:04}.md", f"text {n}"), stamp(), [row])
    query = rng.normal(size=64).astype(np.float32)
    stored = np.frombuffer(b"".join(rows), dtype=np.int8).reshape(2000, 64).astype(np.float64)
    exact = np.argsort(-(stored @ query) / np.linalg.norm(stored, axis=1), kind="stable")[:30]

    with index.reader() as reader:
        found = [int(c.path[:4]) for c in reader.dense(query, ask("x"), 30, deadline=in_time)]
    index.close()

    assert found == list(exact)
