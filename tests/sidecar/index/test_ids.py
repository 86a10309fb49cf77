import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.config import MAX_NOTE_CHUNKS
from quarry.index.ids import SLOT_BITS, SLOTS, among, free_ids, id_list, id_range, note_of, ordinals_in

NOTE_IDS = st.integers(1, 2**40)


@given(NOTE_IDS)
def test_every_id_of_a_note_leads_back_to_it_and_to_no_other(note_id):
    first, last = id_range(note_id)

    assert note_of(first) == note_of(last) == note_id
    assert note_of(first - 1) == note_id - 1
    assert note_of(last + 1) == note_id + 1


def test_a_note_may_have_as_many_chunks_as_are_read():
    assert SLOTS >= MAX_NOTE_CHUNKS
    assert SLOT_BITS == 11  # as SQL spells it


def test_new_chunks_take_the_first_free_slots():
    first, last = id_range(7)
    fresh = free_ids(7, {first, first + 2})

    assert [next(fresh), next(fresh), next(fresh)] == [first + 1, first + 3, first + 4]
    assert list(free_ids(7, set(range(first, last)))) == [last]


@given(st.lists(st.integers(0, 50)), st.sets(st.integers(0, 50)))
def test_ids_are_told_that_are_among_the_admitted(ids, admitted):
    told = among(np.array(ids, dtype=np.int64), np.array(sorted(admitted), dtype=np.int64))

    assert told.tolist() == [number in admitted for number in ids]


@pytest.mark.parametrize("ids", [np.array([3, 5], dtype=np.int64), [3, 5], (number for number in (3, 5))])
def test_ids_are_listed_for_sql(ids):
    assert id_list(ids) == "[3, 5]"


@pytest.mark.parametrize(("ordered", "expected"), [([], [-1, -1, -1]), ([3, 5, 9], [1, -1, 0]), ([9], [-1, -1, -1])])
def test_the_ordinals_of_ids_are_their_places_and_absent_ids_have_none(ordered, expected):
    found = ordinals_in(np.array(ordered, np.int64), np.array([5, 4, 3], np.int64))

    assert found.tolist() == expected
