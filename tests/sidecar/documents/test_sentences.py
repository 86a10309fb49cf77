"""Sentences end where a reader would say so."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.sentences import informative_sentences, is_safe_cut, says_something, split_sentences


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Use e.g. ripgrep, i.e. Rust. Done.", ["Use e.g. ripgrep, i.e. Rust.", "Done."]),
        ("Dr. Who met J. R. Tolkien. V1.2 is out.", ["Dr. Who met J. R. Tolkien.", "V1.2 is out."]),
        ("He said “stop.” Then left.", ["He said “stop.”", "Then left."]),
        ("这是一。这是二！三", ["这是一。", "这是二！", "三"]),
        ("a wrapped\nline. Next", ["a wrapped\nline.", "Next"]),
        ("# Head\ntext\n- one\n- two\n  more\n\n1. three", ["# Head", "text", "- one", "- two\n  more", "1. three"]),
        ("```py\na = 1\nb = 2\n```\ntext", ["```py", "a = 1", "b = 2", "```", "text"]),
        ("| One. Two | c |\n| d | e |", ["| One. Two | c |", "| d | e |"]),
        ("", []),
    ],
)
def test_sentences_of_notes(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.one_of(st.text(), st.text(alphabet="aB.!。 \n#-|`>1")))
def test_sentences_hold_all_that_is_no_space_once_and_in_order(text: str) -> None:
    spans = split_sentences(text)

    assert "".join("".join(text[span.start : span.end].split()) for span in spans) == "".join(text.split())
    assert all(text[span.start : span.end].strip() == text[span.start : span.end] != "" for span in spans)
    assert all(before.end <= after.start for before, after in itertools.pairwise(spans))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Head\n\nIt says this. And that.", ["It says this.", "And that."]),
        ("- [ ] call him\n- done\n1. third", ["call him", "done", "third"]),
        ("> [!note]\n> quoted words", ["[!note]\n> quoted words"]),
        ("```sh\nls -l\n```\n---\n\nSo be it.", ["ls -l", "So be it."]),
        ("# Nothing but a heading", ["# Nothing but a heading"]),
        ("", []),
    ],
)
def test_sentences_worth_quoting(text: str, expected: list[str]) -> None:
    assert [text[span.start : span.end] for span in informative_sentences(text)] == expected


@given(st.one_of(st.text(), st.text(alphabet="aB.!。 \n#-|`>1[]x")))
def test_a_text_with_sentences_has_one_worth_quoting(text: str) -> None:
    told, every = informative_sentences(text), split_sentences(text)

    assert bool(told) == bool(every)
    assert all(any(span.start >= whole.start and span.end <= whole.end for whole in every) for span in told)


MUTE = (
    "![[Books.base]]",
    "![[Daily.base#Monthly]]\n\n![a cover](cover.png)\n---\n",
    "[Source](https://a.b/c)",
    "https://example.org/a?b=c",
    "- <https://example.org>",
    "# Reeds",
    "## Reeds\n\n![a reed](reed.png)\n",
    "#howto #workshop/glue",
    "- #howto\n- #glue",
    "| --- | :-: |",
    '<img src="reed.png" width="40">',
    "```\n```",
    "",
    "…",
)


@pytest.mark.parametrize("text", MUTE)
def test_embeds_addresses_headings_and_tags_alone_say_nothing(text):
    assert not says_something(text)
    assert informative_sentences(f"{text}\n\nReeds are brass.")[0].end == len(text) + 18


@pytest.mark.parametrize(
    "text",
    [
        *("[[Books]]", "See ![[Books.base]]", "![[Books.base", "[How Raft works](https://a.b)", "書", "1"),
        *("https is a protocol", "#1 rule", "| a | b |", "x < y", "# Reeds\n\nBrass."),
    ],
)
def test_links_and_words_say_something(text):
    assert says_something(text)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [("# Call the dentist", True), ("# 1", True), ("#howto", False), ("# ![[a]]", False), ("## \n", False)],
)
def test_a_heading_says_something_where_it_counts(text, is_told):
    assert says_something(text, headings=True) == is_told


def test_telling_takes_linear_time():
    for text in ("![[" * 30_000, "![" * 40_000, "<a" * 40_000, "#" * 90_000, "https://" * 10_000, "[a](" * 20_000):
        start = time.perf_counter()
        says_something(text)
        assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "🇩🇪",
        "नि",
        "🏴\U000e0067\U000e0062\U000e007f",
        "क्ष",
        "\u1112\u1161\u11ab",
        "น้ำ",
        "\r\n",
    ],
)
def test_a_cluster_can_be_cut_at_its_ends_only(cluster: str) -> None:
    text = f"a{cluster}{cluster}b"
    size = len(cluster)

    assert [at for at in range(len(text) + 1) if is_safe_cut(text, at)] == [0, 1, 1 + size, 1 + 2 * size, len(text)]


def test_flags_are_told_apart_however_many_stand_in_a_row() -> None:
    text = "🇩🇪" * 200

    assert [at for at in range(len(text) + 1) if is_safe_cut(text, at)] == list(range(0, 401, 2))
