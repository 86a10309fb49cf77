"""A snippet shows the passage that answers, marked, and breaks nothing that a reader sees as one."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.analysis import locate_part_terms, phrase_terms, ranking_terms
from quarry.documents.sentences import is_safe_cut
from quarry.search.snippet.highlighting import find_matches
from quarry.search.snippet.matcher import HighlightTerms, TermMatch
from quarry.search.snippet.snippet import Snippet, best_window, make_snippet
from quarry.types import Span

FILLER = "nothing of interest stands here at all "


def wanted(query: str, *phrases: str, prefix: str | None = None) -> HighlightTerms:
    weights = {term: 1.0 for word in query.split() for term in ranking_terms(word)}
    return HighlightTerms(weights, tuple(phrase_terms(phrase) for phrase in phrases), prefix)


def snippet(
    text: str, query: str = "", *, width: int = 60, phrases: tuple[str, ...] = (), sentence: Span | None = None
) -> Snippet:
    return make_snippet(text, find_matches(text, wanted(query, *phrases)), width, sentence)


def marked(shown: Snippet) -> list[str]:
    return [shown.text[mark.start : mark.end] for mark in shown.marks]


def test_a_phrase_comes_before_words() -> None:
    text = f"alpha beta gamma, delta {FILLER * 3} Gamma-delta {FILLER}"

    shown = snippet(f"alpha beta gamma {FILLER * 3} gamma-delta", "alpha beta gamma delta", phrases=("gamma delta",))

    assert marked(shown) == ["gamma-delta"]
    assert marked(snippet(text, "alpha", phrases=("gamma delta",))) == ["alpha", "gamma, delta"]


def test_words_are_marked_by_their_terms() -> None:
    assert marked(snippet("Über das CAFÉ: jumping, jumped", "uber cafe jumps")) == ["Über", "CAFÉ", "jumping", "jumped"]


def test_the_sentence_nearest_in_meaning_is_shown_and_marked() -> None:
    text = f"{FILLER * 5}. The answer is here. {FILLER * 5}."
    start = text.index("The answer")

    shown = snippet(text, "answer", sentence=Span(start, start + 19))

    assert shown.start == start
    assert [(mark.kind, shown.text[mark.start : mark.end]) for mark in shown.marks] == [
        ("sentence", "The answer is here."),
        ("word", "answer"),
    ]


def test_of_a_long_sentence_the_part_with_the_words_is_shown() -> None:
    text = f"One. {FILLER * 5}needle {FILLER * 5}."

    shown = snippet(text, "needle", sentence=Span(5, len(text)))

    assert [(mark.kind, shown.text[mark.start : mark.end]) for mark in shown.marks] == [
        ("sentence", shown.text),
        ("word", "needle"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Heading\n\n### Another\n\nThe text begins.",
        "# Heading\n\n---\n\n- [ ] The text begins.",
        "> The text begins.",
        "```sh\nThe text begins.\n```",
    ],
)
def test_without_a_match_the_first_sentence_worth_quoting_is_shown(text: str) -> None:
    assert snippet(text).text.startswith("The text begins.")


@pytest.mark.parametrize(
    ("text", "query", "width", "begins"),
    [
        (f"# The needle\n\n{FILLER * 3}. A needle is here. {FILLER * 3}", "needle", 60, "A needle is here."),
        ("## The needle\n\nSome text.", "needle", 60, "The needle\n\nSome text."),
        ("## Patch a needle\n\nFind the leak first.", "needle leak", 60, "Find the leak first."),
        (f"{FILLER * 3}. In this sentence the needle stands. {FILLER * 3}", "needle", 80, "In this sentence"),
        ("| name | value |\n|---|---|\n| one cell | needle |\n| another | row |", "needle", 40, "one cell | needle |"),
        ("One is here. Two is here. Three is the needle.", "needle", 34, "Two is here. Three is the needle."),
    ],
    ids=[
        "text before headings",
        "heading alone",
        "behind the heading",
        "sentence",
        "row",
        "room behind is used in front",
    ],
)
def test_a_snippet_begins_where_the_words_are_read_best(text: str, query: str, width: int, begins: str) -> None:
    assert snippet(text, query, width=width).text.startswith(begins)


def test_a_sentence_is_marked_without_the_border_of_its_table_and_the_sign_of_its_list() -> None:
    row = "| one cell | another |"
    item = "- [ ] brass bar"

    assert marked(snippet(row, sentence=Span(0, len(row)))) == ["one cell | another |"]
    assert marked(snippet(item, sentence=Span(0, len(item)))) == ["brass bar"]


def test_a_sentence_of_markup_alone_is_marked_as_it_is() -> None:
    assert marked(snippet("---", sentence=Span(0, 3))) == ["---"]


@pytest.mark.parametrize("text", ["## Heading word and text", "```sh\nword here\n```", "| --- |\n| word |"])
def test_markup_does_not_stand_at_the_start(text: str) -> None:
    assert snippet(text, "word", width=12).text[0] not in "#`|-"


def test_a_snippet_does_not_begin_with_the_end_of_the_sentence_before() -> None:
    text = "Aaaa bbbb cccc dddd. Eeee ffff needle gggg hhhh iiii jjjj"
    starts = {snippet(text, "needle", width=width).text[0] for width in range(8, 50)}

    assert not starts & set(". ")


@pytest.mark.parametrize("closing", ["|", "*", "–"])
def test_a_snippet_does_not_begin_with_a_sign_that_stands_alone(closing: str) -> None:
    text = f"aaaa bbbb {closing} cccc dddd needle eeee ffff gggg hhhh iiii jjjj"
    starts = {snippet(text, "needle", width=width).text[0] for width in range(8, 50)}

    assert closing not in starts


@pytest.mark.parametrize("opening", ["**", "(", "\n-", "–", "“"])
def test_a_snippet_does_not_end_with_a_sign_that_opens_what_is_cut_off(opening: str) -> None:
    shown = snippet(f"The needle is here. {opening}Another-very-long-word-follows", "needle", width=25)

    assert shown.text == "The needle is here."


def test_a_snippet_ends_and_begins_between_words() -> None:
    text = FILLER * 5 + "needle " + FILLER * 5

    shown = snippet(text, "needle", width=50)

    assert set(shown.text.split()) <= set(text.split())
    assert 30 < len(shown.text) <= 50


@pytest.mark.parametrize(
    "whole",
    [
        "[[A note with a long name|label]]",
        "![[picture in a folder.png]]",
        "[some text](some/place.md)",
        "https://example.org/some/place?q=1",
        "[REDACTED:github-token]",
        "👩\u200d👩\u200d👧\u200d👦🏽",
        "🇩🇪",
        "e\u0301",
        "1\ufe0f\u20e3",
    ],
)
def test_links_markers_and_emoji_are_shown_whole_or_not_at_all(whole: str) -> None:
    for shift in range(60):
        shown = snippet("x" * shift + f" {whole} needle {whole} " + "y" * 60, "needle", width=45)

        assert shown.text.replace(whole, "").strip(" xy") == "needle"


def test_a_phrase_longer_than_the_snippet_is_marked_as_far_as_it_shows() -> None:
    text = f"alpha {'- ' * 40} beta"

    assert [len(part) for part in marked(snippet(text, phrases=("alpha beta",), width=20))] == [20]


LINKS = ["[[a link]]", "[a b](c.md)", "https://a.b/c ", "[REDACTED:x]"]
LINES = ["word ", "other", "Words", " ", "\n", "\n\n", "## ", "```\n", "- ", "| ", ". ", "-"]
SIGNS = ["é", "e\u0301", "👩\u200d👧", "🇩🇪", "中文字", "中", "。", "İ", "𝔴", "क्षि"]
PIECES = st.sampled_from([*LINKS, *LINES, *SIGNS])
TEXTS = st.lists(PIECES, max_size=60).map("".join)


@given(TEXTS, st.integers(1, 120), st.booleans(), st.data())
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
    words = [mark for mark in shown.marks if mark.kind == "word"]
    assert all(before.end < after.start for before, after in itertools.pairwise(words))


@given(TEXTS, st.integers(24, 120), st.booleans(), st.data())
def test_no_character_link_or_marker_is_cut(text: str, width: int, by_meaning: bool, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    sentence = Span(max(0, end - 10), end) if by_meaning else None

    shown = snippet(f"{text} ", "word 中文", width=width, sentence=sentence)

    for cut in (shown.start, shown.end):
        assert is_safe_cut(text, cut)
    if not by_meaning:
        for whole in ("[[a link]]", "[a b](c.md)", "[REDACTED:x]"):
            for cut in (shown.start, shown.end):
                at = text.find(whole, max(0, cut - len(whole) + 1))
                assert not 0 <= at < cut


@given(TEXTS, st.integers(20, 120))
def test_where_something_wanted_stands_something_is_marked(text: str, width: int) -> None:
    query = wanted("word 中文", "other word")

    shown = make_snippet(text, find_matches(text, query), width)

    terms = {*phrase_terms(text), *(part.text for part in locate_part_terms(text))}
    stands = "word" in terms or "中文" in text
    assert bool(shown.marks) == stands


@given(TEXTS, st.integers(20, 120))
def test_marks_survive_being_counted_in_utf16(text: str, width: int) -> None:
    shown = snippet(text, "word 中文", width=width)
    units = shown.text.encode("utf-16-le")

    for mark in shown.marks:
        start = len(shown.text[: mark.start].encode("utf-16-le"))
        end = len(shown.text[: mark.end].encode("utf-16-le"))
        assert units[start:end].decode("utf-16-le") == shown.text[mark.start : mark.end]


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["word ", "word", "中文", "[[", "](", "- ", "🇩🇪", "a-", "word. ", "x", "\n", "![a]("])
def test_a_very_long_text_takes_no_longer_than_it_is(piece: str) -> None:
    text = piece * (100_000 // len(piece))

    assert len(snippet(text, "word 中文", width=120, phrases=("word word", "中文")).text) <= 120


@pytest.mark.parametrize(
    ("things", "width", "body", "window"),
    [
        ([(0, "a", 2), (10, "a", 2), (20, "b", 3), (200, "c", 9)], 50, 0, (200, 204)),
        ([(0, "a", 4), (20, "a", 4), (200, "a", 4), (230, "b", 1)], 50, 0, (200, 234)),
        ([(0, "a", 4), (40, "b", 4), (200, "a", 4), (206, "b", 4)], 50, 0, (200, 210)),
        ([(0, "a", 4), (30, "a", 4), (50, "b", 4), (80, "b", 4), (300, "a", 4), (320, "b", 4)], 100, 0, (30, 54)),
        ([(0, "a", 8), (300, "a", 8)], 50, 10, (300, 304)),
        ([(0, "a", 80), (300, "b", 8)], 50, 10, (0, 4)),
    ],
    ids=[
        "greatest sum",
        "twice counts once",
        "near",
        "first of equals, no wider",
        "heading a quarter",
        "heavy heading",
    ],
)
def test_the_heaviest_window_is(things: list[tuple[int, str, int]], width: int, body: int, window: Span) -> None:
    assert best_window([(start, start + 4, key, value) for start, key, value in things], width, body) == window


THINGS = st.lists(
    st.tuples(st.integers(0, 300), st.sampled_from("abcd")), min_size=1, max_size=30, unique_by=lambda at: at[0] // 5
).map(lambda things: [(at, at + 4, key, " abcd".index(key) * 100) for at, key in sorted(things)])


@given(THINGS, st.integers(4, 200))
def test_no_other_window_has_a_greater_sum(things: list[TermMatch], width: int) -> None:
    def total(start: int, end: int) -> int:
        return sum({key: value for first, last, key, value in things if start <= first and last <= end}.values())

    start, end = best_window(things, width, 0)

    assert end - start <= width
    best = max(total(at[0], at[0] + width) for at in things)
    assert total(start, end) * 1.5 >= best  # being near is worth at most half as much again
