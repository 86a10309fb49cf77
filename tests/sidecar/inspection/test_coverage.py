"""Counts by folder, from values alone."""

from quarry.index import IndexedFile
from quarry.inspection.coverage import coverage
from quarry.messages import message
from quarry.types import FileSeen
from quarry.vault.scan import Scan


def covered(paths, **options):
    scan = Scan(files={path: FileSeen(1, 2, 3) for path in paths})
    indexed = [IndexedFile(number, path, 1, 2, 3) for number, path in enumerate(paths)]
    rest = {"shown": None, "without_vectors": (), "problems": (), "excluded": {}}
    return coverage(scan, indexed, **{**rest, **options})


def test_a_folder_whose_name_begins_like_another_is_another():
    found = covered(["a/1.md", "a b/2.md", "a-b/3.md", "ab.md"])

    assert [note.path for note in found.notes_in("a", None, below=True)] == ["a/1.md"]
    assert [folder.path for folder in found.folders_in("", None)] == ["a", "a b", "a-b"]


def test_two_compositions_of_a_path_are_one_note_on_the_wire():
    found = covered(["caf\u00e9/a.md", "cafe\u0301/a.md"])

    assert [note.path for note in found.notes] == ["caf\u00e9/a.md"]
    assert found.folder("").counts.indexed == 1


def test_notes_without_vectors_and_hidden_ones_are_counted_in_every_folder_above():
    counts = covered(["a/b/1.md", "a/b/2.md"], shown={1}, without_vectors={0}).folder("a").counts

    assert (counts.indexed, counts.hidden, counts.without_vectors) == (1, 1, 1)


def test_a_large_vault_with_thousands_of_deep_folders_is_counted_at_once():
    deep = ["/".join(["d"] * depth) + "/n.md" for depth in range(1, 1500)]
    wide = [f"w/{number % 3000}/{number}.md" for number in range(20_000)]
    refused = message("reason.folders-exclude", entry="x")
    found = covered([*deep, *wide])

    assert found.folder("").counts.indexed == 21_499
    assert found.folder("d/d").counts.indexed == 1498
    assert len(found.folders_in("w", "indexed")) == 3000
    excluded = coverage(
        Scan(excluded={"x/a.md": refused}), [], shown=None, without_vectors=(), problems=(), excluded={}
    )
    assert excluded.folder("x").counts.excluded == 1
