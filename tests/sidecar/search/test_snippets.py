"""What a person sees of a hit: marks where the words stand, the nearest sentence where none does."""

import pytest
from builders import Vault, ask
from hypothesis import given
from hypothesis import strategies as st

from quarry.engine import Engine
from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.options import SearchOptions
from quarry.search.answer import SHORTEST_CUT, estimate_tokens
from quarry.search.snippets import fit


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


@pytest.mark.parametrize("typed", [r"/v\d+\.\d+/", r"match-case:/v\d+\.\d+/", r"vers /v\d+\.\d+/"])
def test_a_match_of_a_regular_expression_is_shown_and_marked(vault: Vault, open_engine, typed):
    vault.write("a.md", "Vers. Some words stand here. " * 40 + "We ship v2.14 today. " + "Others follow it. " * 40)

    [hit] = ask(open_engine(), typed, mode="keyword").hits
    snippet = hit.passages[0].snippet

    assert "v2.14" in [snippet.text[mark.start : mark.end] for mark in snippet.marks]


def test_what_must_not_match_is_not_marked(vault: Vault, open_engine):
    vault.write("a.md", "walnut v2 oil")

    snippet = ask(open_engine(), r"walnut -/w\d/", mode="keyword").hits[0].passages[0].snippet

    assert [snippet.text[mark.start : mark.end] for mark in snippet.marks] == ["walnut"]


def test_words_of_the_title_are_marked_as_well(vault: Vault, open_engine):
    vault.write("a.md", "# On walnut oil\npressed")

    hit = ask(open_engine(), "oils walnut").hits[0]
    title = hit.passages[0].chunk.title

    assert [title[mark.start : mark.end] for mark in hit.title_marks] == ["walnut", "oil"]


def test_a_hit_by_meaning_marks_its_nearest_sentence(sample: Engine):
    answer = ask(sample, "can't fall asleep at night", mode="semantic", limit=3)

    hit = next(hit for hit in answer.hits if hit.path == "Health/Lying awake.md")
    wordless = [p.snippet for p in hit.passages if not any(mark.kind == "word" for mark in p.snippet.marks)]
    for snippet in wordless:
        [sentence] = [snippet.text[mark.start : mark.end] for mark in snippet.marks]
        assert not sentence.startswith("#")
        assert len(sentence) > 20
    assert all(p.snippet.marks for p in hit.passages)


def test_the_marked_sentence_is_the_nearest_one(vault: Vault, open_engine):
    # "the" is a stop word, so no word is marked, while the model of these tests finds it in one sentence only.
    vault.write("a.md", "# Trees\n\nRain fell all day. Somebody watched the the the the. Nobody came to see it at all.")

    snippet = ask(open_engine(), "the oak", mode="semantic").hits[0].passages[0].snippet

    assert [snippet.text[m.start : m.end] for m in snippet.marks] == ["Somebody watched the the the the."]


def test_no_snippet_is_wider_than_asked_for(sample: Engine):
    for width in (20, 120, 500):
        for hit in ask(sample, "restore the backup", snippet_width=width, limit=20).hits:
            assert all(len(passage.snippet.text) <= width for passage in hit.passages)


def test_a_width_of_nothing_fetches_nothing(vault: Vault, open_engine):
    vault.write("a.md", "walnut")

    assert [(hit.path, hit.passages) for hit in ask(open_engine(), "walnut", snippet_width=0).hits] == [("a.md", ())]


def test_where_words_found_a_note_their_passage_is_shown_and_else_the_nearest(
    vault: Vault, open_engine, bundled_encoder
):
    items = " ".join(f"item{number}" for number in range(60))
    evening = (
        "## Evening\nInsomnia again: tired, could not rest in bed, woke up exhausted and weary, sleepless.\n\n## List\n"
    )
    vault.write_all(
        {
            "strong.md": "# Sleep at night\nsleep at night, lying awake at night, asleep at night, fall asleep",
            "words.md": f"{evening}{items} lying awake night {items}",
            "meaning.md": f"{evening}{items} night {items}",
            "c.md": "cherry",
        }
    )
    engine = open_engine(load=lambda _: bundled_encoder)

    first = {hit.path: hit.passages[0].chunk.chunk.heading_path[-1] for hit in ask(engine, "lying awake at night").hits}

    assert (first["words.md"], first["meaning.md"]) == ("List", "Evening")


FILLER = "Vines want sun and little water. " * 12
PICTURE = "![Watering the plants](images/walnut-garden/watering.png)"


def first_passage(engine, query: str) -> str:
    return ask(engine, query).hits[0].passages[0].snippet.text


def test_an_image_is_no_first_passage_where_another_one_has_the_words(vault: Vault, open_engine):
    vault.write("a.md", f"# Care\n\n## Water\n\n{PICTURE}\n\n## Prune\n\n{FILLER} The walnut garden is pruned in May.")
    engine = open_engine()

    assert first_passage(engine, "walnut garden").endswith("The walnut garden is pruned in May.")
    assert first_passage(engine, "walnut-garden/watering.png") == PICTURE


def test_further_passages_are_those_that_are_not_shown_first(vault: Vault, open_engine):
    vault.write("a.md", f"# Care\n\n## Water\n\n{PICTURE}\n\n## Prune\n\n{FILLER} The walnut garden is pruned in May.")

    found = open_engine().further_passages(SearchOptions(query="walnut garden"), "a.md")

    assert [passage.snippet.text for passage in found.passages] == [PICTURE]


def test_a_heading_alone_makes_way_for_the_text_that_is_near(vault: Vault, open_engine, bundled_encoder):
    vault.write("a.md", "# Insomnia\n\n## Causes\n\nTea late in the evening keeps me awake, and so does a full moon.\n")
    engine = open_engine(load=lambda _: bundled_encoder)

    assert first_passage(engine, "sleepless").startswith("Tea late in the evening")


def test_the_words_of_an_address_do_not_choose_the_sentence(vault: Vault, open_engine):
    text = f"Walnut oil dries slowly. {FILLER} See [the shop](https://shop.example/walnut-oil-walnut-stain)."
    vault.write("a.md", text)

    assert first_passage(open_engine(), "walnut oil stain").startswith("Walnut oil dries slowly.")


def test_each_note_is_marked_in_its_own_language(vault: Vault, open_engine):
    german = "Die Häuser an der Straße sind alt, und wir haben nicht genug Geld für das Dach. Es ist auch kalt."
    vault.write_all(
        {"de.md": f"# Häuser\n{german}", "en.md": "# Haus\nThe house that is called Haus stands by the sea."}
    )
    hits = {hit.path: hit for hit in open_engine().search(SearchOptions(query="haus")).hits}

    for path, marked in {"de.md": "Häuser", "en.md": "Haus"}.items():
        snippet, chunk = hits[path].passages[0].snippet, hits[path].passages[0].chunk
        assert marked in {snippet.text[mark.start : mark.end] for mark in snippet.marks}, path
        assert [chunk.title[mark.start : mark.end] for mark in hits[path].title_marks] == [marked]


def test_the_text_that_overflows_is_cut_with_dots_when_enough_of_it_fits():
    fitted = fit(["a" * 400, "b" * 2000], max_tokens=200)

    assert fitted == ["a" * 400, "b" * 397 + "..."]


def test_the_text_that_overflows_is_dropped_when_too_little_of_it_fits():
    fitted = fit(["a" * 600, "b" * 2000], max_tokens=200)

    assert fitted == ["a" * 600]


def test_no_text_is_asked_for_behind_the_first_that_does_not_fit():
    texts = iter(["a" * 100, "b" * 900, "c"])

    fit(texts, 100)

    assert list(texts) == ["c"]


def test_tokens_are_rounded_up():
    assert [estimate_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


@given(st.lists(st.text(max_size=3 * SHORTEST_CUT)), st.integers(50, 1000))
def test_the_budget_is_never_exceeded(texts: list[str], max_tokens: int):
    fitted = fit(texts, max_tokens)

    assert sum(map(len, fitted)) <= max_tokens * CHARACTERS_PER_TOKEN
    assert fitted[:-1] == texts[: len(fitted[:-1])]
