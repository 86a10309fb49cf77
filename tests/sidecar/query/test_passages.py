from datetime import UTC, datetime

import pytest

from quarry.conditions import AnyOf, InBlock, InSection, InTask
from quarry.errors import BadQuery
from quarry.query.parse import parse_query


def read(typed):
    (condition,) = parse_query(typed, now=datetime(2026, 11, 21, tzinfo=UTC)).condition.parts
    return condition


@pytest.mark.parametrize(
    ("typed", "alternatives"),
    [
        ("section:(a b)", [(("a", "b"), ())]),
        ("section:(a a)", [(("a",), ())]),
        ("section:(a -b)", [(("a",), ("b",))]),
        ("section:(a OR b c)", [(("a",), ()), (("b", "c"), ())]),
        ("section:((a OR b) c)", [(("a", "c"), ()), (("b", "c"), ())]),
        ("section:(a -(b OR c))", [(("a",), ("b", "c"))]),
        ("section:(a -(b c))", [(("a",), ("b",)), (("a",), ("c",))]),
        ("section:(a -(-b))", [(("a", "b"), ())]),
        ("section:(#tag x ?!)", [(("tag", "x"), ())]),
    ],
)
def test_a_group_is_written_out_as_alternatives(typed, alternatives):
    sections = tuple(InSection(*each) for each in alternatives)

    assert read(typed) == (sections[0] if len(sections) == 1 else AnyOf(sections))


@pytest.mark.parametrize("unit", ["line", "block"])
def test_lines_and_blocks_take_what_sections_take(unit):
    assert read(f"{unit}:(a -b)") == InBlock(unit, ("a",), ("b",))
    assert read(f"{unit}:(a OR b c)") == AnyOf((InBlock(unit, ("a",)), InBlock(unit, ("b", "c"))))


def test_tasks_have_a_state_and_need_no_words():
    assert read("task:") == read('task:""') == read("task:()") == InTask("any")
    assert read("task-done:(a OR b)") == AnyOf((InTask("done", ("a",)), InTask("done", ("b",))))
    assert read("task-todo:(-a)") == InTask("todo", (), ("a",))


@pytest.mark.parametrize("typed", ["section:" + "(a OR b) " * 6, "task:(" + "(a OR b) " * 6 + ")", "section:(a [p])"])
def test_what_would_be_too_much_is_refused(typed):
    if typed.startswith("section:(a OR b) "):
        typed = f"section:({typed.removeprefix('section:')})"

    with pytest.raises(BadQuery):
        read(typed)


def test_a_section_of_33_words_is_refused():
    with pytest.raises(BadQuery, match="32"):
        read(f"section:({' '.join(f'w{n}' for n in range(33))})")
