"""Headings are found where Markdown has them, and only there."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.markdown import TextRegions, code_spans, read_outline, shown_text


def headings(*lines: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in read_outline("\n".join(lines)).headings]


def test_headings_of_every_level_in_order() -> None:
    found = headings("# One", "text", "## Two ##", "   ### Three #", "###### Six", "####### seven", "#tag", "##")

    assert found == [(1, "One"), (2, "Two"), (3, "Three"), (6, "Six"), (2, "")]


@pytest.mark.parametrize(
    "block",
    [
        ("```sh", "## no", "```"),
        ("~~~", "## no", "```", "## no", "~~~~"),
        ("````", "```", "## no", "````"),
        ("- item", "  ```", "  ## no", "## no", "  ```"),
        ("- ```py", "  ## no", "  ```"),
        ("> ```", "> ## no", "> ```"),
        ("$$", "## no", "$$"),
        ("<!--", "## no", "-->"),
        ("text <!-- opens", "## no", "here --> closes"),
        ("%%", "## no", "%%"),
    ],
)
def test_a_heading_sign_inside_a_protected_block_is_no_heading(block: tuple[str, ...]) -> None:
    assert headings("## before", *block, "## after") == [(2, "before"), (2, "after")]


@pytest.mark.parametrize(
    "opening", ["$$ is the process id", "%% never closed", "<!-- never closed", "`<!--` and", "```inline```"]
)
def test_what_never_closes_protects_nothing(opening: str) -> None:
    assert headings(opening, "", "## heading") == [(2, "heading")]


def test_an_open_fence_runs_to_the_end_but_one_in_a_quote_ends_with_it() -> None:
    assert headings("```", "## no", "", "## no") == []
    assert headings("> ```", "> ## no", "## yes") == [(2, "yes")]


def test_an_underlined_line_is_a_heading_and_a_break_is_none() -> None:
    assert headings("Title", "===", "Sub", "---") == [(1, "Title"), (2, "Sub")]
    assert headings("two", "lines", "---", "", "---", "- item", "---", "| a |", "---", "# x", "---") == [(1, "x")]


def test_the_scan_begins_behind_the_front_matter() -> None:
    text = "---\n# comment\n---\n# Title"

    assert [heading.text for heading in read_outline(text, body_start=18).headings] == ["Title"]


def test_a_fence_knows_its_language_and_content() -> None:
    text = "a\n```{.Json} x\n{}\n```\nb"
    (fence,) = read_outline(text).protected

    assert (fence.info, text[fence.content.start : fence.content.end]) == ("json", "{}")
    assert text[fence.start : fence.end] == "```{.Json} x\n{}\n```"


def test_headings_are_shown_without_markup() -> None:
    assert shown_text("[[Home|the **house**]] and [docs](x.md) in `code`") == "the house and docs in code"


def test_inline_code_ends_in_its_paragraph() -> None:
    text = "a `b` ``c ` d`` `open\n\nnot closed` ```\n"

    assert [text[start:end] for start, end in code_spans(text, ())] == ["`b`", "``c ` d``"]


def test_regions_may_overlap() -> None:
    regions = TextRegions([(5, 8), (0, 20), (30, 31)])

    assert [offset for offset in range(40) if regions.cover(offset)] == [*range(20), 30]


MARKDOWN = st.lists(
    st.sampled_from(
        ["# h", "## h", "```", "~~~", "$$", "%%", "<!--", "-->", "> ", "- ", "a", " ", "\n", "---", "===", "`", "|"]
    )
).map("".join)


@given(st.one_of(MARKDOWN, st.text()))
def test_headings_and_protected_blocks_are_ordered_and_apart(text: str) -> None:
    outline = read_outline(text)
    spans = sorted([(h.start, h.end) for h in outline.headings] + [(p.start, p.end) for p in outline.protected])

    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    assert list(outline.headings) == sorted(outline.headings, key=lambda heading: heading.start)
    assert all(p.start <= p.content.start <= p.content.end <= p.end for p in outline.protected)


@given(
    st.text(alphabet="`a \n>-~") | st.lists(st.sampled_from(["`b`", "``", "`", "\n", "c d", "\n```\n"])).map("".join)
)
def test_plain_code_is_the_same_as_by_pairing_all_runs(text):
    protected = read_outline(text).protected
    with_other_runs = f"{text}\n\n``"  # so that all runs are paired; a run in a paragraph of its own closes none

    found = [span for span in code_spans(with_other_runs, protected) if span[1] <= len(text)]

    assert list(code_spans(text, protected)) == found


def test_plain_code_and_what_only_looks_like_it():
    text = "`a` and `b c` here, `open\n\n`d`\n"

    assert [text[start:end] for start, end in code_spans(text, ())] == ["`a`", "`b c`", "`d`"]
