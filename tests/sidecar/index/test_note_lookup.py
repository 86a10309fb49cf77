"""A note by what a person calls it: a path, what a link says, a title, an alias."""

import pytest

from quarry.errors import NoteNotFound


@pytest.fixture
def find(index, put, make_note):
    """Find a note among five by a name; its path."""
    put("Kubernetes/Pods.md", "one", title="Pods and containers", aliases=("Pod", "Kapsel"))
    put("Archive/Pods.md", "two", title="Old pods")
    put("Recipes/Sourdough rye.md", "three", title="Sourdough rye")
    put("Daily/1.md", "four", title="Monday")
    put("Daily/2.md", "five", title="Monday")

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


@pytest.mark.parametrize("name", ["", "xyzzyqqq", "/", "..", "\0"])
def test_what_is_like_nothing_is_offered_nothing(find, name):
    with pytest.raises(NoteNotFound) as refused:
        find(name)

    assert str(refused.value) == f"there is no note {name!r} in the index"
