"""Notes are cut where the headings say, and every offset leads back to the note."""

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarry.documents.chunking import MIN_CHARS, skipped_sections
from quarry.documents.decoding import decode_note, utf16_length
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.markdown import read_outline
from quarry.documents.note import ParserSettings, read_note
from quarry.types import Note

LONG = "Rain fell on the quiet harbour all night and nobody came. "  # 58 characters


def read(text: str, **rules: object) -> Note:
    return read_note("folder/a note.md", text.encode(), ParserSettings(**rules))  # type: ignore[arg-type]


def texts(text: str, **rules: object) -> list[str]:
    return [chunk.text for chunk in read(text, **rules).chunks]


def section(title: str, characters: int = 100) -> str:
    return f"{title}\n" + (LONG * (characters // len(LONG) + 1))[:characters].strip() + "\n"


# --- where a note is cut -----------------------------------------------------------------------


def test_a_note_is_cut_at_its_h2_headings_and_knows_the_trail() -> None:
    note = read(section("# T") + section("## A") + section("### A1") + section("## B"))

    assert [chunk.heading_path for chunk in note.chunks] == [("T",), ("T", "A"), ("T", "B")]
    assert note.chunks[1].text.startswith("## A\n")
    assert "### A1" in note.chunks[1].text
    assert [chunk.number for chunk in note.chunks] == [0, 1, 2]


def test_the_query_of_a_live_block_is_not_text_of_the_note() -> None:
    block = "```quarry\nsticking key\nlimit: 4\n```\n"
    note = read(section("# T") + block + section("## A") + "```python\nkey\n```\n" + block + section("### A1") + block)

    assert [chunk.heading_path for chunk in note.chunks] == [("T",), ("T", "A"), ("T", "A", "A1")]
    assert not any("sticking" in chunk.text or "limit" in chunk.text for chunk in note.chunks)
    assert note.chunks[1].text.endswith("```python\nkey\n```")
    assert [chunk.text for chunk in read(block).chunks] == [""]


def test_short_text_on_both_sides_of_a_live_block_is_not_joined_over_it() -> None:
    assert texts("Open:\n\n```quarry\nkeys\n```\n\nDone.\n") == ["Open:", "Done."]


def test_text_before_the_first_h2_is_a_chunk_of_its_own() -> None:
    assert texts("A preamble that is long enough to stand.\n\n" + section("## A"))[0] == (
        "A preamble that is long enough to stand."
    )


def test_a_long_section_is_cut_at_h3_headings() -> None:
    note = read(section("## A", 900) + section("### A1", 900) + section("#### deeper", 300) + section("### A2", 900))

    assert [chunk.heading_path for chunk in note.chunks] == [("A",), ("A", "A1"), ("A", "A2")]
    assert "#### deeper" in note.chunks[1].text


def test_a_long_part_is_cut_between_paragraphs() -> None:
    paragraphs = [LONG * 12 + str(n) for n in range(5)]

    chunks = texts("## A\n" + "\n\n".join(paragraphs))

    assert [re.findall(r"\d", chunk) for chunk in chunks] == [["0", "1"], ["2", "3"], ["4"]]


def test_a_long_paragraph_is_cut_at_sentence_ends() -> None:
    chunks = texts("## A\n\n" + LONG * 100)

    assert all(chunk.endswith("came.") for chunk in chunks)
    assert all(len(chunk) <= 2000 for chunk in chunks)
    assert all(len(chunk) > 1800 for chunk in chunks[1:-1])


def test_text_without_any_end_is_cut_hard() -> None:
    chunks = texts("x" * 5_000)

    assert "".join(chunks) == "x" * 5_000
    assert all(MIN_CHARS <= len(chunk) <= 2_000 for chunk in chunks)


def test_a_hard_cut_spares_emoji() -> None:
    family = "👩\u200d👩\u200d👧"

    assert all(chunk.startswith("👩") and chunk.endswith("👧") for chunk in texts(family * 1_000))


@pytest.mark.parametrize(
    "block",
    [
        "```py\n" + "x = 1\n\n" * 150 + "```",
        "\n".join("| cell | cell |" for _ in range(70)),
        "> [!note] Callout\n" + "\n".join("> a line. Of it." for _ in range(60)),
        "- an item\n" + "\n\n".join("  - with a child. And more" for _ in range(38)),
        "$$\n" + "x = y\n\n" * 140 + "$$",
    ],
)
def test_a_block_that_fits_is_kept_whole(block: str) -> None:
    before, after = LONG * 25, LONG * 25

    chunks = texts(f"## A\n\n{before}\n\n{block}\n\n{after}")

    assert sum(block in chunk for chunk in chunks) == 1


def test_a_block_that_does_not_fit_is_cut_at_its_lines() -> None:
    rows = [f"| row {n} | of a long table |" for n in range(200)]

    chunks = texts("\n".join(rows))

    assert "\n".join(chunks).split("\n") == rows
    assert len(chunks) > 1


def test_a_subheading_goes_with_what_follows_it() -> None:
    chunks = texts("## A\n\n" + LONG * 33 + "\n\n#### Next\n\n" + LONG * 10)

    assert [chunk.startswith("#### Next") for chunk in chunks] == [False, True]


def test_small_sections_join_a_neighbour() -> None:
    note = read(
        "# T\n"
        + section("## A")
        + "## B\ntiny\n"
        + section("## C")
        + "## D\n"
        + section("### D1", 1_500)
        + section("### D2", 1_500)
    )

    assert [chunk.heading_path for chunk in note.chunks] == [("T", "A"), ("T", "C"), ("T", "D", "D1"), ("T", "D", "D2")]
    assert note.chunks[0].text.startswith("# T\n## A")
    assert note.chunks[0].text.endswith("## B\ntiny")
    assert note.chunks[2].text.startswith("## D\n### D1")


def test_a_heading_sign_in_a_fence_cuts_nothing() -> None:
    assert len(texts(section("## A") + "```sh\n## install\n```\n" + LONG)) == 1


# --- what is left out, and what never is -------------------------------------------------------


def test_sections_of_links_are_left_out_with_what_is_below_them() -> None:
    note = read(
        section("## A")
        + section("## See Also:")
        + section("### below")
        + section("## B")
        + section("### Links")
        + section("### C", 90)
    )

    assert [chunk.heading_path for chunk in note.chunks] == [("A",), ("B",), ("B", "C")]


def test_which_sections_are_left_out_is_a_setting() -> None:
    assert len(texts(section("## A") + section("## Related"), skip_sections=())) == 2


def test_a_note_called_links_is_not_left_out() -> None:
    assert texts("# Links\n" + LONG) == ["# Links\n" + LONG.strip()]


@pytest.mark.parametrize("text", ["Call dentist", "# x", "  a  "])
def test_a_short_note_can_be_found(text: str) -> None:
    assert texts(text) == [text.rstrip()]


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntitle: A\n---\n", "## Related\n- [[a]]\n"])
def test_a_note_without_text_has_one_chunk_that_its_title_finds(text: str) -> None:
    (chunk,) = read(text).chunks

    assert chunk.text == ""
    assert chunk.context.split("\n")[0] in ("a note", "A")


def test_more_chunks_than_allowed_are_left_out_and_said() -> None:
    note = read("".join(section(f"## {n}") for n in range(10)), max_chunks=4)

    assert len(note.chunks) == 4
    assert "first 4 of its 10" in str(note.problems[0])


# --- what chunks are also found by -------------------------------------------------------------


def test_data_blocks_are_found_flattened_in_their_chunk() -> None:
    note = read(section("## A") + section("## B") + '```json\n{"server": {"port": 8080}}\n```\n')

    assert [chunk.context.split("\n")[1:] for chunk in note.chunks] == [[], ["server.port: 8080"]]


def test_other_properties_are_found_with_the_first_chunk() -> None:
    note = read(
        "---\ntitle: T\ntype: howto\ntags: [x, y]\naliases: [Z]\nsource:\n  url: u\n---\n"
        + section("## A")
        + section("## B")
    )

    assert [chunk.context for chunk in note.chunks] == ["T | howto | x, y | Z\nsource.url: u", "T | howto | x, y | Z"]


# --- offsets -----------------------------------------------------------------------------------


def test_a_jump_in_a_crlf_note_lands_where_the_editor_counts() -> None:
    lines = ["\ufeff# T😀", "", "## A", "Text that is longer than thirty.", "## B", "More that is longer than thirty."]
    data = "\r\n".join(lines).encode()
    chunk = read_note("a.md", data, ParserSettings()).chunks[-1]

    editor = decode_note(data)
    assert editor[chunk.start : chunk.end] == chunk.text
    assert editor[: chunk.start].count("\n") == chunk.line == 4
    assert chunk.start_utf16 == chunk.start + 1  # the emoji counts twice


PIECES = st.sampled_from(
    [
        "# H\n",
        "## A\n",
        "### B\n",
        "## Related\n",
        "```\n",
        "$$\n",
        "<!--",
        "-->",
        "- item\n",
        "| a |\n",
        "> q\n",
        "\r\n",
        "\r",
        "\n\n",
        " ",
        "\t",
        "text. ",
        "é",
        "中。",
        "😀",
        LONG * 5,
        "x" * 700,
        "---\n",
        "a: b\n",
    ]
)
MARKDOWN = st.lists(PIECES, max_size=40).map(lambda pieces: "".join(pieces).encode())


@given(
    st.one_of(
        MARKDOWN,
        st.binary(max_size=300),
        st.text().map(lambda text: b"\xff\xfe" + text.encode("utf-16-le", "surrogatepass")),
    )
)
@example(b"\xef\xbb\xbf\r\r\n## \xff\xfe\r")
def test_offsets_give_back_the_text_as_decoded_for_any_bytes(data: bytes) -> None:
    decoded = decode_note(data)
    chunks = read_note("a.md", data, ParserSettings()).chunks

    assert chunks
    for chunk in chunks:
        assert decoded[chunk.start : chunk.end] == chunk.text
        assert chunk.start_utf16 == utf16_length(decoded[: chunk.start])
        assert chunk.line == decoded.count("\n", 0, chunk.start)
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    assert all(before.end <= after.start for before, after in itertools.pairwise(chunks))


@given(MARKDOWN)
def test_chunks_are_bounded_and_hold_all_text_that_is_not_left_out(data: bytes) -> None:
    note = read_note("a.md", data, ParserSettings(skip_sections=()))
    decoded = decode_note(data)

    body = decoded[read_front_matter(decoded).body_start :]
    assert "".join("".join(chunk.text.split()) for chunk in note.chunks) == "".join(body.split())
    assert all(len(chunk.text) <= 2_000 for chunk in note.chunks)


@pytest.mark.slow
def test_a_note_of_live_blocks_and_one_of_skipped_sections_are_read_to_their_end() -> None:
    blocks, sections = "```quarry\nx\n```\n## A\n" * 60_000, "## Links\nx\n" * 200_000

    assert len(read(blocks + LONG).chunks) == 2_000
    assert len(list(skipped_sections(sections, read_outline(sections).headings, ("Links",)))) == 200_000


def test_the_sections_left_out_are_those_without_a_chunk():
    text = "# Links\na\n## Links:\nb\n### c\nd\n## e\nf\n# See also\ng"
    found = skipped_sections(text, read_outline(text).headings, ("links", "See also"))

    assert [(title, text[start:end]) for title, start, end in found] == [
        ("Links:", "## Links:\nb\n### c\nd\n"),
        ("See also", "# See also\ng"),
    ]
