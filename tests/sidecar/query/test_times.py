"""Plain words about time are a filter in the forms that say so, and words everywhere else."""

import csv
from datetime import datetime
from pathlib import Path

import pytest

from quarry.query.parse import parse_query
from quarry.query.times import MAX_CHARS, spoken_time

NOW = datetime(2026, 5, 20, 12)  # noqa: DTZ001
with Path(__file__).with_name("spoken_times.tsv").open(encoding="utf-8", newline="") as file:
    JUDGED = [(row[0], row[1], row[2]) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


@pytest.mark.parametrize(("typed", "rest", "filter_"), JUDGED)
def test_words_about_time_are_a_filter_only_where_they_are_meant_as_one(typed: str, rest: str, filter_: str):
    query = parse_query(typed, now=NOW, reads_times=True)
    times = [clause for clause in query.clauses if clause.kind == "time"]

    assert [clause.value for clause in times] == ([filter_] if filter_ else [])
    if times:
        assert " ".join((typed[: times[0].start] + typed[times[0].end :]).split()) == rest
        asked = parse_query(f"{rest} {filter_}", now=NOW)
        assert (query.text, query.condition) == (asked.text, asked.condition)
    else:
        assert query == parse_query(typed, now=NOW)


@pytest.mark.parametrize("typed", [typed for typed, _, filter_ in JUDGED if filter_])
def test_in_parentheses_they_are_words_again(typed: str):
    query = parse_query(typed, now=NOW, reads_times=True)
    [time] = [clause for clause in query.clauses if clause.kind == "time"]
    within = f"{typed[: time.start]}({typed[time.start : time.end].strip()}){typed[time.end :]}"

    assert parse_query(within, now=NOW, reads_times=True).condition == parse_query("x", now=NOW).condition
    assert time.removable


def test_other_clauses_stay_beside_them():
    query = parse_query("#idea notes from last week about reeds", now=NOW, reads_times=True)

    assert [(clause.kind, clause.name) for clause in query.clauses] == [
        ("tag", ""),
        ("time", "notes from last week about"),
    ]
    assert query.text == "reeds"


@pytest.mark.parametrize(
    "typed", ["from June", "notes from May", "ideas from the last 900 years", "notes from last week" * 40]
)
def test_what_is_odd_is_read_without_a_fault(typed: str):
    assert parse_query(typed, now=NOW, reads_times=True)


def test_a_long_text_of_many_times_is_no_query_about_time():
    text = "march " * 600 + "notes from last month"

    assert spoken_time(text[-MAX_CHARS:].strip(), NOW.date())
    assert spoken_time(text, NOW.date()) is None
