import pytest

from quarry.documents.note import ParserSettings, read_note
from quarry.index import MapOfContent
from quarry.index.maps import MIN_LINKED, is_map

LINKS = "\n".join(f"- [[note {number}]]" for number in range(MIN_LINKED))
PROSE = "Words that say what the author thinks of it, at some length. " * 5


def read(text: str, path: str = "a.md"):
    return read_note(path, text.encode(), ParserSettings())


@pytest.mark.parametrize(
    "text",
    [
        "#moc\n[[one]]",
        "---\ntags: [type/MOC]\n---\n[[one]] and " + PROSE,
        "---\nType: moc\n---\n[[one]]",
        "# Kitchen MOC\n[[one]]",
        "# MOC: kitchen\n[[one]]",
        "# Kitchen (map of content)\n[[one]]",
        f"---\ntype: map\n---\n{PROSE}\n{LINKS}",
        f"# Index\n{PROSE}\n{LINKS}",
        f"# Kitchen\nAll recipes.\n\n{LINKS}",
        "\n".join(f"{number}. [dish {number}](dish%20{number}.md): quick" for number in range(MIN_LINKED)),
        "\n".join(f"- [ ] **[[dish {number}]]**" for number in range(MIN_LINKED)),
    ],
)
def test_a_note_that_is_read_for_its_links_is_a_map(text: str):
    assert is_map(read(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#moc without a link",
        "# A map\n[[one]]",
        "# Body mass index\n[[one]]",
        "# Mocha\n" + LINKS.replace("- ", "see "),
        f"{PROSE}\n{LINKS}",
        "- [[one]]\n" * 2 * MIN_LINKED,
        "\n".join(f"- ![[image {number}]]" for number in range(MIN_LINKED)),
        "\n".join(f"- [site {number}](https://example.org/{number})" for number in range(MIN_LINKED)),
        "\n".join(f"[^{number}]: see [[note {number}]]" for number in range(MIN_LINKED)),
    ],
)
def test_other_notes_with_links_are_none(text: str):
    assert not is_map(read(text))


@pytest.fixture
def write(index, store):
    def write_note(path: str, text: str, old_path: str | None = None) -> None:
        store(index, read(text, path), old_path=old_path)

    return write_note


def maps(index, *paths: str) -> dict[str, list[str]]:
    with index.reader() as reader:
        return {path: [each.path for each in found] for path, found in reader.maps_listing(paths).items()}


def test_the_maps_that_link_to_a_note_are_listed_those_of_fewer_links_first(index, write):
    write("Home.md", "#moc\n[[Bread]] [[Soup]] [[Cake]]")
    write("Sweet MOC.md", "# Sweet things MOC\n[[Cake]] [[Bread]]")
    write("Cake MOC.md", "# Cake MOC\n[[Cake]]")
    write("Plain.md", "see [[Soup]]")
    for path in ("Bread.md", "Soup.md", "Cake.md", "Alone.md"):
        write(path, "words")

    assert maps(index, "Bread.md", "Soup.md", "Cake.md", "Alone.md", "Gone.md", "Home.md") == {
        "Bread.md": ["Sweet MOC.md", "Home.md"],
        "Soup.md": ["Home.md"],
        "Cake.md": ["Cake MOC.md", "Sweet MOC.md"],
    }
    with index.reader() as reader:
        assert reader.maps_listing(["Soup.md"])["Soup.md"] == (MapOfContent("Home.md", "Home"),)


def test_a_map_lists_the_note_that_its_link_leads_to_and_never_itself(index, write):
    write("a/MOC.md", "#moc\n[[Plan]] [[MOC]]")
    write("a/Plan.md", "words")
    write("b/Plan.md", "words")

    assert maps(index, "a/Plan.md", "b/Plan.md", "a/MOC.md") == {"a/Plan.md": ["a/MOC.md"]}


def test_maps_follow_what_is_saved_renamed_and_removed(index, write):
    write("Soup.md", "words")
    write("Home.md", "[[Soup]]")
    before = maps(index, "Soup.md")
    write("Home.md", "#moc [[Soup]]")
    declared = maps(index, "Soup.md")
    write("Start.md", "#moc [[Soup]]", old_path="Home.md")
    renamed = maps(index, "Soup.md")
    sound = index.verify(None, 9)
    index.remove("Start.md")

    assert sound == ([], None)
    assert (before, declared, renamed) == ({}, {"Soup.md": ["Home.md"]}, {"Soup.md": ["Start.md"]})
    assert maps(index, "Soup.md") == {}
