"""Problems of files are recorded, replaced and told in one order, whatever their names are made of."""

import pytest
from builders import problems as known_problems

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


# --- recorded by the indexer -----------------------------------------------------------------------


def test_problems_are_kept_by_path_until_they_are_over(index, put):
    index.record_problem("b.md", "cannot be read", skipped=True)
    index.record_problem("a.md", "odd", skipped=False)
    index.record_problem("a.md", "odder", skipped=False)
    index.record_problem("bad\udcff.md", "name", skipped=True)
    put("c.md", "x", problems=("front matter: line 3", "too long"))

    found = [(problem.path, problem.reason, problem.skipped) for problem in known_problems(index, 9)]

    assert found == [
        ("a.md", "odder", False),
        ("b.md", "cannot be read", True),
        ("bad\\udcff.md", "name", True),
        ("c.md", "front matter: line 3", False),
        ("c.md", "too long", False),
    ]
    assert len(known_problems(index, 99)) == 5
    assert len(known_problems(index, 2)) == 2


def test_an_indexed_or_removed_file_has_no_problem_any_more(index, put):
    index.record_problem("a.md", "cannot be read", skipped=True)
    index.record_problem("b.md", "cannot be read", skipped=True)
    index.record_problem("c.md", "cannot be read", skipped=True)

    put("a.md", "x")
    index.remove("b.md")
    index.clear_problem("c.md")

    assert len(known_problems(index, 99)) == 0


def test_a_new_list_of_skipped_files_replaces_the_old_one(index):
    index.record_problem("a.md", "old", skipped=True)
    index.record_problem("b.md", "stays", skipped=False)

    index.replace_skipped({"c.md": "new"})

    assert [problem.path for problem in known_problems(index, 9)] == ["b.md", "c.md"]
