"""What a query vector is, and what both implementations of a dense query answer alike."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.conditions import AllOf, HasPhrase, HasTag, InFolder, Not
from quarry.index import Index, quantize
from quarry.index.vector.limits import VectorLimits
from quarry.index.vector.query import QueryVector

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


def test_a_query_without_meaning_finds_nothing(put, dense):
    put("a.md", "apples")

    assert dense("") == []


def test_an_index_without_vectors_finds_nothing(index, make_note, stamp, dense):
    index.upsert(make_note("a.md", "apples"), stamp(), [None])

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
            index.upsert(make_note(f"{n:04}.md", f"text {n}"), stamp(), [row])
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
            index.upsert(make_note(f"{n:02}.md", *(f"text {n} {m}" for m in range(40))), stamp(), list(rows))
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
