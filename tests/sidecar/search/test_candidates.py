"""What is known of the candidates: who proposes them, and what speaks for each."""

from datetime import datetime

import numpy as np
import pytest
from builders import HashEncoder, Vault, ask, execution_over, find, settle
from builders import ask as search

from quarry.engine import Engine
from quarry.index import Deadline
from quarry.query.parse import parse_query
from quarry.search.candidates import POOL, Candidates, collect_candidates, standardized
from quarry.search.prepare import prepare_query
from quarry.search.signals import SIGNAL_NAMES

NOW = datetime(2026, 3, 1, 12)  # noqa: DTZ001


@pytest.fixture
def evidence_of(encoder: HashEncoder):
    """What is gathered for a typed query, and the same by path."""

    def features(
        engine: Engine, typed: str, retrievers: tuple[str, ...] = ("keyword", "dense")
    ) -> tuple[Candidates, dict[str, dict[str, float]]]:
        with engine.reader() as reader:
            used = encoder if "dense" in retrievers else None
            execution = execution_over(reader, used, retrievers=retrievers)
            asked = prepare_query(parse_query(typed, now=NOW), execution, typing=False)
            found = collect_candidates(asked, execution)
            names = reader.note_names(found.note_ids.tolist())
        return found, {
            name.path: {signal: float(getattr(found.signals, signal)[at]) for signal in SIGNAL_NAMES}
            for at, name in enumerate(names)
        }

    return features


def test_each_leg_proposes_its_best_and_every_candidate_is_named_once(vault: Vault, open_engine, evidence_of):
    vault.write_all({f"{n:03}.md": f"# Tree {n}\nwalnut" for n in range(POOL + 50)})

    found, signals = evidence_of(open_engine(), "walnut")

    assert len(found.keyword.scores) == len(found.dense.scores) == POOL
    assert len(signals) == len(found.note_ids) >= POOL


def test_the_words_account_for_a_query_as_far_as_a_passage_holds_it(vault: Vault, open_engine, evidence_of):
    vault.write_all({"a.md": "walnut oil", "b.md": "walnut"} | {f"{n}.md": "cherry" for n in range(20)})
    engine = open_engine()

    whole, half, nothing = (
        evidence_of(engine, typed)[0].bm25_coverage for typed in ("walnut oil", "oil xylophone", "zebra")
    )

    assert 1 >= whole > half > nothing == 0


def test_titles_aliases_and_file_names_fit_a_query_by_how_much_of_each_is_covered(
    vault: Vault, open_engine, evidence_of
):
    vault.write_all(
        {
            "a.md": "# Walnut oil\nx",
            "Walnut oil.md": "# Something else\nx",
            "b.md": "---\naliases: [The walnut oil]\n---\n# Another\nx",
            "c.md": "# Walnut oil and three more words\nwalnut",
            "d.md": "# Walnut\nwalnut",
            "e.md": "# Plum\nwalnut oil",
        }
    )

    _, signals = evidence_of(open_engine(), "walnut oil")

    assert [signals[path]["title"] for path in ("a.md", "Walnut oil.md", "b.md")] == [1.0, 1.0, 1.0]
    assert [signals[path]["exact_title"] for path in ("a.md", "Walnut oil.md", "b.md")] == [1.0, 1.0, 1.0]
    assert 1 > signals["c.md"]["title"] > signals["e.md"]["title"] == 0
    assert 1 > signals["d.md"]["title"] > 0
    assert signals["c.md"]["exact_title"] == signals["d.md"]["exact_title"] == signals["e.md"]["exact_title"] == 0


def test_a_name_is_compared_in_the_languages_of_its_note(vault: Vault, open_engine, evidence_of):
    vault.write_all(
        {
            "de.md": "---\nlang: de\n---\n# Häuser\nDie Häuser am Markt",
            "en.md": "---\nlang: en\n---\n# Häuser\nThe old Haus, as the sign above the door says",
        }
    )

    _, signals = evidence_of(open_engine(), "Haus")

    assert signals["de.md"]["title"] == signals["de.md"]["exact_title"] == 1.0
    assert signals["en.md"]["title"] == signals["en.md"]["exact_title"] == 0.0


def test_a_name_written_as_one_word_fits_a_query_of_two_of_its_parts_and_its_note_holds_them(
    vault: Vault, open_engine, evidence_of
):
    vault.write_all(
        {
            "a.md": "# listStaleFiles\nx",
            "b.md": "# Plum\nlistStaleFiles",
            "c.md": "# GitHub\nx",
            **{f"{n}.md": f"# Cherry {n}\nx" for n in range(9)},
        }
    )
    engine = open_engine()

    _, whole = evidence_of(engine, "list stale files")
    _, part = evidence_of(engine, "stale files")
    _, single = evidence_of(engine, "hub")

    assert whole["a.md"]["title"] == whole["a.md"]["exact_title"] == 1
    assert 1 > part["a.md"]["title"] > part["b.md"]["title"] == 0
    assert part["b.md"]["note"] > 0
    assert single["c.md"]["note"] > single["c.md"]["title"] == 0


def test_a_title_of_nothing_but_joining_words_can_be_the_query(vault: Vault, open_engine, evidence_of):
    vault.write_all({"The Who.md": "a band", "x.md": "# Who\nthe who"})

    _, signals = evidence_of(open_engine(), "the who")

    assert signals["The Who.md"]["exact_title"] == 1


def test_the_whole_note_speaks_where_its_words_lie_in_different_passages(vault: Vault, open_engine, evidence_of):
    other = "other words of the same number to make it as long " * 30
    vault.write("both.md", f"## One\nwalnut {other}\n\n## Two\npolish {other}")
    vault.write_all({f"{n}.md": f"## One\nwalnut {other}\n\n## Two\n{other}" for n in range(5)})
    vault.write_all({f"p{n}.md": f"## One\npolish {other}\n\n## Two\n{other}" for n in range(5)})

    _, signals = evidence_of(open_engine(), "walnut polish")

    assert signals["both.md"]["note"] == 1
    assert all(signals[path]["note"] < 0.8 for path in signals if path != "both.md")


def test_neighbours_of_the_query_are_looked_for_under_the_deadline(vault: Vault, open_engine):
    vault.write("a.md", "hide glue")
    deadline, given = Deadline.after(10), []

    with open_engine().reader() as reader:
        score = reader.keywords.proximity_scores
        reader.keywords.proximity_scores = lambda *asked, **options: given.append(options) or score(*asked, **options)
        execution = execution_over(reader, deadline=deadline)
        collect_candidates(prepare_query(parse_query("hide glue", now=NOW), execution, typing=False), execution)

    assert given == [{"deadline": deadline}]


def test_neighbours_of_the_query_count_where_they_are_neighbours(vault: Vault, open_engine, evidence_of):
    vault.write_all({"beside.md": "made of a hide glue", "apart.md": "glue made of a hide", "z.md": "oak"})

    _, signals = evidence_of(open_engine(), "hide glue")

    assert (signals["beside.md"]["phrase"], signals["apart.md"]["phrase"]) == (1, 0)


@pytest.mark.parametrize(
    ("retrievers", "silent"), [(("keyword",), ["meaning"]), (("dense",), ["passage", "note", "phrase"])]
)
def test_a_leg_that_does_not_serve_is_not_asked(vault: Vault, open_engine, evidence_of, retrievers, silent: list[str]):
    vault.write_all({"a.md": "hide glue", "b.md": "glue"})

    _, signals = evidence_of(open_engine(), "hide glue", retrievers)

    assert signals
    assert all(of_note[name] == 0 for of_note in signals.values() for name in silent)


def test_only_admitted_notes_are_candidates(vault: Vault, open_engine, evidence_of):
    vault.write_all({f"x/{n}.md": "walnut" for n in range(5)} | {f"y/{n}.md": "walnut" for n in range(5)})

    _, signals = evidence_of(open_engine(), "walnut folder:x")

    assert set(signals) == {f"x/{n}.md" for n in range(5)}


def test_without_any_candidate_there_is_no_evidence(open_engine, evidence_of):
    found, signals = evidence_of(open_engine(), "walnut")

    assert (found.bm25_coverage, signals, len(found.keyword.scores), len(found.dense.scores)) == (0, {}, 0, 0)


def test_passages_of_a_few_long_notes_do_not_crowd_others_out(vault: Vault, open_engine, evidence_of):
    other = "and many other words " * 40
    vault.write_all({f"m{n}.md": "\n\n".join(f"## Part {p}\nglue glue {other}" for p in range(60)) for n in range(3)})
    vault.write_all({f"{n:02}.md": f"glue once {other}" for n in range(20)})

    _, signals = evidence_of(open_engine(), "glue", ("keyword",))

    assert len(signals) == 23
    assert all(of_note["note"] > 0 for of_note in signals.values())


def test_a_note_without_a_vector_is_near_nothing_and_moves_nobody(vault: Vault, open_engine, bundled_encoder):
    vault.write_all(
        {"tea.md": "# Tea\na cup of tea", "coffee.md": "# Coffee\ncoffee beans", "dog.md": "# Dog\na dog barks"}
    )
    engine = open_engine(load=lambda _: bundled_encoder)
    before = {hit.path: hit.shares["meaning"] for hit in search(engine, "tea coffee dog", mode="semantic").hits}
    vault.write("ꙮꙮ.md", "ꙮꙮ")
    engine.reconcile()
    settle(engine)

    hits = {hit.path: hit for hit in search(engine, "tea coffee dog /./", mode="semantic").hits}

    assert {path: hit.shares["meaning"] for path, hit in hits.items()} == before
    assert search(engine, "ꙮꙮ").hits[0].retrievers == {"keyword"}


LONG = " ".join(f"word{number} and other prose" for number in range(80))
OTHERS = {"c.md": "# Cherry\ncherry", "d.md": "# Plum\nplum jam", "e.md": "# Oil\nwalnut oil"}


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getStaleFiles", "# Stale files\nget stale files: stale files are files that are stale"),
        ("snake_case_name", "# Case of the snake\nsnake name case, case name snake"),
        ("--dry-run", "# Dry run\nrun dry, dry run"),
        ("v1.2.3", "# 1 2 3\nv1 and 2 and 3"),
        ("src/app.py", "# App\nthe app in src of py app src"),
        ("c++", "# C\nc c c language c"),
    ],
)
def test_of_five_notes_the_one_that_holds_the_name_is_first(vault: Vault, open_engine, name, parts, mode):
    vault.write_all({**OTHERS, "parts.md": parts, "whole.md": f"# Helper\n{LONG} {name} {LONG}"})

    assert find(open_engine(), name, mode=mode)[0] == "whole.md"


def test_the_shares_of_a_note_still_add_up_to_its_score(vault: Vault, open_engine):
    vault.write_all({**OTHERS, "parts.md": "stale files", "whole.md": "the getStaleFiles of old"})

    for hit in ask(open_engine(), "getStaleFiles", mode="keyword").hits:
        assert sum(hit.shares.values()) == pytest.approx(hit.score, abs=1e-5)


def test_where_no_note_holds_the_name_its_parts_rank_as_ever(vault: Vault, open_engine):
    vault.write_all({**OTHERS, "parts.md": "# Stale files\nget them"})

    assert find(open_engine(), "getStaleFiles", mode="keyword") == ["parts.md"]


def test_cosines_that_are_close_together_count_as_much_as_others():
    cosines = np.array([0.1, 0.5, 0.2, 0.05])

    assert standardized(0.8 + cosines / 20) == pytest.approx(standardized(cosines))
    assert standardized(cosines).std() == pytest.approx(1)
    assert standardized(np.full(3, 0.7)).tolist() == [0, 0, 0]
    assert standardized(np.empty(0)).tolist() == []
