"""What is wrong with a query has a code and arguments, so that a client can say it in its own language."""

from datetime import UTC, datetime
from typing import get_args

import pytest

from quarry.analysis.patterns import BadPattern, compile_pattern
from quarry.errors import BadQuery
from quarry.messages import QueryProblem, RegexProblem
from quarry.query.parse import parse_query

BAD: dict[str, tuple[str, dict[str, object]]] = {
    "x" * 5000: ("query-too-long", {"count": 5000, "limit": 4096}),
    "-draft": ("query-only-excludes", {"query": "-draft"}),
    "a" + " (b" * 21: ("query-too-deep", {"limit": 20}),
    "-x " * 33: ("too-many-words", {"limit": 32}),
    "#a " * 101: ("too-many-filters", {"limit": 100}),
    "section:(" + "(a OR b) " * 6 + ")": ("too-many-alternatives", {"operator": "section", "limit": 32}),
    "/(/": ("bad-regex", {"pattern": "(", "problem": "missing-parenthesis", "reason": "missing ): ("}),
    "match-case:x tag:(a /b/)": ("no-regex-here", {"operator": "tag"}),
    "section:(a tag:b)": ("no-filter-here", {"operator": "section", "inner": "tag"}),
    "folder:(a [b])": ("no-filter-here", {"operator": "folder", "inner": "b"}),
    "modified:soon x": ("bad-date", {"operator": "modified", "value": "soon"}),
}


@pytest.mark.parametrize("typed", BAD, ids=lambda typed: typed[:20])
def test_a_query_that_cannot_be_read_says_why_by_code(typed: str):
    with pytest.raises(BadQuery) as refused:
        parse_query(typed, now=datetime(2026, 3, 1, tzinfo=UTC))

    assert refused.value.told is not None
    assert (refused.value.told.code, dict(refused.value.told.args)) == BAD[typed]


def test_every_code_is_met():
    # the engine refuses it where nothing is left to search for; see `test_execution.py`
    assert {code for code, _ in BAD.values()} == {*get_args(QueryProblem)} - {"query-without-words"}


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        *(("(", "missing-parenthesis"), (")", "unexpected-parenthesis"), ("[", "missing-bracket")),
        *(("[z-a]", "bad-range"), ("*", "nothing-to-repeat"), ("a**", "bad-repetition"), ("\\q", "bad-escape")),
        *(("a\\", "trailing-backslash"), ("(?=a)", "unsupported"), ("\\pL{1000}", "too-large")),
    ],
)
def test_what_is_wrong_with_a_regular_expression_is_told_by_kind(pattern: str, problem: str):
    assert problem in get_args(RegexProblem)
    with pytest.raises(BadPattern) as refused:
        compile_pattern(pattern)

    assert refused.value.problem == problem
