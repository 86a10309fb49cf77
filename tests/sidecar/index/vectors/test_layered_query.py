"""Contextual cosines on the scale of static ones, with static vectors for notes that wait."""

import numpy as np
import pytest

from quarry.index.keys import id_range
from quarry.index.vectors.background import Background
from quarry.index.vectors.layered_query import STANDARD, LayeredDenseQuery, StandardizedQuery, layered_query
from quarry.index.vectors.query import NearestChunks
from quarry.index.vectors.rows import Waiting


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
