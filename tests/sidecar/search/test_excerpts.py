"""Which sentences of a note are quoted: those that answer, whole, from anywhere in it."""

from itertools import pairwise
from pathlib import Path
from time import process_time

from builders import Vault, settle

from quarry.documents.sentences import split_sentences
from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.options import PromptOptions
from quarry.search import Hit
from quarry.search.excerpts import MAX_EXCERPTS

NOTE = Path(__file__).with_name("harmonium.md").read_text("utf-8")


def hits(engine: Engine, query: str) -> tuple[Hit, ...]:
    options = PromptOptions(query=query, least_confidence=0.0, snippet_width=497, expand_small_results=False)
    return engine.search(options).hits


def test_the_section_whose_heading_is_asked_for_and_a_callout_are_quoted(tmp_path: Path, bundled_encoder: Encoder):
    vault = Vault(tmp_path / "notes")
    vault.write("Harmonium.md", NOTE)
    engine = Engine.open(vault.root, tmp_path / "index.db", load=lambda _: bundled_encoder)
    settle(engine)

    moving = hits(engine, "moving the harmonium")[0].passages[0]

    assert moving.snippet.text == "Two people carry the frame. Never lift it by the lid, which comes off."
    assert moving.headings == ("Moving",)
    assert "dried for a week" in hits(engine, "what to do with a swollen key")[0].passages[0].snippet.text


def test_excerpts_are_whole_sentences_that_do_not_overlap(sample: Engine):
    passages = hits(sample, "how do I tune two reeds without a beat")[0].passages
    places = sorted((each.chunk.chunk_id, each.snippet.start, each.snippet.end) for each in passages)
    assert 0 < len(passages) <= MAX_EXCERPTS
    assert all(one[0] != next_one[0] or one[2] <= next_one[1] for one, next_one in pairwise(places))
    for each in passages:
        spans = split_sentences(each.chunk.text)
        assert each.snippet.start in {span.start for span in spans}
        assert each.snippet.end in {span.end for span in spans}


def test_a_comparison_quotes_both_notes_and_is_worth_the_same_for_each(sample: Engine):
    found = hits(sample, "what is the difference between De Quervain and tinnitus?")

    assert [hit.path for hit in found[:2]] == ["Health/Wrist.md", "Health/Ears.md"]
    worths = [hit.confidence * max(each.share for each in hit.passages) for hit in found[:2]]
    assert abs(worths[0] - worths[1]) < 1e-9


def test_what_compares_is_no_word_of_the_query(sample: Engine):
    answer = sample.search(PromptOptions(query="hide glue versus shellac", least_confidence=0.0))

    assert "versus" not in answer.unknown_words
    assert not any("versus" in hit.missing_words for hit in answer.hits)


def test_a_sign_of_headings_before_many_spaces_takes_no_time(tmp_path: Path, bundled_encoder: Encoder):
    vault = Vault(tmp_path / "notes")
    vault.write("Harmonium.md", f"# Harmonium\n\nHarmonium reeds.\n\nYes! #{' ' * 900}the harmonium\nis heavy.\n")
    engine = Engine.open(vault.root, tmp_path / "index.db", load=lambda _: bundled_encoder)
    settle(engine)
    begun_s = process_time()

    assert hits(engine, "harmonium reeds")
    assert process_time() - begun_s < 0.7  # 1.4 s where each three runs of its spaces are tried
