"""A request is asked in each of its readings, and a note is as likely to answer as the best of them says."""

import pytest

from quarry.engine import Engine
from quarry.options import SearchOptions

TASK = """\
Tariq repairs his first bellows on Monday while I am away.
Write him instructions for finding the leak, mending a corner and a whole fold, and the test with the numbers.
He likes checklists."""


def confidence_of(answer, path):
    return next((hit.confidence for hit in answer.hits if hit.path == path), 0.0)


@pytest.mark.parametrize(
    "query",
    ["how do folds of old torn bellows leak air slowly", "tag:howto bellows", '"bellows fold"', "bellows -leak"],
)
def test_a_query_is_answered_as_a_search_is(sample: Engine, query: str):
    options = SearchOptions(query=query)

    assert sample.search_request(options, "espresso machine") == sample.search(options)


def test_a_task_is_as_sure_of_a_note_as_its_surest_reading(sample: Engine):
    path = "Howto/Patch a bellows fold.md"
    whole, task = (
        ask(SearchOptions(query=TASK)) for ask in (sample.search, lambda one: sample.search_request(one, ""))
    )

    assert confidence_of(task, path) > confidence_of(whole, path)
    assert [hit.confidence for hit in task.hits] == sorted([hit.confidence for hit in task.hits], reverse=True)
    assert len({hit.path for hit in task.hits}) == len(task.hits)


def test_a_follow_up_is_about_what_was_asked_before(sample: Engine):
    options = SearchOptions(query="how long have I got before clamping?")

    path = "Howto/Make hide glue.md"
    alone, behind = (
        sample.search_request(options, earlier) for earlier in ("", "Why do we use hide glue and not white glue?")
    )
    assert confidence_of(behind, path) > confidence_of(alone, path)


def test_a_new_subject_in_few_words_does_not_bring_up_the_old_one(sample: Engine):
    options = SearchOptions(query="bellows leak", limit=5)

    alone, behind = (sample.search_request(options, earlier) for earlier in ("", "descale the espresso machine"))
    assert {hit.path for hit in behind.hits} == {hit.path for hit in alone.hits}


def test_a_chore_that_is_about_nothing_has_no_hits(sample: Engine):
    answer = sample.search_request(SearchOptions(query="Fix the typo in the README and bump the version"), "hide glue")

    assert answer.hits == ()
    assert answer.confidence == 0
