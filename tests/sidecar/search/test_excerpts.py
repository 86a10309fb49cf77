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


def test_a_comparison_quotes_both_notes_and_a_character_of_each_is_worth_the_same(sample: Engine):
    found = hits(sample, "what is the difference between De Quervain and tinnitus?")

    assert [hit.path for hit in found[:2]] == ["Health/Wrist.md", "Health/Ears.md"]
    worths = [hit.confidence * hit.passages[0].share / len(hit.passages[0].snippet.text) for hit in found[:2]]
    assert abs(worths[0] - worths[1]) < 1e-9


def test_of_a_comparison_with_an_unknown_side_the_known_one_is_quoted_and_the_other_named(sample: Engine):
    answer = sample.search(PromptOptions(query="De Quervain vs flurbicronism", snippet_width=497))

    assert (answer.unknown_side, answer.compared) == ("flurbicronism", {"Health/Wrist.md"})
    assert sample.search(PromptOptions(query="De Quervain vs tinnitus")).unknown_side == ""


LISTS = """# Bellows

The bellows are sewn in winter, when the air is dry.

Prepare the glue for the leather like this:

```sh
# not a heading
heat --slowly water
stir --into powder
```

## Order

The leather is cut in this order:

1. The gusset for the corners, of thin goat skin
2. The long strips for the folds, of sheep skin
3. The belt that goes around everything, of calf skin
4. The patches over each of the seams, of what is left of the goat
5. The last layer of paper, which nobody ever sees

Let it rest for a night.
"""


def test_code_and_a_list_are_quoted_whole_with_the_sentence_that_leads_to_them(
    tmp_path: Path, bundled_encoder: Encoder
):
    vault = Vault(tmp_path / "notes")
    vault.write("Bellows.md", LISTS)
    engine = Engine.open(vault.root, tmp_path / "index.db", load=lambda _: bundled_encoder)
    settle(engine)

    code = hits(engine, "how do I prepare the glue for the leather")[0].passages[0].snippet.text
    order = [each.snippet.text for each in hits(engine, "in which order is the leather cut")[0].passages]

    assert code.count("```") == 2
    assert "stir --into powder" in code
    assert any(text.startswith("The leather is cut") and "nobody ever sees" in text for text in order)


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
