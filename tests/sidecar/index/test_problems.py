"""Problems of files are recorded, replaced and told in one order, whatever their names are made of."""

import pytest

from quarry.index import problems
from quarry.index.opening import connect_ours
from quarry.index.records import Problem


@pytest.fixture
def connection(index):
    found, _ = connect_ours(index.path, writable=True, without=frozenset())
    yield found
    found.close()


def test_a_problem_is_replaced_by_the_next_of_its_file_and_cleared(connection):
    problems.record(connection, "b.md", "it is shut", skipped=True)
    problems.record(connection, "a.md", "too large", skipped=False)
    problems.record(connection, "b.md", "it is gone", skipped=False)

    assert problems.first_problems(connection, 9) == [
        Problem("a.md", "too large", skipped=False),
        Problem("b.md", "it is gone", skipped=False),
    ]
    assert problems.first_problems(connection, 1) == [Problem("a.md", "too large", skipped=False)]
    assert problems.problem_count(connection) == 2
    assert problems.recorded(connection, ["b.md", "c.md", "a.md"]) == ["b.md", "a.md"]

    problems.clear(connection, "b.md")
    problems.clear(connection, "c.md")

    assert problems.problems_of(connection, "b.md") == []
    assert problems.problem_count(connection) == 1


def test_skipped_files_are_replaced_together_and_other_problems_stay(connection):
    problems.record(connection, "a.md", "too large", skipped=False)
    problems.replace_skipped(connection, {"b.md": "shut", "c.md": "shut"})
    problems.replace_skipped(connection, {"c.md": "a link"})

    assert problems.first_problems(connection, 9) == [
        Problem("a.md", "too large", skipped=False),
        Problem("c.md", "a link", skipped=True),
    ]


def test_what_indexed_notes_say_of_themselves_is_told_with_the_rest(put, connection):
    put("note.md", "x", problems=("no closing quote", "bad date"))
    problems.record(connection, "note.md", "changed meanwhile", skipped=False)

    reasons = [problem.reason for problem in problems.problems_of(connection, "note.md")]

    assert sorted(reasons) == ["bad date", "changed meanwhile", "no closing quote"]
    assert problems.problem_count(connection) == 3


def test_a_name_of_odd_bytes_is_spelled_out(connection):
    odd = b"caf\xe9.md".decode("utf-8", "surrogateescape")
    problems.record(connection, odd, f"cannot read {odd}", skipped=True)

    assert problems.recorded(connection, [odd]) == [odd]
    assert problems.first_problems(connection, 9) == [
        Problem("caf\\udce9.md", "cannot read caf\\udce9.md", skipped=True)
    ]
