import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.rows import check_storable, chunk_row, read_properties
from quarry.types import Chunk, Shift

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
CHUNKS = st.builds(
    Chunk,
    number=st.integers(0, 2000),
    heading_path=st.lists(TEXT, max_size=3).map(tuple),
    text=TEXT,
    start=st.integers(0, 10**7),
    end=st.integers(0, 10**7),
    start_utf16=st.integers(0, 10**7),
    line=st.integers(0, 10**6),
    context=TEXT,
    shifts=st.lists(st.builds(Shift, st.integers(0, 999), st.integers(-99, 99)), max_size=3).map(tuple),
)


@given(CHUNKS)
def test_a_chunk_comes_back_from_its_row(chunk):
    assert chunk_row(chunk).as_chunk() == chunk


@given(CHUNKS, CHUNKS)
def test_chunks_that_differ_have_other_checksums_and_so_have_those_of_other_notes(one, other):
    row = chunk_row(one)

    assert (row.checksum(1) == chunk_row(other).checksum(1)) == (one == other)
    assert row.checksum(1) != row.checksum(2)


def test_texts_that_only_share_their_letters_have_other_hashes():
    def content(section, context, text):
        return chunk_row(Chunk(0, (section,), text, 0, 0, 0, 0, context)).content_hash

    assert len({content("ab", "c", "d"), content("a", "bc", "d"), content("a", "b", "cd")}) == 3


def test_lists_among_properties_are_tuples_again():
    assert read_properties(json.dumps({"l": ["a"], "x": 1.5})) == {"l": ("a",), "x": 1.5}


@pytest.mark.parametrize("field", ["title", "aliases", "tags", "problems"])
def test_half_a_surrogate_pair_is_refused_anywhere(make_note, field):
    value = "x\udcff" if field == "title" else ("x\udcff",)

    with pytest.raises(ValueError, match="no Unicode"):
        check_storable(make_note("a.md", "t", **{field: value}), [], None)
