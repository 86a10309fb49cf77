"""Values are compared and hashed by what they hold."""

import pickle
from dataclasses import replace

import pytest

from quarry.types import Span, frozen


def test_values_that_hold_the_same_are_equal_and_have_one_hash() -> None:
    assert {Span(1, 2), Span(1, 2), Span(1, 3)} == {Span(1, 2), Span(1, 3)}


def test_a_value_has_no_room_for_what_is_not_its_own() -> None:
    with pytest.raises(AttributeError):
        Span(1, 2).middle = 1  # type: ignore[attr-defined]


def test_a_value_goes_to_another_process_and_back() -> None:
    assert pickle.loads(pickle.dumps(Span(1, 2))) == Span(1, 2)  # ours


def test_of_a_value_another_is_made() -> None:
    @frozen
    class Word:
        text: str
        count: int = 0

    assert replace(Word("tea"), count=1) == Word("tea", 1)
