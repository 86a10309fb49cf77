"""Chunks of several notes, read together."""

from collections.abc import Callable

from quarry.index import Index, Reader
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
    monkeypatch.setattr(module, "_open", lambda row, content: decoded.append(row.path) or once(row, content))
    put("a.md", "walnut", "hazel", "oak")

    with index.reader() as reader:
        assert len([*reader.each_chunk(ids_of(reader, "a.md"))]) == 3
    assert decoded == ["a.md"]
