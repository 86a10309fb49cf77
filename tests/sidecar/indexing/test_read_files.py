"""Files that are not as they should be: drawings, too large, unreadable, gone while being looked at."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import (
    HashEncoder,
    Vault,
    find,
    modified,
    paths,
    problems,
    refuse,
    tell,
)

from quarry.config import MAX_NOTE_BYTES, MAX_NOTE_CHUNKS
from quarry.errors import NoteNotFound
from quarry.index import Index
from quarry.indexing import preparation
from quarry.indexing.indexer import Indexer
from quarry.indexing.preparation import MissedFile, NoteFile, read_one
from quarry.search.note_reader import find_indexed_note, read_whole_note
from quarry.vault.file_reader import HEAD_BYTES, FileContent, FileUnreadable, read_file
from quarry.vault.scan import NOT_A_FILE

MANY = 40  # over the floor below which a mass removal is believed


def vanish(wanted: set[str]) -> Callable[..., FileContent]:
    """A `read_file` just before which the files at these paths go."""

    def read(root: Path, path: str, *rest: Any) -> FileContent:
        if path in wanted:
            (root / path).unlink(missing_ok=True)
        return read_file(root, path, *rest)

    return read


def test_drawings_and_boards_are_left_out_and_counted(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write("Drawing.md", "---\nexcalidraw-plugin: parsed\n---\nwalnut")
    vault.write("Board.md", "---\nkanban-plugin: board\n---\nwalnut")
    vault.write("Note.md", "walnut")
    vault.write(".indexignore", "/Private\n")
    vault.write("Private/secret.md", "walnut")
    engine = open_engine()

    assert find(engine, "walnut") == ["Note.md"]
    assert engine.status().excluded == 3
    assert not any("parsed" in text for text in encoder.embedded)

    tell(engine, vault.remove("Board.md"))
    assert engine.status().excluded == 2


def test_a_note_that_becomes_a_drawing_leaves_and_comes_back(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()

    vault.write("a.md", "---\nexcalidraw-plugin: parsed\n---\nwalnut")
    tell(engine, modified("a.md"))
    assert find(engine, "walnut") == []
    assert engine.status().excluded == 1

    vault.write("a.md", "walnut again")
    tell(engine, modified("a.md"))
    assert find(engine, "walnut") == ["a.md"]
    assert engine.status().excluded == 0


@pytest.mark.parametrize("sensitivity", ["sensitive", "Restricted", "top-secret", "[internal, secret]"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_sensitive_note_is_never_embedded_or_found_and_leaves_the_index(
    vault: Vault, encoder: HashEncoder, open_engine, sensitivity: str, encoding: str
):
    front = f"---\nsensitivity: {sensitivity}\n---\n"
    vault.write("Diagnosis.md", f"{front}# Diagnosis\n\nptarmigan".encode(encoding))
    vault.write("Note.md", "---\nsensitivity: internal\n---\nptarmigan")
    vault.write("Later.md", "ptarmigan")
    engine = open_engine()

    found = find(engine, "ptarmigan")
    vault.write("Later.md", f"{front}ptarmigan".encode(encoding))
    tell(engine, modified("Later.md"))

    assert sorted(found) == ["Later.md", "Note.md"]
    assert find(engine, "ptarmigan") == find(engine, "Diagnosis ptarmigan") == ["Note.md"]
    assert not any("Diagnosis" in text for text in encoder.embedded)
    assert engine.status().excluded == 2
    assert engine.inspector.note("Diagnosis.md").reasons[0].code == "reason.sensitivity"


def test_a_note_that_has_just_become_sensitive_is_not_read_out(vault: Vault, open_engine):
    vault.write("Later.md", "ptarmigan")
    engine = open_engine()
    with engine.reader() as reader:
        indexed = find_indexed_note(reader, "Later.md")
    vault.write("Later.md", "---\nsensitivity: restricted\n---\nptarmigan")

    with pytest.raises(NoteNotFound, match="data class"):
        read_whole_note(vault.root, indexed)


def test_of_a_drawing_no_more_than_the_head_is_read_and_that_once(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write("Drawing.md", b"---\nexcalidraw-plugin: parsed\n---\n" + b"x" * 10**6)
    read: list[int] = []
    real = preparation.read_file

    def spy(root: Path, path: str, *rest: Any):
        content = real(root, path, *rest)
        read.append(len(content.data))
        return content

    monkeypatch.setattr(preparation, "read_file", spy)
    indexer.reconcile(index)
    assert read == [HEAD_BYTES]

    outcome = indexer.reconcile(index)
    assert read == [HEAD_BYTES]
    assert not outcome.changed_notes


def test_a_long_note_whose_text_speaks_of_plugins_is_read_whole_and_its_front_matter_once(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write("a.md", "excalidraw-plugin: is what I write about\n" + "filler text. " * 10_000 + "walnut")
    parsed: list[str] = []
    real = preparation.refused_class
    monkeypatch.setattr(preparation, "refused_class", lambda text: (parsed.append(text), real(text))[1])

    indexer.reconcile(index)

    with index.reader() as reader:
        assert reader.note("a.md").note.chunks[-1].text.endswith("walnut")
    assert len(parsed) == 1


def test_an_unreadable_file_keeps_its_note_and_is_reported(vault: Vault, index: Index, indexer: Indexer, monkeypatch):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    vault.write("a.md", "oak tree")
    with monkeypatch.context() as patch:
        patch.setattr(preparation, "read_file", refuse("a.md", FileUnreadable("a.md", NOT_A_FILE)))
        indexer.reconcile(index)

        assert paths(index) == ["a.md", "b.md"]
        assert [(p.path, p.skipped) for p in problems(index, 9)] == [("a.md", False)]

    indexer.reconcile(index)
    assert problems(index, 9) == []


def test_an_unreadable_new_file_is_reported_as_skipped_and_tried_again(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({"a.md": "walnut"})
    with monkeypatch.context() as patch:
        patch.setattr(preparation, "read_file", refuse("a.md", FileUnreadable("a.md", NOT_A_FILE)))
        outcome = indexer.reconcile(index)

        assert not outcome.changed_notes
        assert [(p.path, p.skipped) for p in problems(index, 9)] == [("a.md", True)]

    indexer.reconcile(index)
    assert paths(index) == ["a.md"]
    assert problems(index, 9) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_keeps_its_note(vault: Vault, open_engine):
    file = vault.write("a.md", "walnut")
    engine = open_engine()
    vault.write("a.md", "cherry")
    file.chmod(0)

    tell(engine, modified("a.md"))

    assert find(engine, "walnut") == ["a.md"]
    file.chmod(0o600)


def test_a_file_that_vanishes_between_scan_and_read_leaves_the_index(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    vault.write_all({"a.md": "oak tree", "new.md": "pear"})
    monkeypatch.setattr(preparation, "read_file", vanish({"a.md", "new.md"}))

    outcome = indexer.reconcile(index)

    assert paths(index) == ["b.md"]
    assert outcome.removed == 1
    assert problems(index, 9) == []


def test_a_file_that_vanishes_before_it_is_stored_leaves_the_index(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    monkeypatch.setattr(preparation, "read_file", vanish({"a.md"}))

    indexer.reconcile(index, everything=True)

    assert paths(index) == ["b.md"]


def test_a_drive_that_is_lost_in_the_middle_of_a_run_removes_nothing(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(MANY)})
    indexer.reconcile(index)
    monkeypatch.setattr(preparation, "read_file", vanish(set(paths(index))))

    outcome = indexer.reconcile(index, everything=True)

    assert outcome.held_back == MANY
    assert len(paths(index)) == MANY


def test_one_note_that_cannot_be_understood_does_not_hold_up_the_others(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({"a.md": "walnut", "bad.md": "x", "c.md": "cherry"})
    real = preparation.read_note
    monkeypatch.setattr(preparation, "read_note", lambda path, *rest: real(path, *rest) if path != "bad.md" else 1 // 0)

    indexer.reconcile(index)

    assert paths(index) == ["a.md", "c.md"]
    assert "ZeroDivisionError" in str(problems(index, 9)[0].reason)


def test_a_note_that_cannot_be_stored_is_reported_and_the_rest_goes_on(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({"a.md": "walnut", "bad.md": "x", "c.md": "cherry"})
    real = index.upsert

    def upsert(note, *rest, **options):
        if note.path == "bad.md":
            raise ValueError("note 'bad.md' holds text that is no Unicode")
        real(note, *rest, **options)

    monkeypatch.setattr(index, "upsert", upsert)
    indexer.reconcile(index)

    assert paths(index) == ["a.md", "c.md"]
    assert [(p.path, p.skipped) for p in problems(index, 9)] == [("bad.md", True)]


@pytest.mark.slow
def test_a_note_over_the_size_limit_is_indexed_up_to_there_and_says_so(vault: Vault, open_engine):
    line = b"walnut " + b"x" * 1016 + b"\n"
    vault.write("big.md", line * (MAX_NOTE_BYTES // len(line) + 1) + b"cherry\n")
    engine = open_engine()

    assert find(engine, "walnut", mode="keyword") == ["big.md"]
    assert find(engine, "cherry", mode="keyword") == []
    assert any("10 MB" in str(problem.reason) for problem in engine.status().problems)


@pytest.mark.slow
def test_a_note_over_the_chunk_limit_says_so(vault: Vault, open_engine):
    vault.write(
        "many.md",
        "\n".join(f"## Part {n}\nwalnut number {n} and more of it" for n in range(MAX_NOTE_CHUNKS + 5)),
    )
    engine = open_engine()

    assert engine.status().chunks == MAX_NOTE_CHUNKS
    assert engine.status().problem_count == 1


def test_a_file_is_hashed_over_what_may_be_indexed_of_it(vault: Vault):
    vault.write("big.md", b"x" * (MAX_NOTE_BYTES + 10))

    file = read_one(vault.root, "big.md")

    assert isinstance(file, NoteFile)
    assert (len(file.data), file.stamp.size_bytes) == (MAX_NOTE_BYTES + 1, MAX_NOTE_BYTES + 10)
    assert isinstance(read_one(vault.root, "none.md"), MissedFile)


def test_stamps_carry_no_bytes(vault: Vault):
    vault.write("a.md", "walnut")

    [found] = preparation.read_stamps(vault.root, ["a.md"])

    assert isinstance(found, preparation.NoteFile)
    assert found.data == b""
    assert found.stamp.size_bytes == 6


@pytest.mark.parametrize("length", [1, HEAD_BYTES])
def test_a_saved_note_is_opened_and_read_once(vault: Vault, index: Index, indexer: Indexer, monkeypatch, length: int):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    vault.write("a.md", "oak tree " * length)
    read: list[str] = []
    real = preparation.read_file
    monkeypatch.setattr(
        preparation, "read_file", lambda root, path, *rest: (read.append(path), real(root, path, *rest))[1]
    )

    assert indexer.apply(index, [modified("a.md")]).upserted == 1
    assert read == ["a.md"]
