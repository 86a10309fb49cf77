import pytest

from quarry.documents.note import ParserSettings, read_note
from quarry.errors import NoteNotFound
from quarry.index import MapOfContent, links, note_rows, notes
from quarry.index.keys import target_key
from quarry.index.links import MIN_LINKED, Namesakes, is_map
from quarry.types import Link

NOTES = ["Index.md", "a/Plan.md", "a/b/Plan.md", "c/Plan.md"]


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("Index", "a/Plan.md", "Index.md"),
        ("index.md", "a/Plan.md", "Index.md"),
        ("c/plan", "Index.md", "c/Plan.md"),
        ("b/Plan", "Index.md", "a/b/Plan.md"),
        ("/c/Plan", "a/Plan.md", "c/Plan.md"),
        ("./b/Plan", "a/Plan.md", "a/b/Plan.md"),
        ("../Plan", "a/b/Other.md", "a/Plan.md"),
        ("Plan", "c/Other.md", "c/Plan.md"),
        ("Plan", "Index.md", "a/Plan.md"),
        ("", "Index.md", "Index.md"),
        ("Nowhere", "Index.md", None),
        ("/b/Plan", "Index.md", None),
        ("x/Plan", "Index.md", None),
    ],
)
def test_a_link_leads_where_obsidian_leads(target, source, expected):
    candidates = [path for path in NOTES if target_key(path) == target_key(target)]

    assert Namesakes(candidates).resolve(target, source) == expected


def test_of_notes_that_are_as_near_the_first_by_path_is_meant():
    assert Namesakes(["b/Plan.md", "a/Plan.md", "a/x/Plan.md"]).resolve("Plan", "Index.md") == "a/Plan.md"
    assert Namesakes(["a/Plan.md", "A/plan.md"]).resolve("a/plan", "Index.md") == "A/plan.md"


def test_names_that_differ_by_an_accent_are_different_notes():
    assert Namesakes(["Résumé.md"]).resolve("resume", "x.md") is None


@pytest.fixture
def find(index, put, make_note):
    """Find a note among six by a name; its path."""
    put("Kubernetes/Pods.md", "one", title="Pods and containers", aliases=("Pod", "Kapsel"))
    put("Archive/Pods.md", "two", title="Old pods")
    put("Recipes/Sourdough rye.md", "three", title="Sourdough rye")
    put("Daily/1.md", "four", title="Monday")
    put("Daily/2.md", "five", title="Monday")
    put("Open-source and politics.md", "six", title="Emptiness")

    def path_of(name):
        with index.reader() as reader:
            return reader.find_note(name).path

    return path_of


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Kubernetes/Pods.md", "Kubernetes/Pods.md"),
        ("Kubernetes/Pods", "Kubernetes/Pods.md"),
        ("kubernetes/pods", "Kubernetes/Pods.md"),
        ("sourdough RYE", "Recipes/Sourdough rye.md"),
        ("Pods", "Archive/Pods.md"),  # as a link: the shortest path
        ("Pods and Containers", "Kubernetes/Pods.md"),
        ("kapsel", "Kubernetes/Pods.md"),
        ("[[Kubernetes/Pods]]", "Kubernetes/Pods.md"),
        ("[[Kubernetes/Pods#Life cycle|how they end]]", "Kubernetes/Pods.md"),
        ("![[sourdough rye#Oven]]", "Recipes/Sourdough rye.md"),
        ("Kubernetes/Pods#Life cycle", "Kubernetes/Pods.md"),
    ],
)
def test_a_path_a_link_a_title_or_an_alias_finds_it(find, name, path):
    assert find(name) == path


def test_a_title_of_several_notes_is_refused_with_their_paths(find):
    with pytest.raises(
        NoteNotFound, match=r"2 notes are called 'monday': do you mean 'Daily/1\.md' or 'Daily/2\.md'\?"
    ):
        find("monday")


@pytest.mark.parametrize("name", ["Recipes/Sourdogh rye.md", "sourdow rye", "Sourdough"])
def test_a_slip_of_the_finger_is_offered_the_note_it_is_most_like(find, name):
    with pytest.raises(NoteNotFound, match=r"did you mean 'Recipes/Sourdough rye\.md'"):
        find(name)


@pytest.mark.parametrize("name", ["", "xyzzyqqq", "/", "..", "\0", "nope", "templates"])
def test_what_is_like_nothing_is_offered_nothing(find, name):
    with pytest.raises(NoteNotFound) as refused:
        find(name)

    assert str(refused.value) == f"there is no note {name!r} in the index"


def test_links_are_followed_both_ways(put, index):
    put("Hub.md", "x", links=(Link("wiki", "leaf", "H", "L"), Link("embed", "Missing", None, None)))
    put("a/Leaf.md", "x", links=(Link("markdown", "../Hub.md", None, None), Link("wiki", "", "self", None)))
    put("b/Leaf.md", "x")

    with index.reader() as reader:
        forward = [(found.link.target, found.path) for found in reader.links_from("Hub.md")]
        own = [(found.link.target, found.path) for found in reader.links_from("a/Leaf.md")]
        back = {
            path: [found.source for found in reader.links_to(path)] for path in ("Hub.md", "a/Leaf.md", "b/Leaf.md")
        }

    assert forward == [("leaf", "a/Leaf.md"), ("Missing", None)]
    assert own == [("../Hub.md", "Hub.md"), ("", "a/Leaf.md")]
    assert back == {"Hub.md": ["a/Leaf.md"], "a/Leaf.md": ["Hub.md"], "b/Leaf.md": []}


def test_a_link_is_resolved_anew_when_notes_come_and_go(put, index):
    put("Hub.md", "x", links=(Link("wiki", "Leaf", None, None),))

    def target():
        with index.reader() as reader:
            return reader.links_from("Hub.md")[0].path

    assert target() is None
    put("deep/er/Leaf.md", "x")
    assert target() == "deep/er/Leaf.md"
    put("Leaf.md", "x")
    assert target() == "Leaf.md"
    index.remove("Leaf.md")
    assert target() == "deep/er/Leaf.md"


def test_names_that_share_a_number_are_told_apart(put, index, monkeypatch):
    for module in (notes, note_rows, links):
        monkeypatch.setattr(module, "target_number", lambda key: 7)
    put("Hub.md", "x", links=(Link("wiki", "Leaf", None, None), Link("wiki", "Other", None, None)))
    put("One.md", "x", links=(Link("wiki", "Other", None, None),))
    put("Leaf.md", "x")

    with index.reader() as reader:
        assert [found.source for found in reader.links_to("Leaf.md")] == ["Hub.md"]
        assert [found.path for found in reader.links_from("Hub.md")] == ["Leaf.md", None]


# --- maps of content ----------------------------------------------------------------------------

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
