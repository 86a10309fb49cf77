"""Conditions are combined without nesting what is alike, written as queries, and described."""

from datetime import datetime

import pytest

from quarry.conditions import MATCH_ALL, AllOf, AnyOf, HasTag, MatchesPattern, Not, all_of, any_of, text_patterns
from quarry.messages import message
from quarry.options import Retriever, Scope
from quarry.query.parse import describe_query, parse_query

NOW = datetime(2026, 11, 21, 15, 30)  # noqa: DTZ001  local time, as days are described in it
A, B, C = HasTag("a"), HasTag("b"), HasTag("c")


def test_a_conjunction_of_conjunctions_is_one_without_repeats():
    assert all_of([A, AllOf((B, A)), C]) == AllOf((A, B, C))
    assert all_of([]) == all_of([MATCH_ALL]) == MATCH_ALL


def test_a_disjunction_of_disjunctions_is_one_without_repeats():
    assert any_of([A, AnyOf((B, A)), C]) == AnyOf((A, B, C))


def test_a_disjunction_of_one_part_is_that_part_and_a_conjunction_stays_one():
    assert any_of([A, A]) == A
    assert all_of([A]) == AllOf((A,))


def test_what_is_not_alike_stays_nested():
    nested = AnyOf((A, AllOf((B, C))))

    assert all_of([nested, Not(A)]) == AllOf((nested, Not(A)))
    assert any_of([AllOf((A, B)), C]) == AnyOf((AllOf((A, B)), C))


def test_the_wanted_expressions_are_those_in_the_text_and_not_negated():
    x, y, z = MatchesPattern("x"), MatchesPattern("y"), MatchesPattern("z", "path")

    assert text_patterns(AllOf((x, AnyOf((y, z, A)), Not(MatchesPattern("w")), x))) == ("x", "y")


# --- written ---------------------------------------------------------------------------------------

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
def test_a_written_condition_is_parsed_to_the_same_condition(typed: str):
    condition = parse_query(f"w {typed}", now=NOW).condition
    again = parse_query(f"w {condition.written()}", now=NOW).condition

    assert again == condition


@pytest.mark.parametrize("typed", ["folder:Work", "#idea", "-#draft", '"rate limit"', "[rating:>=4]", "status:done"])
def test_a_filter_is_written_as_it_was_typed(typed: str):
    assert parse_query(f"w {typed}", now=NOW).condition.written() == typed


# --- described -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "described"),
    [
        ("", "all notes"),
        ("how to back off", "notes about how to back off"),
        ('folder:Work #idea "u v" back off', "notes in Work, with the tag #idea, with “u v”, about back off"),
        ('-tag:x -"u v" "a"', "notes with “a”, without the tag #x, without “u v”"),
        ("created:2026 -modified:<2026", "notes created in 2026, not modified before 2026-01-01"),
        ("created:2026-01..2026-03", "notes created from 2026-01-01 to 2026-03-31"),
        ('#a OR "b" path:x', "notes either with the tag #a or (with “b” and with “x” in the path)"),
        ('#a -("u" path:w)', "notes with the tag #a, either without “u” or without “w” in the path"),
        ('#a -("u" OR path:w)', "notes with the tag #a, (without “u” and without “w” in the path)"),
        ("task: -task-done:", "notes with a task, without a completed task"),
        ("task-todo:(-x)", "notes with anything but not “x” in an open task"),
        ('section:("c" -"d" -"e")', "notes with “c” but not “d” or “e” in one section"),
        ('line:("a" "b") -block:"c"', "notes with “a” and “b” in one line, without “c” in one paragraph or list item"),
        ('match-case:"Happy Cat"', "notes with “Happy Cat” in this case"),
        ("[due:<today] [rating:>=4]", "notes with due < 2026-11-21, with rating ≥ 4"),
        ("[p] -[q] [r:null]", "notes with the property p, with an empty property r, without the property q"),
        ("-type:daily", "notes without type: daily"),
        ("/a+/ -path:/b/", "notes with /a+/ in the text, without /b/ in the path"),
        ("kind:pdf file:b", "notes with “b” in the file name, of kind pdf"),
    ],
)  # fmt: skip
def test_conditions_in_english(typed: str, described: str):
    assert str(describe_query(parse_query(typed, now=NOW))) == described


@pytest.mark.parametrize(
    ("typed", "retrievers", "described"),
    [
        ("backoff", ("keyword",), "notes with the word backoff"),
        ("back off", ("keyword",), "notes with any of the words back off"),
        ("back off", ("dense",), "notes near in meaning to back off"),
    ],
)
def test_words_are_described_by_the_retrievers_that_look_for_them(
    typed: str, retrievers: tuple[Retriever, ...], described: str
):
    assert str(describe_query(parse_query(typed, now=NOW), retrievers)) == described


def test_filters_set_elsewhere_are_described_too():
    query = parse_query("x", Scope(folders=("A", "B"), not_tags=("t",), notes=("n.md",)), now=NOW)

    assert str(describe_query(query)) == "notes at n.md, either in A or in B, without the tag #t, about x"


def test_a_description_is_made_of_codes():
    [part] = describe_query(parse_query('-match-case:"API" tag:x', now=NOW)).args["conditions"][1:]

    phrase = message("understood.in-case", what=message("word.quoted", text="API"))
    assert part == message("understood.without", what=phrase)
