from datetime import date

import pytest

from quarry.conditions import AnyOf, HasProperty
from quarry.text.query.conditions import property_condition


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, [("exists", "")]),
        ("", [("exists", "")]),
        ("<", [("exists", "")]),
        ("done", [("is", "done")]),
        ("in progress", [("is", "in progress")]),
        ('"a  b"', [("is", "a  b")]),
        ("null", [("is", "")]),
        ('"null"', [("is", "null")]),
        ("<5", [("<", "5")]),
        ("> = 5", [(">", "= 5")]),
        (">= 5", [(">=", "5")]),
        ('"<5"', [("is", "<5")]),
        ("<today", [("<", "2026-11-21")]),
        (">=tomorrow", [(">=", "2026-11-22")]),
        ("today", [("is", "today")]),
        ("a OR b c", [("is", "a"), ("is", "b c")]),
        ('(a OR "b OR c")', [("is", "a"), ("is", "b OR c")]),
        ("<1 OR >5", [("<", "1"), (">", "5")]),
        ("a OR", [("is", "a")]),
        ("[[Home]]", [("is", "[[Home]]")]),
    ],
)
def test_what_brackets_ask_for(value, expected):
    wanted = tuple(HasProperty("p", comparison, text) for comparison, text in expected)

    assert property_condition("p", value, date(2026, 11, 21)) == (wanted[0] if len(wanted) == 1 else AnyOf(wanted))
