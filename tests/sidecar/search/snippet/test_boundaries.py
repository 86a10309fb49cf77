"""Passages are cut where nothing is cut through."""

import pytest

from quarry.search.snippet.boundaries import fit_window, skip_preamble, unbreakable_at


@pytest.mark.parametrize(
    "whole",
    [
        "[[note]]",
        "![[note#part|label]]",
        "[text](place)",
        "![text](place)",
        "[text](place_(with_brackets))",
        "[![text](picture)](place)",
        "[REDACTED:key]",
        "https://example.org/a?b=c#d",
        "some-word",
        "user’s",
        "a_long_name",
        "folder/file.md",
    ],
)
def test_a_link_or_word_is_one_from_end_to_end(whole: str) -> None:
    text = f"( {whole} )"

    assert [cut for cut in range(len(text) + 1) if unbreakable_at(text, cut)] == list(range(3, 2 + len(whole)))


@pytest.mark.parametrize("text", ["a b", "[a [b", "a. b", "[a](b", "line\n[[not\nclosed]]", "[[x", "https ://"])
def test_what_is_no_link_may_be_cut_at_its_spaces(text: str) -> None:
    assert not any(unbreakable_at(text, cut) for cut in range(len(text)) if text[cut].isspace())


@pytest.mark.parametrize(
    "preamble", ["", "## ", "```py\n", "- [x] ", "1. ", "> - ", "---\n", "|---|:-:|\n| ", "\n\n# ", "~~~\n- "]
)
def test_signs_that_make_sense_at_their_place_only_are_skipped(preamble: str) -> None:
    assert skip_preamble(f"{preamble}text", 0) == len(preamble)


def test_a_window_begins_at_a_line_where_no_sentence_begins_near() -> None:
    text = "x" * 100 + "\nlower case line with the needle in it" + " more" * 30
    first = text.index("needle")

    start, end = fit_window(text, first, first + 6, 60, 0)

    assert text[start:].startswith("lower case line")
    assert end - start <= 60


def test_nothing_before_the_lowest_place_is_shown() -> None:
    assert fit_window("Head line. Text and needle.", 20, 26, 60, 11) == (11, 27)


def test_a_mark_inside_a_link_shows_the_whole_link() -> None:
    text = "xxxx " * 20 + "[[a note with the needle]] " + "yyyy " * 20
    first = text.index("needle")

    start, end = fit_window(text, first, first + 6, 50, 0)

    assert "[[a note with the needle]]" in text[start:end]


def test_a_link_that_the_last_word_stands_in_is_given_up_where_it_does_not_fit() -> None:
    text = "one needle and [a needle in a long text](and/a/long/address.md)"

    start, end = fit_window(text, 4, text.rindex("needle") + 6, 40, 0)

    assert text[start:end] == "one needle and"
