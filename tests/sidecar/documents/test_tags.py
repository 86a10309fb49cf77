"""Tags are what Obsidian takes for tags."""

import pytest

from quarry.documents.note import read_note
from quarry.documents.reading_rules import ReadingRules


def tags(text: str) -> tuple[str, ...]:
    return read_note("a.md", text.encode(), ReadingRules()).tags


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
