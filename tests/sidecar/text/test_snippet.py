"""A snippet shows the passage that answers, marked, and breaks nothing that a reader sees as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.text.graphemes import is_safe_cut
from quarry.text.snippet import Snippet, make_snippet
from quarry.text.words import folded
from quarry.types import Span

FILLER = "nothing of interest stands here at all "


def snippet(
    text: str, query: str = "", *, width: int = 60, phrases: tuple[str, ...] = (), sentence: Span | None = None
) -> Snippet:
    wanted = frozenset(query.split())
    return make_snippet(text, words=wanted.__contains__, phrases=phrases, width=width, sentence=sentence)


def marked(shown: Snippet) -> list[str]:
    return [shown.text[mark.start : mark.end] for mark in shown.marks]


def test_the_window_with_the_most_different_words_is_shown() -> None:
    text = f"git git git {FILLER * 3} rename the Git branch {FILLER * 3} git"

    shown = snippet(text, "rename git branch")

    assert marked(shown) == ["rename", "Git", "branch"]


def test_a_phrase_comes_before_words() -> None:
    text = f"alpha beta gamma delta {FILLER * 3} Gamma-delta {FILLER}"

    shown = snippet(text, "alpha beta gamma delta", phrases=("gamma delta",), width=40)

    assert marked(shown)[-1] in ("gamma delta", "Gamma-delta")
    assert "gamma delta" in [folded(part).replace("-", " ") for part in marked(shown)]


def test_of_equal_windows_the_first_is_shown() -> None:
    assert snippet(f"{FILLER * 4} word {FILLER * 8} word {FILLER * 4}", "word").start < 200


def test_accents_and_case_do_not_matter() -> None:
    assert marked(snippet("Über das CAFÉ", "uber cafe")) == ["Über", "CAFÉ"]


def test_words_in_scripts_without_spaces_are_marked_inside_their_run() -> None:
    assert marked(snippet("关于数据库设计的笔记", "数据 据库 设计")) == ["数据库", "设计"]


def test_the_sentence_nearest_in_meaning_is_shown_and_marked() -> None:
    text = f"{FILLER * 5}. The answer is here. {FILLER * 5}."
    start = text.index("The answer")

    shown = snippet(text, "answer", sentence=Span(start, start + 19))

    assert [(mark.kind, shown.text[mark.start : mark.end]) for mark in shown.marks] == [
        ("sentence", "The answer is here."),
        ("word", "answer"),
    ]


def test_without_a_match_the_text_behind_the_headings_is_shown() -> None:
    assert snippet("## Heading\n\n### Another\n\nThe text begins.").text == "The text begins."


@pytest.mark.parametrize("text", ["## Heading word and text", "```sh\nword here\n```"])
def test_markup_does_not_stand_at_the_start(text: str) -> None:
    assert snippet(text, "word", width=12).text[0] not in "#`"


def test_a_snippet_ends_and_begins_between_words() -> None:
    text = FILLER * 5 + "needle " + FILLER * 5

    shown = snippet(text, "needle", width=50)

    assert set(shown.text.split()) <= set(text.split())
    assert 30 < len(shown.text) <= 50


@pytest.mark.parametrize(
    "whole", ["[[A note with a long name|label]]", "[REDACTED:github-token]", "👩\u200d👩\u200d👧\u200d👦🏽🇩🇪e\u0301"]
)
def test_links_markers_and_emoji_are_shown_whole_or_not_at_all(whole: str) -> None:
    for shift in range(60):
        shown = snippet("x" * shift + f" {whole} needle {whole} " + "y" * 60, "needle", width=45)

        assert shown.text.replace(whole, "").strip(" xy") == "needle"


PIECES = st.sampled_from(
    [
        "word ",
        "other",
        " ",
        "\n",
        "## ",
        "```\n",
        "[[a link]]",
        "é",
        "e\u0301",
        "👩\u200d👧",
        "🇩🇪",
        "中文字",
        ". ",
        "-",
        "[REDACTED:x]",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join), st.integers(1, 120), st.booleans(), st.data())
def test_a_snippet_is_a_slice_with_marks_inside_it(
    text: str, width: int, by_meaning: bool, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    shown = snippet(
        text, "word 中文", width=width, phrases=("other word",), sentence=Span(start, end) if by_meaning else None
    )

    assert shown.text == text[shown.start : shown.end]
    assert len(shown.text) <= width
    assert bool(shown.text.strip()) == bool(text.strip()) or by_meaning
    assert all(0 <= mark.start < mark.end <= len(shown.text) for mark in shown.marks)
    assert list(shown.marks) == sorted(shown.marks, key=lambda mark: (mark.start, -mark.end))
    if width >= 20 and not by_meaning:
        assert is_safe_cut(text, shown.start)
        assert is_safe_cut(text, shown.end)


def test_a_snippet_does_not_begin_with_the_end_of_the_sentence_before() -> None:
    text = "Aaaa bbbb cccc dddd. Eeee ffff needle gggg hhhh iiii jjjj"
    starts = {make_snippet(text, words={"needle"}.__contains__, width=width).text[0] for width in range(8, 50)}

    assert not starts & set(". ")
