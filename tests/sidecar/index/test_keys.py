import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.keys import (
    among,
    content_hash,
    digest,
    fold_case,
    fold_marks,
    fold_tag,
    free_ids,
    id_range,
    note_checksum,
    note_of,
    ordinals_in,
    target_key,
    target_keys,
    vector_checksum,
)
from quarry.types import Chunk

NOTE_IDS = st.integers(1, 2**40)


@given(NOTE_IDS)
def test_every_id_of_a_note_leads_back_to_it_and_to_no_other(note_id):
    first, last = id_range(note_id)

    assert note_of(first) == note_of(last) == note_id
    assert note_of(first - 1) == note_id - 1
    assert note_of(last + 1) == note_id + 1


def test_new_chunks_take_the_first_free_slots():
    first, last = id_range(7)
    fresh = free_ids(7, {first, first + 2})

    assert [next(fresh), next(fresh), next(fresh)] == [first + 1, first + 3, first + 4]
    assert list(free_ids(7, set(range(first, last)))) == [last]


@given(st.lists(st.integers(0, 50)), st.sets(st.integers(0, 50)))
def test_ids_are_told_that_are_among_the_admitted(ids, admitted):
    told = among(np.array(ids, dtype=np.int64), np.array(sorted(admitted), dtype=np.int64))

    assert told.tolist() == [number in admitted for number in ids]


@pytest.mark.parametrize(("ordered", "expected"), [([], [-1, -1, -1]), ([3, 5, 9], [1, -1, 0]), ([9], [-1, -1, -1])])
def test_the_ordinals_of_ids_are_their_places_and_absent_ids_have_none(ordered, expected):
    found = ordinals_in(np.array(ordered, np.int64), np.array([5, 4, 3], np.int64))

    assert found.tolist() == expected


@given(st.lists(st.text(st.sampled_from("aÀΣς\u0301/.md\n İ"), max_size=8), max_size=5))
def test_keys_are_the_same_together_as_one_by_one(targets):
    assert target_keys(targets) == [target_key(target) for target in targets]


def test_case_and_composition_are_ignored_but_accents_count():
    assert fold_case("CAFÉ") == fold_case("cafe\u0301") == "café"
    assert fold_case("café") != fold_case("cafe")


def test_accents_are_ignored_where_paths_are_filtered():
    assert fold_marks("Résumé/ÉTÉ.md") == fold_marks("Re\u0301sume\u0301/ete.md") == "resume/ete.md"


def test_a_tag_is_the_same_with_or_without_its_sign():
    assert fold_tag("#Work/Plans/") == fold_tag("work/plans")


def test_a_note_is_named_by_the_last_part_of_its_path_without_suffix():
    assert target_key("Areas/Health.MD") == target_key("health") == "health"
    assert target_key("v1.2 notes.md") == "v1.2 notes"


def test_no_two_lists_share_a_hash():
    lists = [
        ("a", "b"),
        ("ab",),
        ("a,b",),
        ("a", b"b"),
        ("1",),
        (1,),
        (None,),
        ("None",),
        (1.0,),
        ("é",),
        ("e\u0301",),
        (),
    ]

    assert len({digest(*parts) for parts in lists}) == len(lists)


def test_a_hash_is_the_same_in_every_run_and_version():
    assert digest("é", 1, b"\x00").hex() == "1cd3025ce77d8205c6164bac9a9efed7"


def test_texts_that_only_share_their_letters_have_other_hashes():
    def content(section, context, text):
        return content_hash(Chunk(0, (section,), text, 0, 0, 0, 0, context))

    assert len({content("ab", "c", "d"), content("a", "bc", "d"), content("a", "b", "cd")}) == 3


def test_a_note_has_another_checksum_when_a_column_or_its_body_changes():
    checksums = [note_checksum(("a", 1), b"x"), note_checksum(("a", 2), b"x"), note_checksum(("a", 1), b"y")]

    assert len(set(checksums)) == 3


@given(st.binary(min_size=1, max_size=300), st.data())
def test_one_flipped_bit_of_a_vector_is_told(vector, data):
    bit = data.draw(st.integers(0, len(vector) * 8 - 1))
    flipped = bytearray(vector)
    flipped[bit // 8] ^= 1 << bit % 8

    assert vector_checksum(b"key", bytes(flipped)) != vector_checksum(b"key", vector)


def test_a_vector_is_tied_to_its_text():
    assert vector_checksum(b"one", b"vector") != vector_checksum(b"other", b"vector")
