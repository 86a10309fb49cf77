"""A query's way from what was typed to what is shown, over a real index."""

import os
import threading
import time
from datetime import datetime
from itertools import product
from pathlib import Path

import pytest
from builders import Vault, ask, execution_over, find, settle
from msgspec.structs import replace

from quarry.engine import Engine
from quarry.errors import BadQuery, Cancelled, DeadlineExceeded
from quarry.index import Deadline
from quarry.index.postings.query_scorer import QueryScorer
from quarry.options import Filters, SearchOptions, Weights
from quarry.query.parse import describe_query, parse_query
from quarry.search import search
from quarry.search.ranking import FEW_CHUNKS, PASSAGES_PER_HIT

EQUAL = {"keyword": 1.0, "dense": 1.0}
NOW = datetime(2026, 3, 1, 12)  # noqa: DTZ001


def filler(count: int, text: str) -> dict[str, str]:
    return {f"filler/{number:03}.md": text for number in range(count)}


# --- unfinished queries ----------------------------------------------------------------------------

UNFINISHED = ['"', "(", "tag:", "-", "OR", "folder: [", "?"]


@pytest.mark.parametrize("typed", UNFINISHED)
def test_a_query_with_nothing_to_search_for_is_refused_where_it_ends(vault: Vault, open_engine, typed: str):
    engine = open_engine()

    for asks in (ask, lambda engine, typed: engine.explain(SearchOptions(query=typed), "a.md")):
        with pytest.raises(BadQuery, match="Enter a word") as refused:
            asks(engine, f"{typed}  ")
        assert refused.value.position == len(typed.rstrip())


@pytest.mark.parametrize("typed", UNFINISHED)
def test_while_it_is_typed_it_lists_all_notes(vault: Vault, open_engine, typed: str):
    vault.write("a.md", "walnut")

    assert find(open_engine(), typed, typing=True) == ["a.md"]


@pytest.mark.parametrize("typed", ["", "  ", "task:", "task-done:", '"->"'])
def test_a_query_that_is_empty_or_complete_is_not_refused(vault: Vault, open_engine, typed: str):
    vault.write("a.md", "- [x] walnut -> oil")

    assert find(open_engine(), typed) == ["a.md"]


def test_the_answer_says_whether_the_query_is_a_question(vault: Vault, open_engine):
    vault.write("a.md", "The glue is hot.")
    engine = open_engine()

    assert [ask(engine, query).is_question for query in ("what is glue", "hot glue", "tag:x")] == [True, False, False]


NESTED = {
    "map.md": "a:\n  b: 3\n  c:\n    d: 2026-01-05\n    e: true",
    "flow.md": "a: {b: '4', c: {d: 2026-05-01}}",
    "list.md": "a:\n  - b: 7\n    c: x\n  - b: 1\n    c: y",
    "flat.md": "a: 3\nb: 3",
    "empty.md": "a:\n  b:",
}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("[a.b:<5]", ["flow.md", "list.md", "map.md"]),
        ("[A.B:>=4]", ["flow.md", "list.md"]),
        ("[a.b:3]", ["map.md"]),
        ("[a.b:null]", ["empty.md"]),
        ("[a.c.d:<2026-03]", ["map.md"]),
        ("[a.c.d:>2026-03]", ["flow.md"]),
        ("[a.c.e:true]", ["map.md"]),
        ("[a.c]", ["flow.md", "list.md", "map.md"]),
        ("-[a.b]", ["flat.md"]),
    ],
)
def test_a_nested_property_is_named_by_its_path_and_compared_by_its_type(vault: Vault, open_engine, typed, found):
    vault.write_all({path: f"---\n{front}\n---\nwalnut" for path, front in NESTED.items()})

    assert sorted(find(open_engine(), typed)) == found


def test_with_a_filter_set_elsewhere_an_unfinished_query_lists_what_it_admits(vault: Vault, open_engine):
    vault.write_all({"Work/a.md": "walnut", "b.md": "walnut"})

    assert find(open_engine(), "tag:", filters=Filters(folders=("Work",))) == ["Work/a.md"]


# --- modes, weights, fusion ------------------------------------------------------------------------


def test_a_mode_asks_its_leg_alone(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert ask(engine, "walnut", mode="keyword").retrievers == ("keyword",)
    assert find(engine, "walnut", mode="semantic") == ["a.md", "b.md"]
    assert ask(engine, "walnut", mode="semantic").retrievers == ("dense",)


@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
def test_weights_decide_between_the_legs(vault: Vault, open_engine, fusion: str):
    vault.write_all({"word.md": "walnut and then a great many other things besides it", "near.md": "walnut-ish"})
    engine = open_engine()

    only_words = ask(engine, "walnut", fusion=fusion, weights={"keyword": 1.0, "dense": 0.0})
    only_meaning = ask(engine, "walnut", fusion=fusion, weights={"keyword": 0.0, "dense": 1.0})

    assert only_words.hits[0].passages
    assert only_words.hits[0].path in find(engine, "walnut", mode="keyword", fusion=fusion)[:1]
    assert only_meaning.hits[0].path == find(engine, "walnut", mode="semantic", fusion=fusion)[0]


def test_the_fusion_is_that_of_the_request_or_else_of_the_vault(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", ".quarry.toml": 'search.fusion = "rrf"\n'})
    engine = open_engine()

    assert ask(engine, "walnut").hits[0].score == pytest.approx(2 / 61)
    assert ask(engine, "walnut", fusion="convex").hits[0].score != pytest.approx(2 / 61)


# --- what an answer says ---------------------------------------------------------------------------


def test_an_answer_says_what_was_understood(vault: Vault, open_engine):
    vault.write("Work/a.md", "# A\nthe rate limit #idea")

    typed = 'folder:Work tag:idea "rate limit" backoff'
    answer = ask(open_engine(), typed)

    assert answer.understood == describe_query(parse_query(typed, now=NOW))
    assert str(answer.understood).startswith("notes in Work, with the tag #idea, with “rate limit”")


def test_the_total_counts_notes_with_a_word_whatever_the_limit(vault: Vault, open_engine):
    vault.write_all(filler(150, "walnut") | {f"other/{n}.md": "cherry" for n in range(20)})
    engine = open_engine()

    for limit in (1, 10, 100):
        assert ask(engine, "walnut", mode="keyword", limit=limit).total == 150
        assert ask(engine, "walnut", mode="keyword", fusion="rrf", limit=limit).total == 150


@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
def test_no_note_is_counted_twice(vault: Vault, open_engine, fusion: str):
    vault.write_all({f"{n:03}.md": f"walnut {'cherry ' * (n % 7)} oak{n}" for n in range(150)})
    engine = open_engine()

    for mode in ("hybrid", "keyword", "semantic"):
        assert ask(engine, "walnut oak17", mode=mode, fusion=fusion, limit=10).total <= 150


def test_an_answer_to_nothing_known_is_empty_and_says_so(vault: Vault, open_engine):
    vault.write("a.md", "walnut")

    answer = ask(open_engine(), "xylophone", mode="keyword")

    assert (answer.hits, answer.total, answer.retrievers, answer.relaxed) == ((), 0, ("keyword",), None)


# --- notes and passages ----------------------------------------------------------------------------


@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
def test_a_note_is_one_hit_with_its_best_passages(vault: Vault, open_engine, fusion: str):
    sections = "\n".join(f"## Part {number}\nwalnut number {number} and {'more ' * 10}" for number in range(6))
    vault.write_all({"long.md": sections, "short.md": "walnut"})

    answer = ask(open_engine(), "walnut", fusion=fusion)

    by_path = {hit.path: hit for hit in answer.hits}
    assert len(answer.hits) == 2
    assert len(by_path["long.md"].passages) == PASSAGES_PER_HIT
    assert by_path["long.md"].score == by_path["long.md"].passages[0].ranked.score
    assert answer.total == 2


# --- further passages ------------------------------------------------------------------------------

PHRASINGS = ("restore the backup", "can't fall asleep at night", '"the"', "folder:Health", "tag:nowhere sleep", "xyzzy")


def test_in_a_single_note_every_passage_with_a_word_is_found(vault: Vault, open_engine):
    days = "\n\n".join(f"## Day {day}\n\n{'the sea was calm ' * 40}{'keel ' if day % 2 else ''}" for day in range(16))
    vault.write_all({"Log.md": days, "Other.md": "keel"})
    engine = open_engine()
    scoped = SearchOptions(
        query="keel", mode="keyword", filters=Filters(notes=("Log.md",)), expand=True, max_tokens=100_000
    )

    (in_note,) = engine.search(scoped).hits
    in_vault = next(hit for hit in engine.search(replace(scoped, filters=Filters())).hits if hit.path == "Log.md")

    assert len(in_note.passages) == 8
    assert len(in_vault.passages) == PASSAGES_PER_HIT


@pytest.mark.slow
@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_passages_on_demand_are_those_that_an_expanded_answer_holds(sample: Engine, mode: str, fusion: str):
    compared = 0
    for query, detail in product(PHRASINGS, ("full", "scan")):
        options = {
            "mode": mode,
            "fusion": fusion,
            "detail": detail,
            "expand_small_results": False,
            "max_tokens": 100_000,
        }
        request = SearchOptions(query=query, **options)
        expanded, brief = sample.search(replace(request, expand=True)), sample.search(request)

        unfolded = []
        for hit in brief.hits:
            further = sample.further_passages(request, hit.path)
            assert (len(hit.passages), len(further.passages), further.truncated) == (1, hit.further_passages, False)
            unfolded.append(replace(hit, passages=(*hit.passages, *further.passages)))
            compared += len(further.passages)
        assert replace(brief, hits=tuple(unfolded)) == expanded
    assert compared > 0


def test_further_passages_have_the_token_budget_to_themselves(vault: Vault, open_engine):
    sections = "\n".join(f"## Part {number}\nwalnut {f'w{number} ' * 200}" for number in range(3))
    vault.write("long.md", sections)
    engine = open_engine()

    expanded = ask(engine, "walnut", max_tokens=250)
    further = engine.further_passages(SearchOptions(query="walnut", detail="full", max_tokens=250), "long.md")

    assert [len(hit.passages) + hit.further_passages for hit in expanded.hits] == [3]
    assert (expanded.hits[0].further_passages, expanded.truncated) == (1, True)
    assert [passage.truncated for passage in further.passages] == [False, True]
    assert further.truncated


def test_what_is_no_hit_has_no_further_passages(vault: Vault, open_engine):
    vault.write_all({"a.md": "## One\nwalnut\n## Two\ncherry", "b.md": "## One\noak\n## Two\noak"})
    engine = open_engine()

    request = SearchOptions(query="walnut", mode="keyword")
    found = [engine.further_passages(request, path) for path in ("b.md", "gone.md")]

    assert [(further.passages, further.truncated) for further in found] == [((), False)] * 2


# --- budget, guard, browsing -----------------------------------------------------------------------


def test_the_token_budget_is_filled_in_ranked_order_and_cut_there(vault: Vault, open_engine):
    vault.write_all({f"{number}.md": "walnut " + f"w{number} " * 300 for number in range(5)})
    engine = open_engine()
    whole = ask(engine, "walnut", max_tokens=4000)

    small = ask(engine, "walnut", max_tokens=400)

    assert not whole.truncated
    assert small.truncated
    assert [hit.path for hit in small.hits] == [hit.path for hit in whole.hits][: len(small.hits)]
    assert sum(len(p.text) for hit in small.hits for p in hit.passages) <= 400 * 4
    assert small.hits[-1].passages[-1].text.endswith("...")


def test_snippets_are_never_cut_by_the_budget(vault: Vault, open_engine):
    vault.write_all({f"{number}.md": "walnut " + "words of prose " * 80 for number in range(5)})

    answer = ask(open_engine(), "walnut", detail="scan", snippet_width=500, max_tokens=220)

    assert answer.truncated
    assert len(answer.hits) == 1
    assert sum(len(hit.passages[0].snippet.text) for hit in answer.hits) <= 220 * 4
    assert all(p.text == "" for hit in answer.hits for p in hit.passages)


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
@pytest.mark.parametrize(
    ("typed", "others", "expand", "shown"),
    [
        ("walnut", 0, True, FEW_CHUNKS - 10),
        ("walnut", 0, False, 10),
        ("walnut", 20, True, 10),
        ('"hot walnut"', 40, True, FEW_CHUNKS - 10),
    ],
    ids=["a small vault", "as told", "a large vault", "a phrase of few places in a large vault"],
)
def test_few_passages_are_shown_whole_unless_told_otherwise(
    vault: Vault, open_engine, typed, others, expand, shown, fusion
):
    vault.write_all(filler(others, "walnut") | {f"{n:02}.md": f"hot walnut {n}" for n in range(FEW_CHUNKS - 10)})

    assert len(find(open_engine(), typed, fusion=fusion, limit=10, expand_small_results=expand)) == shown


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_of_a_small_vault_only_what_matches_is_shown_beyond_the_limit(vault: Vault, open_engine, fusion):
    vault.write_all(filler(20, "hide glue") | {f"{number:02}.md": f"walnut {number}" for number in range(12)})
    engine = open_engine()

    found = find(engine, "walnut", fusion=fusion, limit=5, expand_small_results=True)

    assert sum(not path.startswith("filler/") for path in found) == 12
    assert not any(path.startswith("filler/") for path in found[5:])
    assert set(found).isdisjoint(
        find(engine, "walnut", fusion=fusion, limit=5, offset=len(found), expand_small_results=True)
    )
    assert len(find(engine, "walnut", fusion=fusion, limit=10, expand_small_results=True)) == 10
    assert len(find(engine, "xylophone", fusion=fusion, limit=5, expand_small_results=True)) <= 5


def test_filters_alone_list_the_newest_notes(vault: Vault, open_engine):
    for number, path in enumerate(["old.md", "mid.md", "new.md"]):
        vault.write(path, f"#tree\nnote {path}", mtime_ns=(1 + number) * 10**18)
    vault.write("other.md", "no tag")

    answer = ask(open_engine(), "tag:tree", limit=2)

    assert [hit.path for hit in answer.hits] == ["new.md", "mid.md"]
    assert answer.total == 3
    assert answer.retrievers == ()
    assert str(answer.understood) == "notes with the tag #tree"


# --- giving up -------------------------------------------------------------------------------------


def test_a_search_is_not_quoted_when_it_was_cancelled_meanwhile(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    ranked = threading.Event()

    with open_engine().reader() as reader:
        count = reader.keywords.proximity_scores
        reader.chunks = lambda _: pytest.fail("chunks were fetched for a cancelled search")

        def count_and_be_cancelled(*arguments: object, **options: object) -> object:
            ranked.set()
            return count(*arguments, **options)

        reader.keywords.proximity_scores = count_and_be_cancelled
        deadline = Deadline(time.monotonic() + 10, ranked.is_set)
        with pytest.raises(Cancelled):
            search(SearchOptions(query="walnut oil"), execution_over(reader, deadline=deadline))

    assert ranked.is_set()


def test_a_search_past_its_deadline_ends(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    past = Deadline(time.monotonic() - 1)

    with open_engine().reader() as reader:
        for fusion in ("convex", "rrf"):
            with pytest.raises(DeadlineExceeded):
                search(SearchOptions(query="walnut"), execution_over(reader, fusion=fusion, deadline=past))


def test_notes_found_by_meaning_alone_are_counted_under_the_deadline(
    vault: Vault, open_engine, monkeypatch: pytest.MonkeyPatch
):
    vault.write_all({f"{number:03}.md": "walnut" for number in range(40)} | {"z.md": "oak"})
    deadline, given = Deadline.after(10), []
    engine, note_scores = open_engine(), QueryScorer.note_scores
    monkeypatch.setattr(QueryScorer, "note_scores", lambda q, ids: given.append(q._deadline) or note_scores(q, ids))

    options = SearchOptions(query="walnut", weights=Weights(keyword=0.0), fusion="rrf")
    with engine.execution(options) as execution:
        search(options, replace(execution, deadline=deadline))

    assert set(given) == {deadline}


def test_yesterday_is_counted_from_the_time_that_is_given(vault: Vault, open_engine):
    engine: Engine = open_engine()
    vault.write_all(
        {"then.md": "---\ncreated: 2026-02-25\n---\nwalnut", "now.md": "---\ncreated: 2026-03-01\n---\noak"}
    )
    engine.reconcile()
    settle(engine)

    with engine.reader() as reader:
        now = NOW.replace(month=2, day=26)
        answer = search(SearchOptions(query="created:yesterday"), execution_over(reader, now=now))

    assert [hit.path for hit in answer.hits] == ["then.md"]


# --- settings of reciprocal rank fusion ------------------------------------------------------------


def test_its_constant_and_columns_are_those_of_the_vault(vault: Vault, open_engine):
    vault.write("text.md", "# Tree\n## Leaves\nwalnut walnut")
    vault.write("section.md", "# Tree\n## walnut\nleaves and some more words")
    engine = open_engine()
    asked = {"fusion": "rrf", "mode": "keyword"}

    as_published = ask(engine, "walnut", **asked).hits
    engine.write_settings({"rrf_k": 1, "rrf_text_weight": 0.1, "rrf_section_weight": 10})
    settle(engine)
    as_set = ask(engine, "walnut", **asked).hits

    assert [(hit.path, hit.score) for hit in as_published] == [("text.md", 1 / 61), ("section.md", 1 / 62)]
    assert [(hit.path, hit.score) for hit in as_set] == [("section.md", 1 / 2), ("text.md", 1 / 3)]


def test_a_hit_comes_with_the_maps_that_link_to_it_however_it_was_found(vault: Vault, open_engine):
    vault.write_all(
        {
            "Kitchen.md": "# Kitchen MOC\n[[Bread]]",
            "Bread.md": "---\nstatus: done\n---\nflour and salt",
            "Other.md": "flour again",
        }
    )
    engine = open_engine()

    for query in ("flour", "[status:done]"):
        maps = {hit.path: [each.title for each in hit.maps] for hit in ask(engine, query).hits}
        assert maps["Bread.md"] == ["Kitchen MOC"]
        assert not maps.get("Other.md")


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("walnut OR /ch.rry/", ["oil.md", "pie.md"]),
        ("walnut OR tag:fruit", ["oil.md", "plum.md"]),
        ("/ch.rry/ OR walnut", ["oil.md", "pie.md"]),
        ("zzzz OR /ch.rry/", ["pie.md"]),
        ("walnut OR (tag:fruit [colour:blue])", ["oil.md", "plum.md"]),
        ("walnut OR /ch.rry/ OR tag:fruit", ["oil.md", "pie.md", "plum.md"]),
    ],
)
def test_an_alternative_without_words_finds_what_meets_it(vault: Vault, open_engine, typed, expected, mode):
    vault.write_all(
        {
            "oil.md": "walnut oil",
            "pie.md": "a cherry pie",
            "plum.md": "---\ntags: [fruit]\ncolour: blue\n---\nplum",
            "stone.md": "granite",
        }
    )
    engine = open_engine()

    answer = ask(engine, typed, mode=mode)

    assert sorted(hit.path for hit in answer.hits) == expected
    assert (answer.total, answer.weakness, answer.relaxed) == (len(expected), None, None)


def test_notes_without_a_word_stand_behind_those_with_one_the_newest_first(vault: Vault, open_engine):
    vault.write("old.md", "walnut", mtime_ns=1_000_000_000)
    for day in range(2, 9):
        vault.write(f"{day}.md", "a cherry pie", mtime_ns=day * 10**14)
    engine = open_engine()

    answer = ask(engine, "walnut OR /ch.rry/", mode="keyword", limit=3)

    assert ([hit.path for hit in answer.hits], answer.total) == (["old.md", "8.md", "7.md"], 8)
    assert answer.hits[0].score > answer.hits[1].score == answer.hits[1].passages[0].ranked.score == 0
    snippet = answer.hits[1].passages[0].snippet
    assert [snippet.text[mark.start : mark.end] for mark in snippet.marks] == ["cherry"]
    explained = engine.explain(SearchOptions(query="walnut OR /ch.rry/", mode="keyword"), "8.md")
    assert (explained.state, explained.lacking) == ("listed", ("walnut",))


@pytest.mark.parametrize("typed", ["walnut OR -cherry", "(walnut OR tag:fruit) oil", "walnut OR cherry"])
def test_a_query_that_only_excludes_or_wants_a_word_lists_nothing_else(vault: Vault, open_engine, typed):
    vault.write_all({"oil.md": "walnut oil", "plum.md": "---\ntags: [fruit]\n---\nplum"})

    assert find(open_engine(), typed, mode="keyword") == ["oil.md"]


QUERIES = [
    "sourdough",
    "how long do eggs boil",
    "rotate ssh keys",
    "folder:Kitchen OR bread",
    "tag:recipe",
    "zzqqxy",
    "",
]


def paths(engine: Engine, query: str, **options: object) -> list[str]:
    request = SearchOptions(query=query, snippet_width=120, max_tokens=100_000, detail="scan", **options)  # type: ignore[arg-type]
    return [hit.path for hit in engine.search(request).hits]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("sort", ["relevance", "modified", "created", "name"])
def test_pages_make_up_one_long_page(sample: Engine, query: str, sort: str):
    whole = paths(sample, query, limit=90, sort=sort, expand_small_results=False)

    paged: list[str] = []
    while page := paths(sample, query, limit=7, offset=len(paged), sort=sort):
        paged += page

    assert paged[: len(whole)] == whole
    assert len(paged) == len(set(paged))


@pytest.mark.parametrize("fusion", ["rrf", "six-signals"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_published_rankings_have_pages_too(sample: Engine, fusion: str, mode: str):
    pages = [paths(sample, "sourdough bread", limit=10, offset=offset, fusion=fusion, mode=mode) for offset in (0, 10)]

    assert len({*pages[0], *pages[1]}) == len(pages[0]) + len(pages[1])
    if fusion == "rrf":
        assert [*pages[0], *pages[1]] == paths(sample, "sourdough bread", limit=20, fusion=fusion, mode=mode)


def test_a_page_behind_the_last_is_empty_and_nothing_is_relaxed_for_it(sample: Engine):
    answer = ask(sample, "sourdough", offset=1000)

    assert answer.hits == ()
    assert answer.relaxed is None
    assert 0 < answer.reachable < 1000


@pytest.fixture
def timed(vault: Vault, open_engine) -> Engine:
    """Notes of which two hold both words; the newest holds one."""
    notes = {
        "Week 10.md": "walnut oil",
        "Week 2.md": "---\ncreated: 2020-01-01\n---\nwalnuts, and oil",
        "a.md": "---\ncreated: 2024-01-01\n---\nwalnut",
        "b.md": "harpsichord",
    }
    for age, (path, text) in enumerate(notes.items()):
        file: Path = vault.write(path, text)
        os.utime(file, (1_700_000_000 + age, 1_700_000_000 + age))
    return open_engine()


def test_only_notes_with_every_word_are_sorted(timed: Engine):
    answer = ask(timed, "walnut oil", sort="modified", mode="keyword")

    assert [hit.path for hit in answer.hits] == ["Week 2.md", "Week 10.md"]
    assert (answer.total, answer.reachable, answer.sort) == (2, 2, "modified")


def test_names_are_sorted_by_their_numbers_and_creation_by_front_matter(timed: Engine):
    assert paths(timed, "", sort="name") == ["a.md", "b.md", "Week 2.md", "Week 10.md"]
    assert paths(timed, "", sort="created") == ["a.md", "Week 2.md", "b.md", "Week 10.md"]
    assert paths(timed, "", sort="modified") == paths(timed, "") == ["b.md", "a.md", "Week 2.md", "Week 10.md"]
    assert paths(timed, "walnut oil", sort="name", mode="keyword") == ["Week 2.md", "Week 10.md"]


def test_what_no_note_matches_stays_by_relevance_and_says_so(timed: Engine):
    answer = ask(timed, "zzqqxy", sort="name", mode="keyword")

    assert answer.sort == "relevance"


def test_notes_beyond_the_pool_are_sorted_too_and_have_further_passages(vault: Vault, open_engine):
    for number in range(240):
        vault.write(f"n{number:03}.md", "# One\n\n" + "walnut oil. " * 120 + "\n\n# Two\n\n" + "walnut. " * 200)
    engine = open_engine()

    names = paths(engine, "walnut", sort="name", limit=100, offset=140, mode="keyword")

    assert names == [f"n{number:03}.md" for number in range(140, 240)]
    assert ask(engine, "walnut", sort="name", mode="keyword").total == 240
    some = engine.further_passages(SearchOptions(query="walnut", sort="name", mode="keyword"), "n239.md")
    assert some.passages


def test_tokens_are_those_of_the_texts_or_else_of_the_snippets(vault: Vault, open_engine):
    vault.write("a.md", "walnut " + "words of prose " * 40)
    engine = open_engine()

    whole, scanned = ask(engine, "walnut"), ask(engine, "walnut", detail="scan")
    [passage] = whole.hits[0].passages

    assert whole.tokens == passage.tokens == -(-len(passage.text) // 4)
    assert scanned.tokens == -(-len(scanned.hits[0].passages[0].snippet.text) // 4) < whole.tokens
