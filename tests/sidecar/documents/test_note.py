"""A file becomes a note: title, tags, aliases, properties, links, chunks, and nothing secret in any of them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quarry.documents.note import ParserSettings, read_note
from quarry.messages import message
from quarry.types import Note

TOKEN = "gh" + "p_" + "A1b2C3d4E5" * 3 + "f6G7h8"


def read(text: str, path: str = "a/My note.md") -> Note:
    return read_note(path, text.encode(), ParserSettings())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Property\n---\n# Heading", "Property"),
        ("---\nTITLE: 2024\n---\n", "2024"),
        ("---\ntitle:\n---\ntext\n# **Heading**", "Heading"),
        ("## only h2\n```\n# no\n```", "My note"),
    ],
)
def test_the_title_is_the_property_else_the_first_h1_else_the_file_name(text: str, title: str) -> None:
    assert read(text).title == title


@pytest.mark.parametrize("lines", ["aliases: [One, Two]", "aliases: One, Two", "alias:\n  - One\n  - Two\n  - One"])
def test_aliases_however_written(lines: str) -> None:
    assert read(f"---\n{lines}\n---\n").aliases == ("One", "Two")


def test_properties_of_every_kind_are_kept() -> None:
    assert read("---\nstatus: no\nrating: 4.5\ndone: true\nby: [a, b]\n---\n").properties == {
        "status": "no",
        "rating": 4.5,
        "done": True,
        "by": ("a", "b"),
    }


@pytest.mark.parametrize(
    "text",
    [
        f"---\ntitle: {TOKEN}\ntags: [{TOKEN}]\naliases: {TOKEN}\nkey: {TOKEN}\n---\n",
        f"# {TOKEN}\n## {TOKEN}\n[[{TOKEN}|{TOKEN}]] [{TOKEN}]({TOKEN}.md) #{TOKEN}\n",
        f'```json\n{{"a": "{TOKEN}"}}\n```\n',
    ],
)
def test_a_secret_reaches_no_part_of_a_note(text: str) -> None:
    note = read(text, path=f"{TOKEN}.md")

    seen = msgspec.json.encode(replace(note, path="")).decode()
    assert TOKEN not in seen
    assert sum(note.redactions.values()) > 0


def test_a_secret_in_the_file_name_does_not_reach_the_title() -> None:
    assert TOKEN not in read("text", path=f"a/{TOKEN}.md").title


def test_of_a_generated_note_some_thousand_links_and_tags_are_kept_and_the_rest_is_a_problem() -> None:
    links, tags = (" ".join(form.format(number) for number in range(6_000)) for form in ("[[n{}]]", "#t{}"))

    note = read_note("n.md", f"{links} {tags}".encode(), ParserSettings())

    assert (len(note.links), len(note.tags)) == (5_000, 1_000)
    assert note.problems[-2:] == (
        message("reason.too-large.links", limit=5_000),
        message("reason.too-large.tags", limit=1_000),
    )


def test_a_file_over_the_limit_is_read_up_to_it_and_said() -> None:
    note = read_note("a.md", ("é" * 100).encode(), ParserSettings(max_bytes=101))

    assert note.chunks[0].text == "é" * 50
    assert note.problems[0].code == "reason.too-large.note"


@given(st.binary(max_size=400))
def test_any_bytes_become_a_note(data: bytes) -> None:
    note = read_note("a.md", data, ParserSettings())

    assert note.title
    assert note.chunks
