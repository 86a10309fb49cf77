"""Text that was added is taken out again to the byte."""

from hypothesis import given
from hypothesis import strategies as st

from quarry.agents.install.insertions import Insertion, inserted, only_insertion, taken_out


@st.composite
def texts_with_insertions(draw):
    text = draw(st.text(alphabet="ab\n\r,", max_size=20))
    offsets = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return text, [Insertion(offset, draw(st.text(alphabet="abx,", max_size=5))) for offset in offsets]


@given(texts_with_insertions())
def test_what_was_inserted_is_taken_out(case):
    text, insertions = case

    assert taken_out(inserted(text, insertions), insertions) == text


def test_insertions_that_do_not_stand_there_are_not_taken_out():
    assert taken_out("a changed text", [Insertion(2, "new ")]) is None


@given(st.text(alphabet="ab", max_size=8), st.text(alphabet="ab", max_size=8), st.text(alphabet="ab", max_size=8))
def test_a_single_insertion_is_recognised(before, added, behind):
    found = only_insertion(before + behind, before + added + behind)

    assert found is not None
    assert inserted(before + behind, [found]) == before + added + behind


def test_a_replacement_is_no_insertion():
    assert only_insertion("one two", "one four") is None
    assert only_insertion("one two", "one") is None
