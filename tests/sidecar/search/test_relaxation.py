"""Where nothing is found, one thing after the other is given up, but no filter, and the answer says what."""

from datetime import datetime

import pytest
from builders import Vault, ask

from quarry.conditions import AllOf, HasPhrase
from quarry.index.reader import Reader
from quarry.messages import sentences
from quarry.options import Filters, Scope
from quarry.query.parse import describe_query, parse_query
from quarry.search.relaxation import relaxations
from quarry.types import Query

EVERYWHERE = Scope()
NOW = datetime(2026, 3, 1, 12)  # noqa: DTZ001


def told(typed: str, scope: Scope = EVERYWHERE) -> dict[str, str]:
    """The message of each step."""
    query = parse_query(typed, scope, now=NOW)
    return {relaxed.step: sentences(relaxed.messages) for relaxed, _ in relaxations(query, typing=False)}


def easier(typed: str, *, typing: bool = False, scope: Scope = EVERYWHERE) -> list[tuple[str, Query]]:
    query = parse_query(typed, scope, now=NOW)
    *others, (last, as_asked) = [(relaxed.step, query) for relaxed, query in relaxations(query, typing=typing)]
    assert (last, as_asked) == ("meaning", query), "what is far in meaning is tried last, and gives up nothing else"
    return others


# --- what is tried ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "steps"),
    [
        ("walnut", ["beginnings"]),
        ('"hide glue"', ["any-passage"]),
        ('walnut "hide glue"', ["any-passage"]),
        ("folder:x walnut", ["beginnings"]),
        ('folder:x "hide glue" [status:done] walnut', ["beginnings", "any-passage"]),
        ("-draft walnut", ["beginnings"]),
        ("walnut -draft", []),
        ("walnut -folder:Old -tag:draft", []),
    ],
)
def test_each_step_is_tried_where_it_gives_up_something_most_alike_first(typed: str, steps: list[str]):
    assert [step for step, _ in easier(typed)] == steps


def test_while_typing_the_last_word_was_the_beginning_of_one_already():
    assert easier("walnut", typing=True) == []


def test_words_of_a_phrase_that_is_given_up_are_ranked_by():
    [(_, query)] = easier('oil "Hide Glue"')

    assert query.words == ("oil", "hide", "glue")
    assert query.phrases == ()
    assert query.condition == AllOf()


@pytest.mark.parametrize(
    "typed", ['folder:x tag:y "hide glue" walnut -draft -"old oak" -folder:Bin -tag:z', "(tag:a -b) walnut"]
)
def test_only_a_phrase_is_ever_given_up(typed: str):
    asked = parse_query(typed, now=NOW).condition
    for _, query in easier(typed):
        kept = query.condition.parts if isinstance(query.condition, AllOf) else (query.condition,)
        assert set(kept) >= {part for part in asked.parts if not isinstance(part, HasPhrase)}


# --- what is said ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ('"rate limit"', "No notes contain “rate limit”. "),
        ('"rate limit" -draft', "Apart from the excluded notes, no notes contain “rate limit”. "),
        ('"rate limit" tag:oak -draft', "No notes that match your filters contain “rate limit”. "),
        ('"rate limit" section:(oak -draft)', "No notes that match your filters contain “rate limit”. "),
    ],
)
def test_an_exclusion_is_not_called_a_filter(typed: str, says: str):
    assert told(typed)["any-passage"].startswith(says)


def test_a_filter_set_elsewhere_is_called_a_filter():
    assert "that match your filters" in told('"rate limit"', Scope(tags=("oak",)))["any-passage"]


# --- what comes of it ------------------------------------------------------------------------------


@pytest.fixture
def engine(vault: Vault, open_engine):
    vault.write_all(
        {
            "Work/a.md": "# A\nhide of a cow, glue of its bones",
            "Work/b.md": "# B\nwalnuts #tree",
            "Home/c.md": "# C\nhide glue, as it is sold",
            "Home/d.md": "# D\nhide and glue, a draft",
        }
    )
    return open_engine()


def test_an_answer_with_hits_was_not_relaxed(engine):
    for typed in ("walnut", '"hide glue"', "folder:Home glue", "tag:tree", "walnut -draft"):
        for mode in ("hybrid", "keyword", "semantic"):
            answer = ask(engine, typed, mode=mode)

            assert answer.hits
            assert answer.relaxed is None


@pytest.mark.parametrize(
    ("typed", "options", "paths", "step", "says"),
    [
        ("waln", {"mode": "keyword"}, ["Work/b.md"], "beginnings", "“waln”"),
        ('"hide bones"', {"limit": 1}, ["Work/a.md"], "any-passage", "“hide bones”"),
        ('folder:Work "hide glue"', {"mode": "keyword"}, ["Work/a.md"], "any-passage", "that match your filters"),
    ],
    ids=["a beginning", "words side by side", "what a note outside of the filters has"],
)
def test_what_finds_nothing_is_relaxed_and_said(engine, typed, options, paths, step, says):
    answer = ask(engine, typed, expand_small_results=False, **options)

    assert sorted(hit.path for hit in answer.hits) == paths
    assert answer.relaxed.step == step
    assert says in sentences(answer.relaxed.messages)
    asked = parse_query(typed, options.get("filters", Filters()), now=NOW)
    assert answer.understood == describe_query(asked, answer.retrievers)


def test_hits_are_said_to_contain_words_only_where_one_of_them_does(sample):
    with_words = ask(sample, '"harmonium zzqq"', limit=5)
    without = ask(sample, '"mailman zzqq"', limit=5)

    assert with_words.relaxed.step == without.relaxed.step == "any-passage"
    assert "These contain some of the words" in sentences(with_words.relaxed.messages)
    assert not any("keyword" in hit.retrievers for hit in without.hits)
    assert sentences(without.relaxed.messages) == "No notes contain “mailman zzqq”. These are the nearest in meaning."


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_relaxed_or_not_an_excluded_word_is_in_no_hit(engine, mode: str):
    answer = ask(engine, 'folder:Nowhere "glue hide" -draft', mode=mode)

    assert "Home/d.md" not in [hit.path for hit in answer.hits]


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize(
    ("typed", "clause", "says"),
    [
        ("tag:tree folder:Nowhere walnut", 1, "No notes with folder:Nowhere."),
        ("folder:Work tag:tree [status:done]", 2, "No notes with [status:done]."),
        ("folder:Home -draft tag:tree", 2, "No notes with tag:tree in Home."),
        ("walnut tag:tree -draft [type:howto] path:Home", 2, "No notes with [type:howto]."),
        ("file:b file:a tag:tree", 1, "No notes with both file:a and file:b."),
        ("walnut modified:<2000", 0, "No notes with modified:<2000."),
    ],
)
def test_no_filter_is_dropped_and_the_one_that_no_note_meets_is_named(engine, typed, mode, clause, says):
    answer = ask(engine, typed, mode=mode)

    assert (answer.hits, answer.total, answer.relaxed) == ((), 0, None)
    assert answer.unmet.clause == clause
    assert sentences([answer.unmet.message]) == says


def test_no_filter_is_blamed_where_notes_meet_all_of_them(engine):
    assert ask(engine, "folder:Home xylophone", mode="keyword").unmet is None
    assert ask(engine, "folder:Home -folder:Home walnut").unmet is None
    assert ask(engine, "walnut (tag:none OR folder:Nowhere)").unmet.clause == 0


@pytest.mark.parametrize(("last", "blamed"), [("-tag:tree", None), ("folder:Nowhere", 60)])
def test_a_hundred_filters_cost_few_searches(engine, monkeypatch, last, blamed):
    asked = []
    matching = Reader.matching_notes
    monkeypatch.setattr(
        Reader, "matching_notes", lambda self, *args, **more: asked.append(args) or matching(self, *args, **more)
    )

    answer = ask(engine, f"{'tag:tree ' * 60}{last}")

    assert answer.unmet is None if blamed is None else answer.unmet.clause == blamed
    assert len(asked) < 100  # each pair of them was asked for


@pytest.mark.parametrize("typed", ['"hide bones"', "waln", "walnut from last year"])
def test_a_strict_search_is_not_relaxed(engine, typed):
    answer = ask(engine, typed, mode="keyword", strict=True)

    assert ask(engine, typed, mode="hybrid").relaxed is not None
    assert (answer.hits, answer.relaxed) == ((), None)


def test_what_was_found_but_did_not_fit_the_budget_is_not_called_missing(engine):
    answer = ask(engine, '"hide glue"', max_tokens=1)

    assert (answer.hits, answer.truncated, answer.relaxed) == ((), True, None)
    assert answer.total == 1


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("zzqqxx", "No notes contain “zzqqxx”. These are the nearest in meaning."),
        ("zzqqxx qqzz", "No notes contain “zzqqxx” or “qqzz”. These are the nearest in meaning."),
        ("aaa bbb ccc ddd", "No notes match. These are the nearest in meaning."),
        ("zzqqxx tag:idea", "No notes that match your filters contain “zzqqxx”. These are the nearest in meaning."),
        ('"hide glue"', "No notes match. These are the nearest in meaning."),
    ],
)
def test_what_is_nearest_in_meaning_comes_with_the_words_that_no_note_holds(typed: str, message: str):
    assert told(typed)["meaning"] == message


def test_a_word_that_is_not_whole_yet_has_no_meaning_and_is_found_by_the_stem_that_it_goes_on_from(engine):
    begun = ask(engine, "walnuti", typing=True)
    at_rest = ask(engine, "walnuti", typing=True, paused=True)

    assert [(hit.path, set(hit.retrievers)) for hit in begun.hits] == [("Work/b.md", {"keyword"})]
    assert any("dense" in hit.retrievers for hit in at_rest.hits)
    assert ask(engine, "walnutq", typing=True).hits == ()
