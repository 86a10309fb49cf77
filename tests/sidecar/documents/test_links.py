"""Links are found as written and lead where Obsidian would lead."""

import pytest

from quarry.documents.note import read_note
from quarry.documents.reading_rules import ReadingRules
from quarry.types import Link


def links(text: str) -> tuple[Link, ...]:
    return read_note("a.md", text.encode(), ReadingRules()).links


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Note]]", Link("wiki", "Note", None, None)),
        ("[[dir/Note#Head ing|label]]", Link("wiki", "dir/Note", "Head ing", "label")),
        ("[[#Here]]", Link("wiki", "", "Here", None)),
        ("[[Note#^block]]", Link("wiki", "Note", "^block", None)),
        ("| [[Note\\|in a table]] |", Link("wiki", "Note", None, "in a table")),
        ("![[Note]]", Link("embed", "Note", None, None)),
        ("[label](my%20note.md#a%20b)", Link("markdown", "my note.md", "a b", "label")),
        ('[l](<my note.md> "title")', Link("markdown", "my note.md", None, "l")),
        ("[l](../x/note)", Link("markdown", "../x/note", None, "l")),
        ("[l](a_(b).md)", Link("markdown", "a_(b).md", None, "l")),
        ("[a [b] c](d.md)", Link("markdown", "d.md", None, "a [b] c")),
        ("[[v1.2 notes]]", Link("wiki", "v1.2 notes", None, None)),
        ("---\nup: [[Home]]\n---\n", Link("wiki", "Home", None, None)),
        ("## Related\n- [[Other]]", Link("wiki", "Other", None, None)),
    ],
)
def test_a_link_is_read_as_written(text: str, link: Link) -> None:
    assert links(text) == (link,)


@pytest.mark.parametrize(
    "text",
    [
        "`[[code]]`",
        "```\n[[code]] [a](b.md)\n```",
        "<!-- [[comment]] --> text %% [[comment]] %%",
        "[x](https://example.org/a.md) [m](mailto:a@b.example) [o](obsidian://open) [p](//host/x.md)",
        "![[image.png]] ![i](image.jpeg) [f](report.pdf)",
        "[[ ]] [[|x]] [[a\nb]] ](x.md)",
    ],
)
def test_what_is_no_link_to_a_note(text: str) -> None:
    assert links(text) == ()


def test_links_stand_in_the_order_of_the_text() -> None:
    assert [link.target for link in links("[a](a.md) [[b]] [c](c.md) ![[d]]")] == ["a.md", "b", "c.md", "d"]
