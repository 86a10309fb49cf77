"""A walk and the index are laid side by side; nothing is opened, and nothing written where nothing is new."""

import errno
import os
import sys
import unicodedata

import pytest
from builders import (
    HashEncoder,
    Vault,
    find,
    modified,
    paths,
    problems,
    settle,
    shut,
    tell,
    wait_until,
)
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import VaultMissing
from quarry.index import Index
from quarry.indexing.diff import (
    MASS_REMOVAL_FLOOR,
    DiskState,
    SyncPlan,
    VaultDiff,
    diff_listing,
    diff_vault,
    is_mass_removal,
    plan_sync,
    with_everything,
)
from quarry.indexing.indexer import Indexer
from quarry.indexing.preparation import ExcludedFile
from quarry.indexing.reasons import DRAWING
from quarry.types import FileSeen, FileStamp, VaultChange
from quarry.vault.rules import Rules


@pytest.fixture
def seen(vault: Vault, index: Index):
    excluded: dict[str, ExcludedFile] = {}
    disk = DiskState(vault.root, Rules(), excluded)

    def see(**options: bool) -> VaultDiff:
        return diff_vault(disk, index, **options)

    see.excluded = excluded  # type: ignore[attr-defined]
    return see


def test_an_index_that_equals_its_vault_differs_in_nothing(vault: Vault, index: Index, indexer: Indexer, seen):
    vault.write_all({"a.md": "walnut", "Folder/b.md": "cherry"})
    indexer.reconcile(index)

    found = seen()

    assert found.is_empty
    assert set(found.known) == set(found.listing.same) == {"a.md", "Folder/b.md"}


def test_what_is_new_touched_or_gone_is_told(vault: Vault, index: Index, indexer: Indexer, seen):
    vault.write_all({"a.md": "walnut", "b.md": "cherry", "c.md": "plum"})
    indexer.reconcile(index)
    vault.write("a.md", "walnut and more")
    vault.remove("b.md")
    vault.write("d.md", "pear")

    found = seen()

    assert not found.is_empty
    assert (found.listing.touched, found.listing.gone, found.listing.new) == (("a.md",), ("b.md",), ("d.md",))


def test_a_drawing_that_was_found_out_is_looked_at_only_when_asked(vault: Vault, index: Index, seen):
    vault.write("d.md", "a drawing")
    seen.excluded["d.md"] = ExcludedFile("d.md", seen().scan.files["d.md"], DRAWING)

    assert seen().is_empty
    assert seen(with_excluded=True).listing.new == ("d.md",)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_what_is_skipped_is_put_on_record_once(vault: Vault, index: Index, seen, monkeypatch):
    vault.write("a.md", "walnut")
    (vault.root / "link.md").symlink_to("/nowhere")
    seen()
    assert [problem.path for problem in problems(index, 9)] == ["link.md"]

    monkeypatch.setattr(index, "replace_skipped", None)
    assert seen().scan.skipped

    monkeypatch.undo()
    (vault.root / "link.md").unlink()
    seen()
    assert not problems(index, 9)


def test_a_vault_that_is_not_there_is_no_empty_one(vault: Vault, seen):
    vault.root.rmdir()

    with pytest.raises(VaultMissing):
        seen()


# --- the plan ---------------------------------------------------------------------------------------


def file(content: bytes, mtime_ns: int = 1) -> FileSeen:
    return FileSeen(len(content), mtime_ns)


def stamp(content: bytes, mtime_ns: int = 1) -> FileStamp:
    return FileStamp(len(content), mtime_ns, content)  # the content stands for its own hash


NONE: dict[str, FileStamp] = {}


@pytest.mark.parametrize(
    ("stamps", "disk", "read", "work"),
    [
        ({"a": stamp(b"x")}, {"a": file(b"x")}, NONE, SyncPlan()),
        ({"a": stamp(b"x", 1)}, {"a": file(b"x", 2)}, {"a": stamp(b"x", 2)}, SyncPlan(restamp=("a",))),
        ({"old": stamp(b"x")}, {"new": file(b"x")}, {"new": stamp(b"x")}, SyncPlan(rename=(("old", "new"),))),
        ({"a": stamp(b"x")}, {"a": file(b"x"), "b": file(b"x")}, {"b": stamp(b"x")}, SyncPlan(upsert=("b",))),
        ({"a": stamp(b"x", 1)}, {"a": file(b"xy", 2)}, NONE, SyncPlan()),
        (NONE, {"a": file(b"x")}, NONE, SyncPlan(upsert=("a",))),
        ({"a": stamp(b"x")}, {"a": file(b"y")}, {"a": stamp(b"y")}, SyncPlan(upsert=("a",))),
    ],
    ids=[
        "a file with the same size and time is not looked at",
        "a touched file with the same bytes is only stamped anew",
        "the bytes of a gone note under a new path are a rename",
        "a copy of a note that is still there is new",
        "a file that could not be read is left as it is",
        "new files need not be read when nothing is gone",
        "a change that kept size and time is found by its bytes",
    ],
)
def test_the_work_that_makes_the_index_equal_the_vault(stamps, disk, read, work: SyncPlan):
    assert plan_sync(diff_listing(disk, stamps), read, stamps) == work


def test_other_rules_of_reading_touch_every_note():
    stamps = {"a.md": stamp(b"x"), "b.md": stamp(b"x", mtime_ns=1)}
    listing = diff_listing({"a.md": file(b"x"), "b.md": file(b"x", mtime_ns=2)}, stamps)
    work = with_everything(plan_sync(listing, {"b.md": stamp(b"x", mtime_ns=2)}, stamps), listing)

    assert work == SyncPlan(upsert=("a.md", "b.md"))


contents = st.dictionaries(st.sampled_from([f"{n}.md" for n in range(8)]), st.sampled_from([b"a", b"b", b"cc"]))


@given(before=contents, after=contents)
def test_carrying_out_the_plan_makes_the_index_equal_the_vault(before: dict[str, bytes], after: dict[str, bytes]):
    stamps = {path: stamp(content, mtime_ns=1) for path, content in before.items()}
    disk = {path: file(content, mtime_ns=2) for path, content in after.items()}

    read = {path: stamp(content, mtime_ns=2) for path, content in after.items()}
    work = plan_sync(diff_listing(disk, stamps), read, stamps)

    result = dict(before)
    moved = {new: result.pop(old) for old, new in work.rename}
    for path in work.remove:
        del result[path]
    result |= moved | {path: after[path] for path in work.upsert}
    assert result == after
    assert all(before[path] == after[path] for path in work.restamp)


def test_losing_more_than_half_of_many_notes_is_a_mass_removal():
    assert is_mass_removal(removed=51, indexed=100)
    assert not is_mass_removal(removed=50, indexed=100)
    assert not is_mass_removal(removed=5, indexed=MASS_REMOVAL_FLOOR - 1)


def test_a_created_modified_and_deleted_note_is_followed(vault: Vault, open_engine):
    engine = open_engine()

    vault.write("a.md", "walnut")
    tell(engine, VaultChange("created", "a.md"))
    assert find(engine, "walnut") == ["a.md"]

    vault.write("a.md", "cherry")
    tell(engine, modified("a.md"))
    assert find(engine, "walnut", mode="keyword") == []
    assert find(engine, "cherry", mode="keyword") == ["a.md"]

    tell(engine, vault.remove("a.md"))
    assert find(engine, "cherry") == []


def test_what_a_change_says_does_not_matter_only_what_the_disk_says(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()

    tell(engine, VaultChange("deleted", "a.md"))

    assert find(engine, "walnut") == ["a.md"]


def test_a_silent_change_is_found_when_somebody_tells_of_it(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    vault.replace_silently("a.md", "cherry")

    tell(engine, modified("a.md"))

    assert find(engine, "cherry", mode="keyword") == ["a.md"]


def test_only_chunks_whose_text_is_new_are_embedded_again(vault: Vault, encoder: HashEncoder, open_engine):
    sections = [f"## Part {n}\n" + f"word{n} " * 10 for n in range(5)]
    vault.write("a.md", "\n".join(sections))
    engine = open_engine()
    encoder.embedded.clear()

    vault.write("a.md", "\n".join([*sections[:4], sections[4] + "and more"]))
    tell(engine, modified("a.md"))

    assert len(encoder.embedded) == 1
    assert "and more" in encoder.embedded[0]


def test_a_renamed_note_keeps_its_vectors(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write("a.md", "# Title\nwalnut")
    engine = open_engine()
    encoder.embedded.clear()

    tell(engine, vault.rename("a.md", "folder/b.md"))

    assert encoder.embedded == []
    assert find(engine, "walnut") == ["folder/b.md"]
    assert engine.status().notes == 1


def test_a_renamed_folder_takes_its_notes_along(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write_all({f"old/sub/{n}.md": f"# Note {n}\nwalnut{n}" for n in range(5)} | {"else.md": "# Else\ncherry"})
    engine = open_engine()
    encoder.embedded.clear()

    tell(engine, vault.rename("old", "new"))

    assert encoder.embedded == []
    assert find(engine, "walnut3", mode="keyword") == ["new/sub/3.md"]
    assert engine.status().notes == 6


def test_a_deleted_folder_takes_its_notes_along(vault: Vault, open_engine):
    vault.write_all({"old/a.md": "walnut", "old/sub/b.md": "walnut", "older.md": "walnut"})
    engine = open_engine()

    vault.remove("old/a.md")
    vault.remove("old/sub/b.md")
    tell(engine, VaultChange("deleted", "old"))

    assert find(engine, "walnut") == ["older.md"]


def test_a_rename_storm_is_one_pass_without_embedding(vault: Vault, encoder: HashEncoder, open_engine):
    count = 300
    vault.write_all({f"{n}.md": f"# Note {n}\nwalnut{n}" for n in range(count)})
    engine = open_engine()
    encoder.embedded.clear()
    engine.pause()

    engine.vault_changed([vault.rename(f"{n}.md", f"moved/{n}.md") for n in range(count)])
    engine.vault_changed([vault.rename(f"moved/{n}.md", f"again/{n}.md") for n in range(count)])
    engine.resume()
    settle(engine)

    assert encoder.embedded == []
    assert engine.status().notes == count
    assert find(engine, "walnut7", mode="keyword") == ["again/7.md"]


def test_a_note_saved_and_renamed_at_once_is_found_under_its_new_name(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()

    change = vault.rename("a.md", "b.md")
    vault.write("b.md", "cherry")
    tell(engine, change, modified("b.md"))

    assert find(engine, "cherry") == ["b.md"]
    assert engine.status().notes == 1


def test_a_note_renamed_over_another_replaces_it(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()

    tell(engine, vault.rename("a.md", "b.md"))

    assert find(engine, "walnut", mode="keyword") == ["b.md"]
    assert find(engine, "cherry", mode="keyword") == []


def test_two_notes_that_swap_names_are_swapped(vault: Vault, open_engine):
    vault.write_all({"a.md": "# A\nwalnut", "b.md": "# B\ncherry"})
    engine = open_engine()

    changes = [vault.rename("a.md", "c.md"), vault.rename("b.md", "a.md"), vault.rename("c.md", "b.md")]
    tell(engine, *changes)

    assert find(engine, "walnut", mode="keyword") == ["b.md"]
    assert find(engine, "cherry", mode="keyword") == ["a.md"]


def test_names_are_found_however_their_accents_are_composed(vault: Vault, open_engine):
    composed, decomposed = unicodedata.normalize("NFC", "Töne.md"), unicodedata.normalize("NFD", "Töne.md")
    vault.write(decomposed, "walnut")
    engine = open_engine()

    vault.write(decomposed, "cherry wood")
    tell(engine, modified(composed))

    assert find(engine, "cherry", mode="keyword") == [decomposed]
    assert engine.read_note(composed).text == "cherry wood"


def test_a_rename_between_compositions_keeps_one_note(vault: Vault, encoder: HashEncoder, open_engine):
    composed, decomposed = unicodedata.normalize("NFC", "Töne.md"), unicodedata.normalize("NFD", "Töne.md")
    vault.write(decomposed, "# Title\nwalnut")
    engine = open_engine()
    encoder.embedded.clear()

    (vault.root / decomposed).rename(vault.root / composed)
    tell(engine, VaultChange("renamed", composed, composed))

    assert find(engine, "walnut") == [composed]
    assert encoder.embedded == []


def test_a_rename_by_case_moves_the_note(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write("readme.md", "# Title\nwalnut")
    engine = open_engine()
    encoder.embedded.clear()

    tell(engine, vault.rename("readme.md", "README.md"))

    assert find(engine, "walnut") == ["README.md"]
    assert engine.status().notes == 1
    assert encoder.embedded == []


def test_a_rename_by_case_is_listed_not_looked_up(vault: Vault, index: Index, indexer: Indexer, monkeypatch):
    """On a disk that ignores case the old name still opens the file: only a listing tells how it is spelled now."""
    vault.write("readme.md", "# Title\nwalnut")
    indexer.reconcile(index)
    change = vault.rename("readme.md", "README.md")
    monkeypatch.setattr(os, "lstat", lambda path: pytest.fail(f"{path} was looked up"))

    indexer.apply(index, [change])

    assert paths(index) == ["README.md"]


@pytest.mark.parametrize(
    "path", ["../outside.md", "a\0b.md", "a//b.md", "a\\b.md", "./a.md", "C:/a.md", ".obsidian/a.md"]
)
def test_a_change_of_a_path_that_is_none_is_passed_over(vault: Vault, open_engine, path: str):
    vault.write("a.md", "walnut")
    (vault.root.parent / "outside.md").write_text("cherry")
    engine = open_engine()

    tell(engine, VaultChange("modified", path), VaultChange("renamed", path, "a.md"))

    assert find(engine, "cherry", mode="keyword") == []
    assert find(engine, "walnut") == ["a.md"]


def test_a_note_with_accents_is_looked_up_in_its_folder_as_the_disk_spells_it(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    on_disk = unicodedata.normalize("NFD", "Büro/über.md")
    vault.write(on_disk, "walnut")
    monkeypatch.setattr(DiskState, "everything", lambda _: pytest.fail("the whole vault was walked"))

    indexer.apply(index, [modified("Büro/über.md")])
    assert paths(index) == [on_disk]

    vault.remove(on_disk)
    indexer.apply(index, [VaultChange("deleted", "Büro/über.md")])
    assert paths(index) == []


# --- what cannot be looked at ------------------------------------------------------------------------


@pytest.mark.parametrize("error_number", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("name", ["c.md", "über.md", "Büro/c.md"])
def test_a_note_in_a_folder_that_cannot_be_looked_into_stays_when_it_is_told_of(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch, name: str, error_number: int
):
    vault.write_all({f"sub/{name}": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    shut(monkeypatch, vault.root / "sub", error_number)

    outcome = indexer.apply(index, [VaultChange("deleted", f"sub/{name}")])

    assert outcome.removed == 0
    assert sorted(paths(index)) == sorted([f"sub/{name}", "b.md"])
    assert [problem.path for problem in problems(index, 9)] == ["sub"]


def test_a_deleted_folder_that_cannot_be_looked_into_keeps_its_notes(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write_all({"sub/in/c.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    shut(monkeypatch, vault.root / "sub")

    indexer.apply(index, [VaultChange("deleted", "sub"), VaultChange("deleted", "sub/in")])

    assert paths(index) == ["b.md", "sub/in/c.md"]


def test_a_shut_folder_does_not_stop_what_is_saved_elsewhere(vault: Vault, open_engine, monkeypatch):
    vault.write_all({"sub/c.md": "walnut", "b.md": "cherry"})
    engine = open_engine()
    shut(monkeypatch, vault.root / "sub")
    vault.write("b.md", "quince")

    engine.vault_changed([modified("sub/c.md"), modified("b.md")])
    wait_until(lambda: engine.status().state == "failed" or find(engine, "quince", mode="keyword"))

    assert engine.status().state != "failed"
    assert find(engine, "quince", mode="keyword") == ["b.md"]
    assert find(engine, "walnut", mode="keyword") == ["sub/c.md"]
    assert [problem.path for problem in engine.status().problems] == ["sub"]


def test_the_problem_of_a_shut_folder_goes_when_it_is_opened_again(vault: Vault, open_engine, monkeypatch):
    vault.write_all({"sub/c.md": "walnut", "b.md": "cherry"})
    engine = open_engine()
    with monkeypatch.context() as patch:
        shut(patch, vault.root / "sub")
        tell(engine, modified("sub/c.md"))
        assert engine.status().problem_count == 1

    engine.reconcile()
    settle(engine)

    assert engine.status().problem_count == 0


def test_a_copy_of_a_note_that_cannot_be_looked_at_is_no_rename(
    vault: Vault, index: Index, indexer: Indexer, monkeypatch
):
    vault.write("sub/c.md", "walnut")
    indexer.reconcile(index)
    shut(monkeypatch, vault.root / "sub")
    vault.write("copy.md", "walnut")

    indexer.reconcile(index)

    assert paths(index) == ["copy.md", "sub/c.md"]


def test_a_note_that_cannot_be_looked_at_any_more_has_not_vanished(
    vault: Vault, index: Index, indexer: Indexer, monitor, monkeypatch
):
    """It was gone when it was to be read, and when it is asked for once more nobody can tell."""
    vault.write("sub/c.md", "walnut")
    indexer.reconcile(index)
    vault.write("sub/c.md", "walnut and cherry")

    def lose(_: int) -> None:
        (vault.root / "sub/c.md").unlink()
        monitor.at_checkpoint = lambda: shut(monkeypatch, vault.root / "sub")

    monkeypatch.setattr(monitor, "planned", lose)

    indexer.reconcile(index)

    assert paths(index) == ["sub/c.md"]
