"""The tree of a query sets conditions: words are required only where they are more than words."""

from datetime import UTC, date, datetime

import pytest

from quarry.conditions import (
    AllOf,
    AnyOf,
    Condition,
    HasPhrase,
    HasProperty,
    HasTag,
    InFolder,
    InPath,
    InTimeRange,
    MatchesPattern,
    Not,
)
from quarry.errors import BadQuery
from quarry.query.grammar import parse_query_tree
from quarry.query.operators import MAX_FILTERS, MAX_REQUIRED_WORDS, ConditionBuilder, property_condition

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
DAY_MS = 86_400_000


def conditions_of(typed: str) -> tuple[Condition, ...]:
    tree = parse_query_tree(typed)
    assert tree is not None
    return ConditionBuilder(len(typed), NOW).conditions(tree)


@pytest.mark.parametrize(
    ("typed", "conditions"),
    [
        ("rate limit", ()),
        ("rate OR limit", ()),
        ('"rate limit" now', (HasPhrase("rate limit"),)),
        ("-draft", (Not(HasPhrase("draft")),)),
        ("-(a b)", (Not(AllOf((HasPhrase("a"), HasPhrase("b")))),)),
        ("content:limit", (HasPhrase("limit"),)),
        ("ignore-case:limit", ()),
        ("#work OR todo", (AnyOf((HasTag("work"), HasPhrase("todo"))),)),
        ("#work OR the todo", (AnyOf((HasTag("work"), HasPhrase("todo"))),)),
        ("path:(a OR -b)", (AnyOf((InPath("a"), Not(InPath("b")))),)),
        ("folder:/a/b/ folder:", (InFolder("a/b"),)),
        (r"path:/\d+/ /x+/", (MatchesPattern(r"\d+", "path"), MatchesPattern("x+"))),
    ],
)
def test_what_a_tree_requires(typed: str, conditions: tuple[Condition, ...]):
    assert conditions_of(typed) == conditions


def test_times_are_days_of_the_zone_and_one_still_being_typed_requires_nothing():
    today_ms = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp()) * 1000

    assert conditions_of("modified:today") == (InTimeRange("modified", today_ms, today_ms + DAY_MS),)
    assert conditions_of("created:20") == ()
    with pytest.raises(BadQuery, match="cannot read “x”"):
        conditions_of("created:x y")


@pytest.mark.parametrize(
    ("typed", "message", "position"),
    [
        ("x /(/", "is missing", 2),
        ("tag:(/x/)", "takes no regular expression", 5),
        ("path:[a:b] path:(x tag:y)", "Move", 19),
        (f'"{"x " * (MAX_REQUIRED_WORDS + 1)}"', f"More than {MAX_REQUIRED_WORDS} words", 0),
        ("#a " * (MAX_FILTERS + 1), f"more than {MAX_FILTERS} filters", 3 * MAX_FILTERS),
    ],
)
def test_what_cannot_be_required_is_refused_where_it_stands(typed: str, message: str, position: int):
    with pytest.raises(BadQuery, match=message) as caught:
        conditions_of(typed)

    assert caught.value.position == position


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
