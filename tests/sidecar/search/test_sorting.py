"""Pages make up one list, and an order other than relevance shows only what matches."""

import os
from pathlib import Path

import pytest
from builders import Vault, ask

from quarry.engine import Engine
from quarry.options import SearchOptions

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
