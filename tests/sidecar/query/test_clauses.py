"""What a pane shows as chips can be cut out of the text, and the rest means what it meant."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from quarry.errors import BadQuery
from quarry.query.grammar import tokenize_query
from quarry.query.parse import MAX_CHECKED, parse_query
from quarry.types import Clause, Query

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)

PARTS = (
    *("rate", "limit", "c++", "and/or", '"rate limit"', "“a b”", "/v\\d+/", "#idea", "tag:idea", "-tag:old", '-"x y"'),
    *("folder:Work", 'path:"a b"', "file:log", "-draft", "-(a b)", "(a b)", "(a OR tag:b)", "(tag:a path:b)"),
    *("[status]", "[status:done]", "-[rating:<5]", "type:log", "domain:health", "status:open", "modified:7d"),
    *("created:2026-03", "section:(a b)", "line:x", "block:(a OR b)", "task:", "task-todo:call", "match-case:Ab"),
    *("ignore-case:x", "content:(a b)", "modified:last week", "((tag:a) b)", "🙂", "-(a OR -b)"),
)


def read(typed: str) -> Query | str:
    """The query without its clauses, or why it cannot be read."""
    try:
        return replace(parse_query(typed, now=NOW), clauses=())
    except BadQuery as error:
        return type(error).__name__


def find_clauses(typed: str) -> tuple[Clause, ...]:
    try:
        return parse_query(typed, now=NOW).clauses
    except BadQuery:
        return ()


def without(typed: str, clause: Clause) -> str:
    return typed[: clause.start] + typed[clause.end :]


def kinds(typed: str) -> list[tuple[str, str]]:
    return [(("-" if clause.negated else "") + clause.kind, clause.value) for clause in find_clauses(typed)]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("how do I rename a branch", []),
        ("self-hosted and/or http://x", []),
        ('"rate limit" retry', [("phrase", "rate limit")]),
        ("a -b", [("-word", "b")]),
        ("#idea -tag:old tag:(a OR b)", [("tag", "idea"), ("-tag", "old"), ("tag", "a OR b")]),
        ('folder:Work/Q3 path:"a b"', [("folder", "Work/Q3"), ("path", "a b")]),
        ("[status] [rating:<5]", [("property", ""), ("property", "<5")]),
        ("section:(a b) task: task-done:x", [("section", "a b"), ("task", ""), ("task-done", "x")]),
        ("/v\\d+/ modified:last week", [("regex", "v\\d+"), ("modified", "last week")]),
        ("(a OR b)", []),
        ("(a OR tag:b) c", [("group", "a OR tag:b")]),
        ("-(a b) c", [("-group", "a b")]),
        ("(tag:a (b path:c))", [("tag", "a"), ("path", "c")]),
        ("tag: folder: - OR", []),
        ("(a (tag:b) c", [("tag", "b")]),
        ("x -(a (b)", [("-group", "a (b)")]),
    ],
)
def test_clauses_are_what_is_more_than_a_word(typed: str, found: list[tuple[str, str]]) -> None:
    assert kinds(typed) == found


def test_the_name_of_a_property_is_told_apart_from_its_value() -> None:
    [clause] = find_clauses('["due date":<today]')

    assert (clause.name, clause.value) == ("due date", "<today")


@pytest.mark.parametrize("typed", ["a tag:b", "tag:b a", "(a tag:b)", "a  tag:b  c", 'a"b c"', '"b c"a'])
def test_a_clause_beside_words_can_be_cut_out(typed: str) -> None:
    [clause] = find_clauses(typed)

    assert clause.removable
    assert "  " not in without(typed, clause).strip() or "  " in typed


@pytest.mark.parametrize("typed", ["a OR tag:b", "(a OR (tag:b c)) OR d", 'a"b"c', '/usr "a/b" c/ d', 'x("a b" y)'])
def test_a_clause_whose_removal_would_change_the_rest_stays(typed: str) -> None:
    assert [clause.removable for clause in find_clauses(typed)] == [False] * len(find_clauses(typed))


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6), st.sampled_from([" ", "  "]))
@example(["rate", "tag:idea"], " ")
def test_to_cut_a_clause_out_is_to_leave_its_part_away(parts: list[str], between: str) -> None:
    typed = between.join(parts)
    starts = [sum(map(len, parts[:at])) + at * len(between) for at in range(len(parts))]

    for clause in find_clauses(typed):
        assert clause.removable
        at = max(place for place, start in enumerate(starts) if start <= clause.start + len(between))
        if parts[at].startswith("(") and "OR" not in parts[at]:
            continue  # a part of a group, which the next test takes on
        assert read(without(typed, clause)) == read(between.join(parts[:at] + parts[at + 1 :]))


@given(
    st.text('ab -"()[]:/#\\OR“🙂\n', max_size=24)
    | st.lists(st.sampled_from([*PARTS, "(", ")", "OR", "-", '"', "/"]), max_size=7).map("".join)
)
@example('/usr "a/b" c/ d')
@example('x("a b" y)')
@example('"a"[b] [c]')
def test_the_rest_is_read_as_before(typed: str) -> None:
    if isinstance(read(typed), str):
        return
    before = [(token.kind, token.text, token.value, token.start) for token in tokenize_query(typed)]

    for clause in find_clauses(typed):
        if clause.removable:
            rest = [token[:3] for token in before if not clause.start <= token[3] < clause.end]
            assert [(t.kind, t.text, t.value) for t in tokenize_query(without(typed, clause))] == rest


def test_a_query_of_hundreds_of_clauses_is_read_once() -> None:
    typed = "/x " + "task: " * 600

    found = find_clauses(typed)

    assert len(found) > MAX_CHECKED
    assert not any(clause.removable for clause in found)
