"""A walk and the index are laid side by side; nothing is opened, and nothing written where nothing is new."""

import sys

import pytest
from builders import Vault, problems
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import VaultMissing
from quarry.index import Index
from quarry.indexing.diff import (
    MASS_REMOVAL_FLOOR,
    SyncPlan,
    VaultDiff,
    diff_listing,
    diff_vault,
    is_mass_removal,
    plan_sync,
    with_everything,
)
from quarry.indexing.disk_state import DiskState
from quarry.indexing.indexer import Indexer
from quarry.types import FileSeen, FileStamp
from quarry.vault.rules import Rules


@pytest.fixture
def seen(vault: Vault, index: Index):
    drawings: dict[str, FileSeen] = {}
    disk = DiskState(vault.root, Rules(), drawings)

    def see(**options: bool) -> VaultDiff:
        return diff_vault(disk, index, **options)

    see.drawings = drawings  # type: ignore[attr-defined]
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
    seen.drawings["d.md"] = seen().scan.files["d.md"]

    assert seen().is_empty
    assert seen(with_drawings=True).listing.new == ("d.md",)


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


def test_a_file_with_the_same_size_and_time_is_not_looked_at():
    listing = diff_listing({"a.md": file(b"x")}, {"a.md": stamp(b"x")})

    assert listing.same == ("a.md",)
    assert plan_sync(listing, {}, {"a.md": stamp(b"x")}) == SyncPlan()


def test_a_touched_file_with_the_same_bytes_is_only_stamped_anew():
    stamps = {"a.md": stamp(b"x", mtime_ns=1)}
    work = plan_sync(diff_listing({"a.md": file(b"x", mtime_ns=2)}, stamps), {"a.md": stamp(b"x", mtime_ns=2)}, stamps)

    assert work.restamp == ("a.md",)
    assert work.upsert == ()


def test_the_bytes_of_a_gone_note_under_a_new_path_are_a_rename():
    stamps = {"old.md": stamp(b"x")}
    work = plan_sync(diff_listing({"new.md": file(b"x")}, stamps), {"new.md": stamp(b"x")}, stamps)

    assert work.rename == (("old.md", "new.md"),)
    assert work.upsert == ()
    assert work.remove == ()


def test_a_copy_of_a_note_that_is_still_there_is_new():
    stamps = {"a.md": stamp(b"x")}
    work = plan_sync(diff_listing({"a.md": file(b"x"), "b.md": file(b"x")}, stamps), {"b.md": stamp(b"x")}, stamps)

    assert work.upsert == ("b.md",)
    assert work.rename == ()


def test_a_file_that_could_not_be_read_is_left_as_it_is():
    stamps = {"a.md": stamp(b"x", mtime_ns=1)}
    work = plan_sync(diff_listing({"a.md": file(b"xy", mtime_ns=2)}, stamps), {}, stamps)

    assert work == SyncPlan()


def test_new_files_need_not_be_read_when_nothing_is_gone():
    work = plan_sync(diff_listing({"a.md": file(b"x")}, {}), {}, {})

    assert work == SyncPlan(upsert=("a.md",))


def test_a_change_that_kept_size_and_time_is_found_by_its_bytes():
    stamps = {"a.md": stamp(b"x")}
    listing = diff_listing({"a.md": file(b"y")}, stamps)
    work = plan_sync(listing, {"a.md": stamp(b"y")}, stamps)

    assert work == SyncPlan(upsert=("a.md",))


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
