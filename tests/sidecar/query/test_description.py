"""A query reads as a person would say it."""

from datetime import datetime

import pytest

from quarry.options import Retriever, Scope
from quarry.query.description import describe_query
from quarry.query.parse import parse_query

NOW = datetime(2026, 11, 21, 15, 30)  # noqa: DTZ001  local time, as days are described in it


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "all notes"),
        ("how to back off", "notes about how to back off"),
        (
            'folder:Work #idea "rate limit" backoff strategies',
            'notes in Work tagged #idea with "rate limit", about backoff strategies',
        ),
        ('-tag:x -"u v" "a" "b c"', 'notes with "a" and with "b c" not tagged #x without "u v"'),
        ("created:2026 modified:7d", "notes created in 2026 modified since 2026-11-14"),
        ("created:2026-03", "notes created in 2026-03"),
        ("created:today -modified:<2026", "notes created on 2026-11-21 not modified before 2026-01-01"),
        ("created:2026-01..2026-03", "notes created from 2026-01-01 to 2026-03-31"),
        (
            '#a OR "b" path:x',
            'notes either tagged #a or (with "b" and with "x" in the path)',
        ),
        ('#a -("u v" OR file:w)', 'notes tagged #a without "u v" and without "w" in the file name'),
        ('#a -("u" path:w)', 'notes tagged #a, either without "u" or without "w" in the path'),
        ("task:", "notes with a task"),
        ("-task-done: #a", "notes tagged #a without a finished task"),
        ("task-todo:(-x)", 'notes with an open task that does not say "x"'),
        ('section:("c" -"d")', 'notes with "c" but not "d" in one section'),
        ('line:("a" "b") -block:c', 'notes with "a" and "b" in one line without "c" in one block'),
        ('match-case:"Happy Cat"', 'notes with "Happy Cat" in this case'),
        ("[status:done OR dropped]", "notes either whose status is done or whose status is dropped"),
        ("[due:<today] [rating:>=4]", "notes whose due is before 2026-11-21 and whose rating is at least 4"),
        (
            "[p] -[q] [r:null] -type:daily",
            "notes with a property p whose r is empty without a property q whose type is not daily",
        ),
        ("/a+/ -path:/b/", "notes with text like /a+/ without a path like /b/"),
    ],
)
def test_conditions_in_words(typed: str, said: str) -> None:
    assert describe_query(parse_query(typed, now=NOW)) == said


@pytest.mark.parametrize(
    ("typed", "retrievers", "said"),
    [
        ("backoff", ("keyword",), "notes with the word backoff"),
        ("#idea back off", ("keyword",), "notes tagged #idea, with any of the words back off"),
        ("back off", ("dense",), "notes near in meaning to back off"),
        ("back off", ("keyword", "dense"), "notes about back off"),
    ],
)
def test_words_are_described_by_what_looks_for_them(typed: str, retrievers: tuple[Retriever, ...], said: str) -> None:
    assert describe_query(parse_query(typed, now=NOW), retrievers) == said


def test_filters_set_elsewhere_are_said_too() -> None:
    query = parse_query("x", Scope(folders=("A", "B"), not_tags=("t",)), now=NOW)

    assert describe_query(query) == "notes either in A or in B not tagged #t, about x"
