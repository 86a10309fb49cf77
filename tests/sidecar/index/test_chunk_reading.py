"""Chunks of several notes, read together."""

from collections.abc import Callable

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
