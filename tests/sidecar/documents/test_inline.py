"""Links are found as written and lead where Obsidian would lead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.inline import MAX_CHARS, flatten_block, flatten_properties
from quarry.documents.note import ParserSettings, read_note
from quarry.types import Link


def links(text: str) -> tuple[Link, ...]:
    return read_note("a.md", text.encode(), ParserSettings()).links


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


def tags(text: str) -> tuple[str, ...]:
    return read_note("a.md", text.encode(), ParserSettings()).tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#todo", ("todo",)),
        ("a #work/project-x, (#b_c) **#d** #e.", ("work/project-x", "b_c", "d", "e")),
        ("#größe #日本語 #🌱garden #👩\u200d🚀", ("größe", "日本語", "🌱garden", "👩\u200d🚀")),
        ("#1984 #y1984 #1984/x #--", ("y1984", "1984/x")),
        ("# heading #in-heading\n## b\n#c", ("in-heading", "c")),
        ("`#code` #real\n```\n#fenced\n```\n    text", ("real",)),
        ('https://x.example/#frag [l](#anchor) [l](a.md#b) [[#h]] [[a #b]] [[a#c]] <a href="#d">', ()),
        ("C# a#b &#39; ##x", ()),
        ("%% #hidden %% #seen", ("seen",)),
        ("text #a #A #a", ("a",)),
    ],
)
def test_inline_tags(text: str, found: tuple[str, ...]) -> None:
    assert tags(text) == found


@pytest.mark.parametrize(
    "line", ["tags: [a, b/c]", "tags: a, b/c", "tags: a b/c", "tags: '#a #b/c'", "Tags:\n- '#a'\n- b/c/", "tag: a, b/c"]
)
def test_front_matter_tags_however_written(line: str) -> None:
    assert tags(f"---\n{line}\n---\n#c") == ("a", "b/c", "c")


def test_json_is_flattened_with_the_keys_above() -> None:
    source = '{"server": {"port": 8080, "tls": true}, "hosts": ["a", {"name": "b"}], "none": null, "s": "two\\nlines"}'

    assert flatten_block("json", source) == (
        "server.port: 8080",
        "server.tls: true",
        "hosts: a",
        "hosts.name: b",
        "s: two lines",
    )


def test_yaml_is_flattened_with_the_keys_above() -> None:
    assert flatten_block("yml", "services:\n  web:\n    image: nginx\n    ports:\n      - 80\n      - 443\n") == (
        "services.web.image: nginx",
        "services.web.ports: 80, 443",
    )


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("json", "{// no\n}"),
        ("json", "[" * 100_000),
        ("json", "9" * 5_000),
        ("json", '{"a": ' + "[1," * 70_000),
        ("py", "a: 1"),
        ("json", "[1, 2]"),
    ],
)
def test_what_cannot_be_flattened_gives_nothing(language: str, source: str) -> None:
    assert flatten_block(language, source) == ()


def test_lines_are_bounded() -> None:
    lines = flatten_properties({f"key{n}": "v" * 500 for n in range(50)})

    assert sum(len(line) + 1 for line in lines) <= MAX_CHARS
    assert all(len(line) < 320 for line in lines)


@given(st.sampled_from(["json", "yaml"]), st.text(alphabet='{}[]":,a1 \n-'))
def test_any_block_is_read_without_an_error(language: str, source: str) -> None:
    assert all("\n" not in line for line in flatten_block(language, source))
