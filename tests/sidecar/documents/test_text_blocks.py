"""A long stretch is divided at its blocks, and nothing of it is lost."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.markdown import read_outline
from quarry.documents.text_blocks import MAX_CHARS, split_blocks, trim

PIECES = st.sampled_from(
    [
        "# h\n",
        "```\n",
        "~~~\n",
        "$$\n",
        "<!-- c -->",
        "- item\n",
        "  - child\n",
        "\t1. one\n",
        "| a |\n",
        "> q\n",
        "\n\n",
        " " * 90,
        "text. ",
        "colon:\n",
        "w" * 900,
        "s. " * 400,
        "[REDACTED:x]" * 200,
    ]
)


def test_trimming_takes_blank_lines_and_keeps_the_indentation() -> None:
    text = "x\n \n\n    - item  \n\n"

    assert text[slice(*trim(text, 1, len(text)))] == "    - item"
    assert trim("a \n ", 1, 4) == (1, 1)


def test_a_tail_too_short_takes_company() -> None:
    paragraphs = ["a" * 1_000, "b" * 990, "c" * 9]
    text = "\n\n".join(paragraphs)

    pieces = [text[start:end] for start, end in split_blocks(text, 0, len(text), (), 30)]

    assert pieces == ["a" * 1_000, "b" * 990 + "\n\n" + "c" * 9]


@given(st.lists(PIECES, max_size=40).map("".join))
def test_everything_that_is_no_space_is_in_one_piece(text: str) -> None:
    spans = split_blocks(text, 0, len(text), read_outline(text).protected, 30)

    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(0 < end - start <= MAX_CHARS for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_marker_is_cut(text: str) -> None:
    spans = split_blocks(text, 0, len(text), read_outline(text).protected, 30)

    assert sum(text[start:end].count("[REDACTED:x]") for start, end in spans) == text.count("[REDACTED:x]")
