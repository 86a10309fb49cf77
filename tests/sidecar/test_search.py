"""A query's way through both legs, fusion, grouping, budget and snippets, over a real index."""

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from builders import HashEncoder, Vault, ask, everything_found, find, settle

from quarry.engine import Engine
from quarry.errors import BadQuery, Cancelled, DeadlineExceeded, ModelMissing
from quarry.index import Deadline
from quarry.ranking.grouping import GUARD_CHUNKS, PASSAGES_PER_HIT
from quarry.search import Legs, search
from quarry.text.query import parse_query
from quarry.types import SearchRequest

EQUAL = {"lexical": 1.0, "dense": 1.0}
QUERIES = [
    "rent",
    "reeds tuning",
    "how do I get the notes back",
    "浜松",
    '"hide glue"',
    "tag:travel hotel",
    "-plane scale",
]


def filler(count: int, text: str) -> dict[str, str]:
    return {f"filler/{number:03}.md": text for number in range(count)}


# --- fusion ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["bellows cloth", "can't fall asleep at night", "pressure", "restore the backup"])
def test_the_order_is_the_published_fusion_of_what_both_legs_propose(sample: Engine, typed: str):
    query = parse_query(typed)
    with sample._reading() as reader:
        encoder = sample._maintenance.encoder_for(reader)
        deadline = Deadline.after(10)
        vector = encoder.encode([typed])[0]
        legs = (reader.lexical(query, 30, deadline=deadline), reader.dense(vector, query, 30, deadline=deadline))
    ranks = [{(c.path, c.number): rank for rank, c in enumerate(leg, start=1)} for leg in legs]
    expected = sorted(
        ranks[0].keys() | ranks[1].keys(),
        key=lambda chunk: (
            -round(sum(1 / (60 + leg[chunk]) for leg in ranks if chunk in leg), 12),
            sum(chunk in leg for leg in ranks) < 2,
            sum(leg[chunk] for leg in ranks if chunk in leg),
            min(leg[chunk] for leg in ranks if chunk in leg),
            chunk,
        ),
    )

    answer = ask(sample, typed, limit=30, max_tokens=100_000)
    passages = {(p.chunk.path, p.chunk.chunk.number): p.fused for hit in answer.hits for p in hit.passages}

    assert [hit.path for hit in answer.hits] == list(dict.fromkeys(path for path, _ in expected))[:30]
    for chunk, fused in passages.items():
        assert fused.score == pytest.approx(sum(1 / (60 + leg[chunk]) for leg in ranks if chunk in leg), abs=1e-12)
        assert (fused.lexical_rank, fused.dense_rank) == (ranks[0].get(chunk), ranks[1].get(chunk))


def test_the_first_of_both_legs_scores_two_sixty_firsts(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "something else entirely"})

    hit = ask(open_engine(), "walnut").hits[0]

    assert (hit.path, hit.score, hit.legs) == ("a.md", pytest.approx(2 / 61), {"lexical", "dense"})


def test_weights_decide_between_the_legs(vault: Vault, open_engine):
    vault.write_all({"word.md": "walnut and then a great many other things besides it", "near.md": "walnut-ish"})
    engine = open_engine()

    only_words = ask(engine, "walnut", weights={"lexical": 1.0, "dense": 0.0})

    assert only_words.hits[0].passages[0].fused.dense_rank is None


def test_a_mode_asks_its_leg_alone(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert ask(engine, "walnut", mode="keyword").legs == ("lexical",)
    assert find(engine, "walnut", mode="semantic") == ["a.md", "b.md"]
    assert ask(engine, "walnut", mode="semantic").legs == ("dense",)


# --- filters, phrases, exclusions --------------------------------------------------------------------


def test_filters_are_applied_before_the_cut(vault: Vault, open_engine):
    vault.write_all(
        filler(60, "walnut walnut walnut") | {"wanted/note.md": "a walnut in a much longer text of other words"}
    )
    engine = open_engine()

    for mode in ("keyword", "semantic", "hybrid"):
        assert find(engine, "walnut folder:wanted", mode=mode, limit=1) == ["wanted/note.md"]


def test_a_phrase_in_the_vault_is_in_the_results(vault: Vault, open_engine):
    vault.write_all(filler(60, "glue hide glue glue") | {"z.md": "some words, then hot hide of a cow and more of it"})

    assert find(open_engine(), '"hot hide"', limit=1) == ["z.md"]


def test_an_excluded_word_rules_chunks_out_of_both_legs(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut oil", "b.md": "walnut table"})

    assert find(open_engine(), "walnut -oil") == ["b.md"]


def test_a_query_that_only_excludes_is_refused(vault: Vault, open_engine):
    with pytest.raises(BadQuery):
        ask(open_engine(), "-walnut")


# --- notes and passages --------------------------------------------------------------------------------


def test_a_note_is_one_hit_with_its_best_passages(vault: Vault, open_engine):
    sections = "\n".join(f"## Part {number}\nwalnut number {number} and {'more ' * 10}" for number in range(6))
    vault.write_all({"long.md": sections, "short.md": "walnut"})

    answer = ask(open_engine(), "walnut")

    by_path = {hit.path: hit for hit in answer.hits}
    assert len(answer.hits) == 2
    assert len(by_path["long.md"].passages) == PASSAGES_PER_HIT
    assert by_path["long.md"].score == by_path["long.md"].passages[0].fused.score
    assert answer.total == 2


def test_marks_stand_on_the_words_in_the_file(vault: Vault, open_engine):
    text = (
        "# Schränke\n\nEin 🪚 und Walnüsse.\n\n## Öl\n" + "Vorher steht anderes. " * 20 + "Die walnüsse werden geölt.\n"
    )
    vault.write("Möbel.md", text)
    answer = ask(open_engine(), "walnüsse", mode="keyword")

    marked = []
    for passage in answer.hits[0].passages:
        chunk, snippet = passage.chunk.chunk, passage.snippet
        assert chunk.text[snippet.start : snippet.end] == snippet.text
        assert text[chunk.start : chunk.end] == chunk.text
        for mark in snippet.marks:
            at = chunk.start + snippet.start
            marked.append(text[at + mark.start : at + mark.end])
    assert sorted(marked) == ["Walnüsse", "walnüsse"]


def test_a_hit_by_meaning_marks_its_nearest_sentence(sample: Engine):
    answer = ask(sample, "can't fall asleep at night", mode="semantic", limit=3)

    hit = next(hit for hit in answer.hits if hit.path == "Health/Lying awake.md")
    snippet = hit.passages[0].snippet
    sentences = [snippet.text[mark.start : mark.end] for mark in snippet.marks if mark.kind == "sentence"]
    assert len(sentences) == 1
    assert not sentences[0].startswith("#")
    assert len(sentences[0]) > 20


def test_the_marked_sentence_is_the_nearest_one(vault: Vault, open_engine):
    # "the" is a stop word, so no word is marked, while the model of these tests finds it in one sentence only.
    vault.write("a.md", "# Trees\n\nRain fell all day. Somebody watched the the the the. Nobody came to see it at all.")

    snippet = ask(open_engine(), "the oak", mode="semantic").hits[0].passages[0].snippet

    assert [snippet.text[m.start : m.end] for m in snippet.marks] == ["Somebody watched the the the the."]


# --- budget, guard, browsing ------------------------------------------------------------------------------


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

    answer = ask(open_engine(), "walnut", with_text=False, snippet_width=500, max_tokens=220)

    assert answer.truncated
    assert len(answer.hits) == 1
    assert sum(len(hit.passages[0].snippet.text) for hit in answer.hits) <= 220 * 4
    assert all(p.text == "" for hit in answer.hits for p in hit.passages)


def test_a_small_vault_is_shown_whole_unless_told_otherwise(vault: Vault, open_engine):
    vault.write_all({f"{number:02}.md": f"walnut {number}" for number in range(GUARD_CHUNKS - 10)})
    engine = open_engine()

    assert len(find(engine, "walnut", limit=10, guard=True)) == GUARD_CHUNKS - 10
    assert len(find(engine, "walnut", limit=10, guard=False)) == 10


def test_a_phrase_of_few_places_is_shown_whole_in_a_large_vault(vault: Vault, open_engine):
    vault.write_all(filler(80, "hide glue") | {f"{number:02}.md": f"hot hide {number}" for number in range(30)})

    assert len(find(open_engine(), '"hot hide"', limit=10, guard=True)) == 30


def test_a_large_vault_keeps_the_limit(vault: Vault, open_engine):
    vault.write_all(filler(GUARD_CHUNKS + 10, "walnut"))

    assert len(find(open_engine(), "walnut", limit=10, guard=True)) == 10


def test_filters_alone_list_the_newest_notes(vault: Vault, open_engine):
    for number, path in enumerate(["old.md", "mid.md", "new.md"]):
        vault.write(path, f"#tree\nnote {path}", mtime_ns=(1 + number) * 10**18)
    vault.write("other.md", "no tag")

    answer = ask(open_engine(), "tag:tree", limit=2)

    assert [hit.path for hit in answer.hits] == ["new.md", "mid.md"]
    assert answer.total == 3
    assert answer.legs == ()


def test_filters_with_an_excluded_word_list_the_notes_without_it(vault: Vault, open_engine):
    vault.write_all({"a.md": "#tree walnut", "b.md": "#tree cherry"})

    assert find(open_engine(), "tag:tree -walnut") == ["b.md"]


# --- losing legs --------------------------------------------------------------------------------------


def no_model(name: str) -> HashEncoder:
    raise ModelMissing(f"there is no model {name!r} here; set embedding.model")


PARTS = ("sqlite-vec", "fts5", "model")


@pytest.mark.parametrize("lost", [set(c) for size in range(4) for c in itertools.combinations(PARTS, size)], ids=str)
def test_every_loss_of_legs_still_answers_and_says_so(vault: Vault, encoder: HashEncoder, open_engine, lost: set[str]):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine(load=no_model if "model" in lost else lambda _: encoder, without=frozenset(lost - {"model"}))

    for mode in ("hybrid", "keyword", "semantic"):
        answer = ask(engine, "walnut", mode=mode)

        wanted = {"hybrid": {"lexical", "dense"}, "keyword": {"lexical"}, "semantic": {"dense"}}[mode]
        gone = {leg for leg, part in (("lexical", "fts5"), ("dense", "model")) if part in lost}
        able = {"lexical", "dense"} - gone
        assert set(answer.missing) == wanted & gone
        assert all(reason for reason in answer.missing.values())
        assert set(answer.legs) == (wanted & able or able)
        assert ([hit.path for hit in answer.hits][:1] == ["a.md"]) == bool(able)
    assert set(engine.status().missing) == gone


def test_without_sqlite_vec_the_answers_are_the_same(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": f"walnut {'cherry ' * n} oak{n}" for n in range(20)})
    queries = ["walnut", "oak3 cherry", "folder:x walnut", "cherry -oak5"]
    first = open_engine()
    with_it = everything_found(first, queries)
    first.close()

    assert everything_found(open_engine(without=frozenset({"sqlite-vec"})), queries) == with_it


# --- determinism ------------------------------------------------------------------------------------------


ASK_AFRESH = """
import sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from builders import everything_found, settle
from quarry.engine import Engine
import json
with tempfile.TemporaryDirectory() as folder:
    engine = Engine.open(Path(sys.argv[2]), Path(folder, "index.db"))
    settle(engine)
    sys.stdout.buffer.write(everything_found(engine, json.loads(sys.argv[3])).encode())
    engine.close()
"""


def test_other_processes_with_other_hashes_and_threads_give_the_same_bytes(sample: Engine):
    """Each process builds its own index, so this is also two rebuilds."""
    here = Path(__file__).parent
    outputs = []
    for seed, threads in (("1", "1"), ("2", "2")):
        environment = os.environ | {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads}
        command = [sys.executable, "-c", ASK_AFRESH, str(here), str(sample.root), json.dumps(QUERIES)]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)

    assert outputs[0] == outputs[1]
    assert outputs[0] == everything_found(sample, QUERIES).encode()
    assert len(outputs[0]) > 10_000


def test_a_rebuild_changes_no_byte_of_any_answer(vault: Vault, open_engine):
    vault.write_all({f"{n:02}.md": f"walnut {'cherry ' * (n % 5)}" for n in range(40)})
    engine = open_engine()
    vault.write("00.md", "walnut cherry")
    vault.rename("39.md", "00a.md")
    engine.reconcile()
    settle(engine)
    before = everything_found(engine, ["walnut", "cherry", "walnut cherry"])

    engine.rebuild()
    settle(engine)

    assert everything_found(engine, ["walnut", "cherry", "walnut cherry"]) == before


# --- giving up ------------------------------------------------------------------------------------------


def test_a_cancelled_search_ends(vault: Vault, open_engine):
    vault.write("a.md", "walnut")

    with pytest.raises(Cancelled):
        open_engine().search(SearchRequest("walnut"), lambda: True)


def test_a_search_is_not_quoted_when_it_was_cancelled_meanwhile(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    ranked = threading.Event()

    with engine._reading() as reader:
        rank, reader.chunks = reader.lexical, lambda ids: pytest.fail("chunks were fetched for a cancelled search")

        def rank_and_be_cancelled(*arguments: object, **options: object) -> object:
            ranking = rank(*arguments, **options)
            ranked.set()
            return ranking

        reader.lexical = rank_and_be_cancelled
        legs = Legs(reader, None, {"dense": "not here"})
        with pytest.raises(Cancelled):
            search(SearchRequest("walnut"), legs, EQUAL, Deadline.after(10, ranked.is_set))


def test_a_search_past_its_deadline_ends(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    with open_engine()._reading() as reader, pytest.raises(DeadlineExceeded):
        search(SearchRequest("walnut"), Legs(reader, None, {}), EQUAL, Deadline(time.monotonic() - 1))


@pytest.mark.parametrize("typed", ["👩‍👩‍👧", '"👩‍👩‍👧"', '"->"'])
def test_what_is_no_word_is_found_as_it_is_written(vault: Vault, open_engine, typed: str):
    vault.write_all(filler(60, "walnut a b") | {"sign.md": "the family 👩‍👩‍👧 goes a -> b"})

    assert find(open_engine(), typed, mode="keyword") == ["sign.md"]
