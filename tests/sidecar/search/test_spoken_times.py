"""Plain words about time filter an answer, which says so; where nothing is left, they are words."""

from datetime import UTC, datetime, timedelta

import pytest
from builders import Vault, ask, find

from quarry.engine import Engine
from quarry.indexing.freshness import Freshness
from quarry.messages import sentences
from quarry.options import PromptOptions, SearchOptions
from quarry.server.encode.answers import search_result

NOW = datetime.now(tz=UTC)
LAST_WEEK = NOW - timedelta(7)


def nanoseconds(moment: datetime) -> int:
    return round(moment.timestamp()) * 10**9


@pytest.fixture
def engine(vault: Vault, open_engine) -> Engine:
    vault.write("new.md", "a harmonium reed")
    vault.write("week.md", "a harmonium reed of long ago", mtime_ns=nanoseconds(LAST_WEEK))
    vault.write("old.md", "a harmonium reed from last week", mtime_ns=nanoseconds(NOW - timedelta(400)))
    vault.write(
        "dated.md", f"---\ncreated: {LAST_WEEK:%Y-%m-%d}\n---\na harmonium", mtime_ns=nanoseconds(NOW - timedelta(300))
    )
    return open_engine()


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("harmonium from last week", {"week.md", "dated.md"}),
        ("notes from last week about harmonium", {"week.md", "dated.md"}),
        ("harmonium edited last week", {"week.md"}),
        ("harmonium (from last week)", {"new.md", "week.md", "old.md", "dated.md"}),
        ("notes from last week", {"week.md", "dated.md"}),
        ("notes I created last week", {"dated.md"}),
        ("updated today", {"new.md"}),
    ],
)
def test_only_notes_of_that_time_are_found(engine: Engine, query: str, paths: set[str]):
    assert set(find(engine, query)) == paths


def test_where_no_note_is_of_that_time_the_words_are_searched_for_and_the_answer_says_so(engine: Engine):
    emptied = ask(engine, "ago from October 1999", mode="keyword")

    assert [hit.path for hit in emptied.hits] == ["week.md"]
    says = "Nothing was found with “from October 1999”. The words are searched for instead."
    assert sentences(emptied.relaxed.messages) == says


def test_a_note_that_is_called_by_the_month_is_from_it(vault: Vault, open_engine):
    vault.write_all({"2019-03-04.md": "varnish", "2019-04-01.md": "varnish"})

    assert find(open_engine(), "notes from March 2019 about varnish") == ["2019-03-04.md"]


def test_a_note_of_that_name_is_what_is_meant(vault: Vault, open_engine):
    vault.write("Last week.md", "oil", mtime_ns=nanoseconds(NOW - timedelta(400)))
    vault.write("other.md", "glue", mtime_ns=nanoseconds(LAST_WEEK))
    engine = open_engine()

    assert find(engine, "last week")[0] == "Last week.md"
    assert ask(engine, "last week").clauses == ()


def test_a_prompt_is_never_filtered_by_its_times(engine: Engine):
    answer = engine.search(PromptOptions(query="harmonium reed from last week", limit=10))

    assert answer.clauses == ()
    assert {hit.path for hit in answer.hits} >= {"new.md", "old.md"}


def test_a_reply_says_which_words_were_read_as_which_filter(engine: Engine):
    options = SearchOptions(query="reeds from last week")
    result = search_result(engine.search(options), Freshness("live", 3, 3, 7), options)

    read = "“from last week” was read as (created:last week OR modified:last week)."
    assert sentences(result.remarks[:1]) == f"{read} In parentheses it is searched for as words."
