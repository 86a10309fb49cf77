"""Dates said in words are found where they are written in numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.dates import date_phrases


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("december 2021", ("2021 12",)),
        ("December, 2021", ("2021 12",)),
        ("notes from Dec 2021 on", ("2021 12",)),
        ("Dec. 2021", ("2021 12",)),
        ("SEPT", ()),
        ("7 december 2021", ("2021 12 07",)),
        ("7th of December 2021", ("2021 12 07",)),
        ("December 7th, 2021", ("2021 12 07",)),
        ("december 07 2021", ("2021 12 07",)),
        ("may 1999 and june 2000", ("1999 05", "2000 06")),
        ("may 1999 or May 1999", ("1999 05",)),
        ("December", ()),
        ("2021", ()),
        ("december 21", ()),
        ("december 20211", ()),
        ("december 3021", ()),
        ("39 december 2021", ("2021 12",)),
        ("0 december 2021", ("2021 12",)),
        ("mayonnaise 2021", ()),
        ("dismay 2021", ()),
        ("", ()),
    ],
)
def test_months_and_days_with_a_year_are_read(text: str, phrases: tuple[str, ...]):
    assert date_phrases(text) == phrases


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *(("January", 1), ("February", 2), ("March", 3), ("April", 4), ("May", 5), ("June", 6)),
        *(("July", 7), ("August", 8), ("September", 9), ("October", 10), ("November", 11), ("December", 12)),
    ],
)
def test_every_month_is_known_by_its_name_and_by_three_letters(name: str, number: int):
    assert date_phrases(f"{name} 2024") == date_phrases(f"{name[:3]} 2024") == (f"2024 {number:02}",)


@given(st.text())
def test_any_text_is_read(text: str):
    assert all(len(phrase.split()) in (2, 3) for phrase in date_phrases(text))
