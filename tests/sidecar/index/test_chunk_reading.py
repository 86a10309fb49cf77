"""Chunks of several notes, read together."""

from collections.abc import Callable

import pytest

from quarry.errors import NoteNotFound
from quarry.index import Index, Reader, note_codec, note_rows
from quarry.index import chunk_reading as module


def ids_of(reader: Reader, path: str) -> tuple[int, ...]:
    stored = reader.note(path)
    assert stored is not None
    return stored.chunk_ids


def test_chunks_come_in_the_order_that_was_asked_for_without_those_that_are_gone(
    index: Index, put: Callable[..., object]
):
    put("a.md", "walnut", "hazel")
    put("b.md", "oak")

    with index.reader() as reader:
        (first, second), (other,) = ids_of(reader, "a.md"), ids_of(reader, "b.md")
        found = [*reader.each_chunk([second, other, 12345678, first])]

        assert [(chunk.path, chunk.text) for chunk in found] == [("a.md", "hazel"), ("b.md", "oak"), ("a.md", "walnut")]
        assert [text.splitlines()[-1:] for text in reader.passages([other, 12345678, second])] == [
            ["oak"],
            [],
            ["hazel"],
        ]


def test_a_note_is_decoded_once_for_all_its_chunks(index: Index, put: Callable[..., object], monkeypatch):
    decoded = []
    once = module._open
    monkeypatch.setattr(module, "_open", lambda row, *known: decoded.append(row.path) or once(row, *known))
    put("a.md", "walnut", "hazel", "oak")

    with index.reader() as reader:
        assert len([*reader.each_chunk(ids_of(reader, "a.md"))]) == 3
    assert decoded == ["a.md"]


def test_a_note_whose_passage_was_read_is_not_opened_again(index: Index, put: Callable[..., object], monkeypatch):
    opened = []
    once = note_codec.open_content
    monkeypatch.setattr(module, "open_content", lambda written: opened.append("passage") or once(written))
    monkeypatch.setattr(note_rows, "open_content", lambda written: opened.append("chunk") or once(written))
    put("a.md", "walnut", "hazel")
    put("b.md", "oak")

    with index.reader() as reader:
        first, second = ids_of(reader, "a.md")
        [other] = ids_of(reader, "b.md")
        opened.clear()
        reader.passages([first])
        chunks = reader.chunks([second, other])

    assert [chunk.text for chunk in chunks.values()] == ["hazel", "oak"]
    assert opened == ["passage", "chunk"]


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
