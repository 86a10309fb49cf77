"""What a query vector is, and what both implementations of a dense query answer alike."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.conditions import AllOf, HasPhrase, HasTag, InFolder, Not
from quarry.errors import Cancelled, DeadlineExceeded
from quarry.index import Deadline, Index, prepare, quantize
from quarry.index.keys import id_range
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import Waiting
from quarry.index.vectors.vector_cache import Background
from quarry.index.vectors.vector_query import (
    STANDARD,
    LayeredDenseQuery,
    NearestChunks,
    QueryVector,
    StandardizedQuery,
    layered_query,
)

IN_SQLITE = VectorLimits(memory_bytes=0)
whoever_proposes = pytest.mark.parametrize("vector_limits", [None, IN_SQLITE], ids=["memory", "sqlite-vec"])


class Nearest(NamedTuple):
    chunk_id: int
    cosine: float
    mean: float


def nearest(reader, vector, note_ids):
    """Note -> its nearest chunk."""
    found = reader.dense_query(vector).nearest_chunks(np.array(sorted(note_ids), dtype=np.int64))
    columns = (found.chunk_ids.tolist(), found.cosines.tolist(), found.means.tolist())
    return dict(zip(found.note_ids.tolist(), map(Nearest, *columns), strict=True))


def title_cosines(reader, vector, note_ids):
    """Note -> the cosine of its title."""
    ids, found = reader.dense_query(vector).title_cosines(np.array(sorted(note_ids), dtype=np.int64))
    return dict(zip(ids.tolist(), found.tolist(), strict=True))


def test_the_nearest_stands_first_and_scores_its_cosine(put, index, encode, ask, in_time):
    put("near.md", "apples and pears")
    put("far.md", "submarine engines")
    vector = encode(["apples and pears"])[0]

    with index.reader() as reader:
        ranking = reader.dense(vector * 3, None, 5, deadline=in_time)

    assert [c.path for c in ranking] == ["near.md", "far.md"]
    assert ranking[0].score == pytest.approx(1, abs=1e-3)
    assert ranking[1].score < 0.6


@whoever_proposes
def test_conditions_hold_before_the_cut(put, dense):
    for n in range(40):
        put(f"n{n:02}.md", "apples pears")
    put("here/last.md", "a red car", tags=("t",))

    for where in (HasPhrase("red car"), Not(HasPhrase("pears")), InFolder("here"), HasTag("t")):
        assert dense("apples pears", depth=1, where=where) == [("here/last.md", 0)]


@whoever_proposes
def test_equal_chunks_are_cut_by_path_whatever_the_order_they_came_in(put, dense):
    for name in ("m", "z", "b", "y", "a", "x", "c"):
        for n in range(9):
            put(f"{name}{n}.md", "apples")

    assert dense("apples", depth=3) == [("a0.md", 0), ("a1.md", 0), ("a2.md", 0)]


def test_a_text_with_nothing_to_embed_is_neither_found_nor_pending(put, index, dense):
    put("empty.md", "")
    put("full.md", "apples")

    assert dense("apples") == [("full.md", 0)]
    with index.reader() as reader:
        assert reader.counts().pending == 0


def test_an_index_without_vectors_finds_nothing(index, make_note, stamp, dense):
    index.upsert(prepare(make_note("a.md", "apples"), stamp(), [None]))

    assert dense("apples") == []


def test_a_vector_of_another_model_is_refused(put, index, ask, in_time):
    put("a.md", "apples")

    with index.reader() as reader, pytest.raises(ValueError, match="dimensions"):
        reader.dense(np.ones(7, dtype=np.float32), None, 5, deadline=in_time)


def test_whoever_proposes_the_ranking_is_the_same(tmp_path, store, make_note, encode, admit, in_time):
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(200)]
    notes = [make_note(f"{n:03}.md", *(" ".join(rng.choice(words, 5)) for _ in range(3))) for n in range(150)]
    vector = encode(["w1 w5 w9"])[0]
    rankings = []
    for number, (without, memory) in enumerate([((), 10**9), (("sqlite-vec",), 0), ((), 0)]):
        limits = VectorLimits(memory_bytes=memory)
        index = Index.open(tmp_path / f"{number}.db", without=frozenset(without), vector_limits=limits)
        with index.batch():
            for note in notes:
                store(index, note)
        with index.reader() as reader:
            for where in (None, InFolder("nowhere"), AllOf((Not(HasPhrase("w2")), Not(HasPhrase("w3"))))):
                found = reader.dense(vector, admit(reader, where), 30, deadline=in_time)
                rankings.append([(c.path, c.number, c.score) for c in found])
            rankings.append(nearest(reader, vector, range(1, 50)))
            rankings.append(title_cosines(reader, vector, range(1, 50)))
        index.close()

    assert rankings[:5] == rankings[5:10] == rankings[10:]
    assert [len(ranking) for ranking in rankings[:5]] == [30, 0, 30, 49, 49]


@pytest.mark.slow
@whoever_proposes
def test_more_candidates_are_proposed_than_wanted_so_that_rounding_costs_none(index, make_note, stamp, in_time):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(2000, 64)).astype(np.float32)
    rows = quantize(vectors)
    with index.batch():
        for n, row in enumerate(rows):
            index.upsert(prepare(make_note(f"{n:04}.md", f"text {n}"), stamp(), [row]))
    query = rng.normal(size=64).astype(np.float32)
    stored = np.frombuffer(b"".join(rows), dtype=np.int8).reshape(2000, 64).astype(np.float64)
    exact = np.argsort(-(stored @ query) / np.linalg.norm(stored, axis=1), kind="stable")[:30]

    with index.reader() as reader:
        found = [int(c.path[:4]) for c in reader.dense(query, None, 30, deadline=in_time)]

    assert found == list(exact)


# --- scores of given chunks and titles ---------------------------------------------------------


@whoever_proposes
def test_the_nearest_of_each_note_is_the_one_that_floats_say_however_near_others_are(index, make_note, stamp):
    rng = np.random.default_rng(5)
    vector = rng.normal(size=64).astype(np.float32)
    stored = {}
    with index.batch():
        for n in range(30):  # passages that differ from each other by less than rounding the query does
            near = rng.normal(size=64) * (n % 3) + vector * rng.normal()
            rows = quantize((near + rng.normal(size=(40, 64)) * 0.02).astype(np.float32))
            index.upsert(prepare(make_note(f"{n:02}.md", *(f"text {n} {m}" for m in range(40))), stamp(), list(rows)))
            stored[n + 1] = np.frombuffer(b"".join(rows), dtype=np.int8).reshape(40, 64).astype(np.float64)

    with index.reader() as reader:
        found = nearest(reader, vector, stored)

    for note_id, rows in stored.items():
        cosines = rows @ vector / np.linalg.norm(rows, axis=1) / np.linalg.norm(vector.astype(np.float64))
        assert found[note_id].cosine == pytest.approx(cosines.max(), abs=1e-12)
        assert found[note_id].mean == pytest.approx(cosines.mean(), abs=0.01)


@pytest.mark.parametrize("vector", [np.zeros(32), np.full(32, np.nan), np.full(32, np.inf)], ids=str)
def test_a_vector_without_meaning_is_near_to_nothing(put, index, vector):
    put("a.md", "apples")

    with index.reader() as reader:
        assert reader.dense_query(vector.astype(np.float32)) is None


@given(st.integers(0, 99), st.integers(1, 300))
def test_no_score_moves_by_more_than_the_error_bound_of_the_rounded_query(seed, dim):
    rng = np.random.default_rng(seed)
    vector = rng.normal(size=dim).astype(np.float32)
    query = QueryVector.of(vector)
    rows = rng.integers(-127, 128, (50, dim)).astype(np.float64)
    rows = rows[rows.any(axis=1)]

    rounded = rows @ query.quantized / np.linalg.norm(rows, axis=1)
    exact = rows @ (vector.astype(np.float64) / np.abs(vector).max() * 127) / np.linalg.norm(rows, axis=1)

    assert np.abs(rounded - exact).max(initial=0) <= query.error_bound


# --- vectors in memory --------------------------------------------------------------------------


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


# --- vectors that memory may not hold -----------------------------------------------------------

in_sqlite = pytest.mark.parametrize("vector_limits", [IN_SQLITE], ids=["sqlite-vec"])


@in_sqlite
def test_titles_are_scored_but_not_proposed(put, index, encode):
    put("a.md", "x", title="Pears")
    put("b.md", "x")

    with index.reader() as reader:
        query = reader.dense_query(encode(["pears"])[0])
        ids, cosines = query.title_cosines(np.array([1, 2, 9]))

        assert query.top_titles(None, 5) == []
    assert ids.tolist() == [1, 2]
    assert cosines[0] == pytest.approx(1, abs=1e-3)


@in_sqlite
def test_vectors_of_chunks_are_given_at_unit_length(index, make_note, stamp, encode):
    index.upsert(prepare(make_note("a.md", "apples", "pears", ""), stamp(), [b"\x7f" + bytes(31), None, b""]))

    with index.reader() as reader:
        rows = reader.vectors_of(reader.note("a.md").chunk_ids)

    assert rows.tolist() == [[1.0] + [0.0] * 31]


class KnownQuery:
    """A query of which every cosine is known: one chunk and one title a note, both with the same cosine."""

    def __init__(self, cosines: dict[int, float], mean: float, spread: float) -> None:
        self.cosines, self.of_all = cosines, Background(mean, spread)

    def _best(self, admitted, depth):
        chosen = {n: c for n, c in self.cosines.items() if admitted is None or n in admitted.tolist()}
        return sorted(chosen.items(), key=lambda pair: -pair[1])[:depth]

    def top_chunks(self, admitted, depth, deadline):
        return [(id_range(note_id)[0], cosine) for note_id, cosine in self._best(admitted, depth)]

    def top_titles(self, admitted, depth):
        return self._best(admitted, depth)

    def nearest_chunks(self, note_ids):
        notes = [n for n in note_ids.tolist() if n in self.cosines]
        cosines = np.array([self.cosines[n] for n in notes])
        return NearestChunks(np.array(notes, np.int64), np.array([id_range(n)[0] for n in notes]), cosines, cosines)

    def title_cosines(self, note_ids):
        found = self.nearest_chunks(note_ids)
        return found.note_ids, found.cosines

    def background(self):
        return self.of_all


def ids(*note_ids: int):
    return np.array(note_ids, dtype=np.int64)


def test_a_cosine_is_given_by_how_far_it_stands_out(in_time):
    narrow = StandardizedQuery(KnownQuery({1: 0.8, 2: 0.7}, mean=0.7, spread=0.05))

    (first, best), (second, usual) = narrow.top_chunks(None, 9, in_time)

    assert (first, second) == (id_range(1)[0], id_range(2)[0])
    assert best == pytest.approx(STANDARD.mean + 2 * STANDARD.spread)
    assert usual == pytest.approx(STANDARD.mean)
    assert narrow.nearest_chunks(ids(1)).cosines[0] == narrow.nearest_chunks(ids(1)).means[0] == best
    assert dict(narrow.top_titles(None, 1)) == {1: best}
    assert narrow.title_cosines(ids(1))[1].tolist() == [best]
    assert narrow.background() == STANDARD


def test_a_note_that_waits_is_compared_by_its_static_vector(in_time):
    contextual = KnownQuery({1: 0.3, 2: 0.2, 3: 0.9}, STANDARD.mean, STANDARD.spread)
    static = KnownQuery({1: 0.9, 3: 0.25, 4: 0.1}, STANDARD.mean, STANDARD.spread)
    layered = layered_query(contextual, static, Waiting(ids(3, 4), 2))

    assert isinstance(layered, LayeredDenseQuery)
    ranked = [(chunk_id >> 11, pytest.approx(cosine)) for chunk_id, cosine in layered.top_chunks(None, 9, in_time)]
    assert ranked == [(1, 0.3), (3, 0.25), (2, 0.2), (4, 0.1)]
    assert [note_id for note_id, _ in layered.top_titles(None, 2)] == [1, 3]
    assert layered.top_chunks(ids(3), 9, in_time) == [(id_range(3)[0], pytest.approx(0.25))]
    nearest = layered.nearest_chunks(ids(1, 3, 4, 7))
    assert nearest.note_ids.tolist() == [1, 3, 4]
    assert nearest.cosines.tolist() == pytest.approx([0.3, 0.25, 0.1])
    titled, cosines = layered.title_cosines(ids(2, 3))
    assert (titled.tolist(), cosines.tolist()) == ([2, 3], pytest.approx([0.2, 0.25]))


def test_as_many_are_proposed_as_were_asked_for_however_many_wait(in_time):
    contextual = KnownQuery({note_id: 0.5 - note_id / 100 for note_id in range(1, 9)}, 0.1, 0.1)
    layered = layered_query(contextual, KnownQuery({}, 0.1, 0.1), Waiting(ids(1, 2, 3), 3))

    assert [chunk_id >> 11 for chunk_id, _ in layered.top_chunks(None, 3, in_time)] == [4, 5, 6]


def test_where_none_waits_or_no_static_vector_is_known_contextual_ones_answer_alone():
    contextual = KnownQuery({1: 0.3}, 0.1, 0.1)

    assert isinstance(layered_query(contextual, contextual, Waiting(ids(), 0)), StandardizedQuery)
    assert isinstance(layered_query(contextual, None, Waiting(ids(1), 1)), StandardizedQuery)
