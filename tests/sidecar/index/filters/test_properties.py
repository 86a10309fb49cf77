from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.filters.properties import created_ms, stands


@pytest.mark.parametrize(
    ("value", "comparison", "wanted", "is_so"),
    [
        ("Done", "is", "done", True),
        ("Dönê", "is", "done", True),
        ("done!", "is", "done", False),
        (("a", "B"), "is", "b", True),
        ((), "is", "b", False),
        ((), "is", "", True),
        ("", "is", "", True),
        ("x", "is", "", False),
        (4, "is", "4", True),
        (4, "is", "4.0", True),
        ("4.50", "is", "4.5", True),
        (0.1, "is", "0.1", True),
        (True, "is", "TRUE", True),
        (False, "is", "false", True),
        (1, "is", "true", False),
        ("[[Home|there]]", "is", "home", True),
        ("[[Home]]", "is", "[[home]]", True),
        (("[[A]]", "[[B#x]]"), "is", "B", True),
        ("2026-03-05", "is", "2026-03", True),
        ("2026-03-05T10:00", "is", "2026-03-05", True),
        ("[[2026-03-05]]", "is", "2026", True),
        ("2026-03-05", "is", "2026-04", False),
        (4, "<", "5", True),
        ("4", "<", "5", True),
        (5, "<", "5", False),
        (5, "<=", "5", True),
        (-1, ">", "-2", True),
        ("9", "<", "10", True),
        ("good", "<", "5", False),
        ("good", ">", "5", False),
        ("", "<", "5", False),
        (True, ">", "0", False),
        ((1, "7"), ">", "6", True),
        ("2026-03-05", "<", "2026-03-05", False),
        ("2026-03-05", "<=", "2026-03", True),
        ("2026-03-05", ">", "2026-02", True),
        ("2026-03-05", ">=", "2026", True),
        ("2026-03-05", "<", "2027", True),
        ("2026/3/5", "<", "2026-03-06", True),
        ("2026-12-31", "<=", "2026-12", True),
        ("2026-02-31", "<", "2027-01-01", False),
        ("beta", ">", "Alpha", True),
        ("beta", "<=", "alpha", False),
        ("2026-03-05", ">", "alpha", False),
        ("anything", "exists", "", True),
    ],
)
def test_a_property_stands_as_it_is_meant(value, comparison, wanted, is_so):
    assert stands(value, comparison, wanted) is is_so


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (1639113925844, datetime(2021, 12, 10, 5, 25, 25, 844_000, tzinfo=UTC)),
        (1639113925, datetime(2021, 12, 10, 5, 25, 25, tzinfo=UTC)),
        ("1639113925844", datetime(2021, 12, 10, 5, 25, 25, 844_000, tzinfo=UTC)),
        ("2026-03-05T10:00:00Z", datetime(2026, 3, 5, 10, tzinfo=UTC)),
        ("2026-03-05 10:00:30.5+02:00", datetime(2026, 3, 5, 8, 0, 30, tzinfo=UTC)),
        ("2026-03-05T10:00-0130", datetime(2026, 3, 5, 11, 30, tzinfo=UTC)),
        ("2026-03-05", datetime(2026, 3, 5).astimezone()),
        ("[[2026-03-05]]", datetime(2026, 3, 5).astimezone()),
        ("2026/3/5 9:07", datetime(2026, 3, 5, 9, 7).astimezone()),
        ("2026-03", datetime(2026, 3, 1).astimezone()),
        (20260305, datetime(2026, 3, 5).astimezone()),
        ("202603051230", datetime(2026, 3, 5, 12, 30).astimezone()),
        (("2026-03-05", "2027-01-01"), datetime(2026, 3, 5).astimezone()),
    ],
)
def test_a_creation_time_is_read_in_many_spellings(value, moment):
    assert created_ms({"created": value}) == round(moment.timestamp() * 1000)


@pytest.mark.parametrize(
    "value", ["", "soon", "{{date}}", "2026-13-45", 2026, 4, True, 0.5, (), 10**17, -5, "2026-03-05T99:00"]
)
def test_what_is_no_time_says_nothing(value):
    assert created_ms({"created": value}) is None


def test_the_plainest_name_that_can_be_read_counts():
    day = datetime(2026, 3, 5, tzinfo=UTC).timestamp() * 1000

    assert created_ms({"date": "2020-01-01", "Created": "2026-03-05T00:00Z"}) == day
    assert created_ms({"created": "soon", "creation date": "2026-03-05T00:00Z"}) == day
    assert created_ms({"Date-Created": "2026-03-05T00:00Z"}) == day
    assert created_ms({"recreated": "2026-03-05T00:00Z"}) is None


_VALUES = st.one_of(st.text(max_size=20), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.booleans())


@given(
    st.one_of(_VALUES, st.lists(st.text(max_size=9)).map(tuple)),
    st.sampled_from(["is", "<", "<=", ">", ">="]),
    st.text(max_size=20),
)
def test_any_value_may_be_compared_with_anything(value, comparison, wanted):
    assert stands(value, comparison, wanted) in (True, False)
    assert created_ms({"created": value, "date": wanted}) is None or not isinstance(value, bool)


@given(st.one_of(st.integers(-(10**9), 10**9), st.dates().map(str), st.text("abc", min_size=1)))
def test_a_value_is_at_most_and_at_least_itself(value):
    assert stands(value, "<=", str(value))
    assert stands(value, ">=", str(value))
    assert not stands(value, "<", str(value))
    assert not stands(value, ">", str(value))
