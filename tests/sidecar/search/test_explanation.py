"""What became of a note: each state, and numbers that are those of the search."""

from datetime import UTC, datetime

import pytest
from builders import HashEncoder, Vault, ask, execution_over, find, settle

from quarry.engine import Engine
from quarry.errors import BadQuery
from quarry.messages import sentences
from quarry.options import Filters, SearchOptions
from quarry.query.parse import parse_query
from quarry.search import Explanation, explain, search
from quarry.search.explanation import in_skipped_sections

EQUAL = {"keyword": 1.0, "dense": 1.0}
NOW = datetime(2026, 3, 1, 12)  # noqa: DTZ001
TYPED = ["restore the backup", "bellows cloth", '"hide glue"', "reeds tuning -plane", "浜松"]


def why(engine: Engine, typed: str, path: str, **options: object):
    return engine.explain(SearchOptions(query=typed, **{"expand_small_results": False, **options}), path)


def said(explained: Explanation) -> str:
    return sentences(explained.messages)


@pytest.fixture
def engine(vault: Vault, open_engine):
    vault.write_all({f"Nuts/{n:02}.md": f"# Nut {n}\nwalnut {'and more ' * n}" for n in range(20)})
    vault.write_all(
        {
            "Cherry.md": "# Cherry\nsome stones #fruit",
            "Board.md": "---\nkanban-plugin: x\n---\n",
            "Private/Diary.md": "walnut",
            ".indexignore": "Private/\n",
        }
    )
    (vault.root / "Broken.md").symlink_to("nowhere.md")
    return open_engine()


# --- states ----------------------------------------------------------------------------------------


def test_a_hit_is_told_where_it_ranks_and_why(engine: Engine):
    explained = why(engine, "walnut plum", "Nuts/00.md", mode="keyword")

    assert explained.state == "hit"
    assert explained.rank == 1
    assert said(explained) == f"It ranks 1 of {explained.total}. It contains “walnut”. It does not contain “plum”."
    assert (explained.found, explained.lacking) == (("walnut",), ("plum",))
    assert explained.passage.path == "Nuts/00.md"
    assert explained.understood == ask(engine, "walnut plum", mode="keyword").understood
    assert str(explained.understood) == "notes with any of the words walnut plum"


@pytest.mark.parametrize("sort", ["relevance", "title"])
def test_it_ranks_among_all_notes_that_paging_reaches_by_relevance(vault: Vault, open_engine, sort: str):
    vault.write_all({f"Many/{number:03}.md": "plum and stone" for number in range(40)})
    vault.write("Nuts/00.md", "walnut plum")
    engine = open_engine()

    explained = why(engine, "walnut plum", "Nuts/00.md", sort=sort)

    assert (ask(engine, "walnut plum").total, ask(engine, "walnut plum", sort="title").reachable) == (1, 1)
    assert explained.total == ask(engine, "walnut plum").reachable == 41
    assert "It ranks 1 of 41" in said(explained)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("walnut", "It contains “walnut”."),
        ("walnut stones plum nut", "It contains “walnut” and “nut”. It does not contain “stones” or “plum”."),
        ("walnut a1 b2 c3 d4 e5 f6", "It contains 1 of the 7 words of the query"),
        ('"walnut"', "It ranks 1 of 20"),
    ],
)
def test_a_hit_is_told_which_words_of_the_query_it_contains(engine: Engine, typed: str, says: str):
    assert says in said(why(engine, typed, "Nuts/00.md", mode="keyword"))


@pytest.mark.parametrize(
    ("typed", "path", "options", "state", "says"),
    [
        ("walnut", "Nuts/19.md", {"limit": 5}, "beyond", "behind the 5 that are shown"),
        ("walnut", "Nuts/19.md", {"limit": 5, "expand_small_results": True, "mode": "keyword"}, "hit", "It ranks"),
        ("walnut", "Cherry.md", {"mode": "keyword"}, "unranked", "."),
        ("walnut folder:Nuts", "Cherry.md", {}, "refused", "notes that match folder:Nuts,"),
        ("walnut -tag:fruit", "Cherry.md", {}, "refused", "notes that match -#fruit,"),
        ("walnut -stones", "Cherry.md", {}, "refused", 'notes that match -"stones",'),
        ("tag:fruit [status:done]", "Cherry.md", {}, "refused", "notes that match status:done,"),
        ("walnut", "Cherry.md", {"filters": Filters(folders=("Nuts",))}, "refused", "folder:Nuts"),
        *((typed, "Cherry.md", {}, "listed", "") for typed in ("tag:fruit", "tag:fruit -walnut", "")),
    ],
)
def test_a_note_is_told_what_became_of_it(engine: Engine, typed, path, options, state, says):
    explained = why(engine, typed, path, **options)

    assert explained.state == state
    assert says in said(explained)
    assert (explained.rank is not None) == (explained.score is not None) == (state in ("hit", "beyond"))
    assert state != "beyond" or explained.rank > options["limit"]
    assert state != "unranked" or explained.lacking == ("walnut",)


def test_where_notes_with_a_phrase_are_listed_as_no_retriever_serves_that_is_told(vault: Vault, open_engine):
    vault.write("a.md", "hide glue")

    with open_engine().reader() as reader:
        options, execution = SearchOptions(query='"hide glue"'), execution_over(reader, retrievers=())
        answer, explained = search(options, execution), explain("a.md", vault.root, options, execution)

    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert explained.state == "listed"


@pytest.mark.parametrize(
    ("path", "state", "says"),
    [
        ("Board.md", "excluded", "board"),
        ("Private/Diary.md", "excluded", "Private/"),
        (".obsidian/x.md", "excluded", "hidden"),
        ("Picture.png", "excluded", "Only notes"),
        ("Broken.md", "failed", "link"),
        ("None.md", "unknown", "None.md"),
        ("../outside.md", "excluded", "hidden"),
    ],
)
def test_a_note_that_is_not_indexed_is_told_why(engine: Engine, path: str, state: str, says: str):
    explained = why(engine, "walnut", path)

    assert explained.state == state
    assert says in said(explained)


@pytest.mark.parametrize(
    ("word", "part", "whole"),
    [
        ("snake_case", "a snake in a case", "snake-case and SnakeCase"),
        ("getStaleFiles", "get the stale files", "getStaleFiles()"),
        ("health-check", "a check of health", "one healthcheck"),
        ("c++", "the letter c", "in C++ it is"),
        ("--flag", "a flag", "use --flag here"),
        ("v1.2.3", "v1 and 2 and 3", "since v1.2.3 it is"),
        ("機械学習", "機械を学習", "新しい機械学習の"),
    ],
)
def test_a_compound_is_not_said_to_stand_where_only_its_parts_do(vault: Vault, open_engine, word, part, whole):
    vault.write_all({"part.md": part, "whole.md": whole})
    engine = open_engine()

    of_part, of_whole = (why(engine, word, path, mode="keyword") for path in ("part.md", "whole.md"))

    assert (of_whole.found, of_whole.lacking) == ((word,), ())
    assert (of_part.found, of_part.lacking) == ((), (word,))


def test_notes_of_a_status_are_left_out_by_one_setting_unless_the_query_names_it(vault: Vault, open_engine):
    vault.write_all(
        {
            ".quarry.toml": '[search]\nexclude_status = ["archived", "draft"]',
            "a.md": "walnut",
            "old.md": "---\nstatus: Archived\n---\nwalnut",
            "new.md": "---\nstatus: draft\n---\nwalnut",
        }
    )
    engine = open_engine()

    assert find(engine, "walnut") == find(engine, "") == ["a.md"]
    assert sorted(find(engine, "walnut [status]")) == ["new.md", "old.md"]
    assert find(engine, "walnut status:draft") == ["new.md"]
    explained = why(engine, "walnut", "old.md")
    assert explained.state == "refused"
    assert "which the settings exclude" in said(explained)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ('walnut "hide glue"', ["hide glue"]),
        ("walnut -cherries", ["cherries"]),
        ("walnut cherry", ["cherry"]),
        ("walnut stone", []),
        ("walnut plum", []),
    ],
)
def test_what_stands_in_a_section_that_is_not_searched_is_said(vault: Vault, open_engine, typed: str, words: list[str]):
    vault.write("a.md", "# Nuts\nwalnut\n## Related\n[[hide glue]]\n### More\na cherry\n## After\nstone")

    message = said(why(open_engine(), typed, "a.md", mode="keyword"))

    for word in words:
        assert f"“{word}” appears in its section “Related”, which is not searched." in message
    assert message.count("not searched") == len(words)


def test_a_template_is_left_out_and_said_to_be_one(vault: Vault, open_engine):
    vault.write_all({".obsidian/templates.json": '{"folder": "Templates"}', "Templates/Daily.md": "walnut"})
    engine = open_engine()

    explained = why(engine, "walnut", "Templates/Daily.md")

    assert explained.state == "excluded"
    assert "he core plugin Templates keeps its templates in “Templates”" in said(explained)


def test_a_note_that_is_still_to_come_is_told_so(engine: Engine, vault: Vault):
    engine.pause()
    vault.write("New.md", "walnut")

    assert why(engine, "walnut", "New.md").state == "pending"

    engine.resume()
    engine.reconcile()
    settle(engine)
    assert why(engine, "walnut", "New.md").state == "hit"


def test_a_query_that_cannot_be_read_is_refused_as_in_a_search(engine: Engine):
    with pytest.raises(BadQuery):
        why(engine, "-walnut", "Cherry.md")


# --- numbers ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_ranks_scores_and_shares_are_those_of_the_search(sample: Engine, fusion: str, mode: str):
    for typed in TYPED:
        hits = ask(sample, typed, fusion=fusion, mode=mode, limit=100, max_tokens=1_000_000).hits
        for rank, hit in list(enumerate(hits, start=1))[::7]:
            explained = why(sample, typed, hit.path, fusion=fusion, mode=mode, limit=100)

            assert (explained.state, explained.rank, explained.score) == ("hit", rank, hit.score)
            assert dict(explained.shares) == dict(hit.shares)
            assert explained.passage == hit.passages[0].ranked
            if fusion != "rrf":
                assert sum(explained.shares.values()) == pytest.approx(explained.score, abs=1e-5)


def test_a_note_that_is_explained_is_not_thereby_put_among_the_hits(vault: Vault, open_engine, encoder: HashEncoder):
    vault.write_all({f"{n:03}.md": f"# Tree\nwalnut {'oil ' * (n // 3)}" for n in range(300)})
    engine = open_engine()
    hits = {hit.path: rank for rank, hit in enumerate(ask(engine, "walnut oil", limit=100, snippet_width=0).hits, 1)}

    for number in range(0, 300, 11):
        path = f"{number:03}.md"
        explained = why(engine, "walnut oil", path, limit=100)

        assert (explained.state == "hit") == (path in hits)
        assert explained.rank == hits.get(path, explained.rank)
        assert explained.rank is None or path in hits or explained.rank > len(hits)


def test_a_correction_is_made_in_explanations_too(vault: Vault, open_engine):
    vault.write("a.md", "accordions and bellows")

    explained = why(open_engine(), "acordions", "a.md", mode="keyword")

    assert explained.state == "hit"
    assert (explained.found, explained.lacking) == (("accordions",), ())


def test_what_a_relaxed_answer_shows_is_explained_as_shown(engine: Engine):
    typed = '"cherry walnut"'
    answer = ask(engine, typed)

    explained = why(engine, typed, answer.hits[0].path)

    assert answer.relaxed is not None
    assert answer.relaxed.step == "any-passage"
    assert (explained.state, explained.rank) == ("hit", 1)
    assert explained.messages[:2] == answer.relaxed.messages
    assert explained.messages[2].code == "explained.hit"


NOTE = "---\ntags: x\n---\n# Nuts\nwalnut\n## Related\n[[hide glue]] and bones\n### More\ncherries\n## After\nstone"


@pytest.mark.parametrize(
    ("typed", "lacking", "named"),
    [
        ('"hide glue" walnut', ("hide", "glue"), ["hide glue"]),
        ('-cherry -("glue" OR stone)', (), ["cherry", "glue"]),
        ("bones stone plum", ("bones", "plum"), ["bones"]),
        ("walnut", (), []),
        ("a", ("hide", "glue", "bones", "cherry"), ["hide", "glue", "bones"]),
    ],
)
def test_phrases_exclusions_and_missing_words_are_named(typed, lacking, named):
    query = parse_query(f"x {typed}", now=datetime(2026, 3, 1, tzinfo=UTC))

    found = in_skipped_sections(NOTE, query, lacking, ("Related",))

    assert [told.args for told in found] == [{"words": one, "section": "Related"} for one in named]
    assert in_skipped_sections(NOTE, query, lacking, ()) == []
