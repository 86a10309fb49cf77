"""A condition is written so that a person recognises what was typed, and so that it means the same when read."""

from datetime import datetime

import pytest

from quarry.conditions import AllOf
from quarry.query.parse import parse_query
from quarry.query.writing import written

NOW = datetime(2026, 11, 21, 15, 30)  # noqa: DTZ001  the clock on the wall

TYPED = [
    *("folder:Work", 'folder:"a b"', "folder:/", "path:x", "file:2026", "#idea", 'tag:"a b"', "tag:2026", "-#draft"),
    *('"rate limit"', "match-case:Ab", "/v\\d+/", "path:/a b/", "[status]", "[due date:<2026-01-01]", "[a:null]"),
    *(
        "status:done",
        '[status:"null"]',
        '["a:b":"x OR y"]',
        "[a:b OR c]",
        "section:(a -b)",
        "line:x",
        "task:",
        "-(a b)",
    ),
    *("task-todo:(a OR b)", "modified:2026-03", "created:>=2026-01-01", "modified:<2026", "block:(-a)", "(#a OR -#b)"),
]


@pytest.mark.parametrize("typed", TYPED)
def test_what_is_written_is_read_back_as_the_same_condition(typed: str) -> None:
    condition = parse_query(f"w {typed}", now=NOW).condition
    again = parse_query(f"w {written(condition)}", now=NOW).condition

    assert isinstance(condition, AllOf)
    assert again == condition


@pytest.mark.parametrize("typed", ["folder:Work", "#idea", "-#draft", '"rate limit"', "[rating:>=4]", "status:done"])
def test_a_filter_is_written_as_it_was_typed(typed: str) -> None:
    assert written(parse_query(f"w {typed}", now=NOW).condition) == typed
