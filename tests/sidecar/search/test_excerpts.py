"""Which sentences of a note are quoted: those that answer, whole, from anywhere in it."""

from itertools import pairwise
from pathlib import Path

from builders import Vault, settle

from quarry.documents.sentences import split_sentences
from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.options import PromptOptions
from quarry.search import Hit, Passage
from quarry.search.excerpts import MAX_EXCERPTS, WIDTH

FILLER = "The bellows of the harmonium breathe slowly and the hall listens to it without a word. " * 9
NOTE = f"""# Harmonium

The harmonium stands in the chapel. {FILLER}

## Care

Dust it in spring. {FILLER}

### Moving

Two people carry the frame. Never lift it by the lid, which comes off.

### Voicing

{FILLER}

> [!tip] Damp weather
> A swollen key is dried for a week. Then it is filed with a fine blade.
"""


def engine_over(folder: Path, encoder: Encoder, name: str, text: str) -> Engine:
    """An engine over one note."""
    vault = Vault(folder / "notes")
    vault.write(name, text)
    engine = Engine.open(vault.root, folder / "index.db", load=lambda _: encoder)
    settle(engine)
    return engine


def hits(engine: Engine, query: str) -> tuple[Hit, ...]:
    options = PromptOptions(query=query, least_confidence=0.0, snippet_width=497, expand_small_results=False)
    return engine.search(options).hits


def first(engine: Engine, query: str) -> Passage:
    return hits(engine, query)[0].passages[0]


def test_the_section_whose_heading_is_asked_for_is_quoted(tmp_path: Path, bundled_encoder: Encoder):
    engine = engine_over(tmp_path, bundled_encoder, "Harmonium.md", NOTE)

    moving = first(engine, "moving the harmonium")

    assert moving.snippet.text == "Two people carry the frame. Never lift it by the lid, which comes off."
    assert moving.headings == ("Moving",)


def test_a_callout_is_quoted_as_any_paragraph(tmp_path: Path, bundled_encoder: Encoder):
    engine = engine_over(tmp_path, bundled_encoder, "Harmonium.md", NOTE)

    assert "swollen key is dried for a week" in first(engine, "what to do with a swollen key").snippet.text


def test_excerpts_are_whole_sentences_that_do_not_overlap(sample: Engine):
    for query in ("how do I tune two reeds without a beat", "which tools for tuning", "hide glue temperature"):
        passages = hits(sample, query)[0].passages
        places = sorted((each.chunk.chunk_id, each.snippet.start, each.snippet.end) for each in passages)
        assert 0 < len(passages) <= MAX_EXCERPTS
        assert sum(each.share for each in passages) <= 1 + 1e-9
        assert all(one[0] != next_one[0] or one[2] <= next_one[1] for one, next_one in pairwise(places))
        for each in passages:
            spans = split_sentences(each.chunk.text)
            assert {each.snippet.start} <= {span.start for span in spans}
            assert {each.snippet.end} <= {span.end for span in spans}


def test_a_sentence_longer_than_a_quote_is_cut_around_what_is_asked(tmp_path: Path, bundled_encoder: Encoder):
    engine = engine_over(
        tmp_path, bundled_encoder, "Long.md", "# Long\n\n" + "word " * 300 + "the kittiwake nests here " + "word " * 300
    )

    text = first(engine, "kittiwake").snippet.text

    assert "kittiwake" in text
    assert WIDTH < len(text) <= 497


def test_a_comparison_quotes_both_notes_and_is_worth_the_same_for_each(sample: Engine):
    found = hits(sample, "what is the difference between De Quervain and tinnitus?")

    assert [hit.path for hit in found[:2]] == ["Health/Wrist.md", "Health/Ears.md"]
    worths = [hit.confidence * max(each.share for each in hit.passages) for hit in found[:2]]
    assert abs(worths[0] - worths[1]) < 1e-9


def test_what_compares_is_no_word_of_the_query(sample: Engine):
    answer = sample.search(PromptOptions(query="hide glue versus shellac", least_confidence=0.0))

    assert "versus" not in answer.unknown_words
    assert not any("versus" in hit.missing_words for hit in answer.hits)
