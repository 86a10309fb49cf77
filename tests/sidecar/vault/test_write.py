"""New notes are written inside the vault, whole or not at all, and never over another."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from quarry.errors import BadRequest, NoteNotWritten, VaultMissing
from quarry.vault import write
from quarry.vault.write import WrittenNote, checked_folder, write_new_note

NEEDS_LINKS = pytest.mark.skipif(os.name == "nt", reason="making links needs a privilege there")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture(params=["by part", "by path"])
def either_way(request, monkeypatch):
    """Both ways to open a folder, of which a system has one."""
    monkeypatch.setattr(write, "CAN_OPEN_BY_PART", request.param == "by part")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_note_is_written_and_nothing_else_is_left(root, either_way):
    found = write_new_note(root, "00-inbox/new", "Tea", b"# Tea\n")

    assert found == WrittenNote("00-inbox/new/Tea.md", is_new=True)
    assert names(root / "00-inbox/new") == ["Tea.md"]
    assert (root / found.path).read_bytes() == b"# Tea\n"
    assert (root / found.path).stat().st_nlink == 1


def test_a_note_in_the_vault_itself(root, either_way):
    assert write_new_note(root, "", "Tea", b"x").path == "Tea.md"


def test_a_note_is_readable_by_whom_the_user_lets(root):
    path = root / write_new_note(root, "a", "Tea", b"x").path
    (root / "like.md").touch()

    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((root / "like.md").stat().st_mode)


def test_a_name_that_is_taken_gets_a_number(root, either_way):
    paths = [write_new_note(root, "a", "Tea", text).path for text in (b"1", b"2", b"3")]

    assert paths == ["a/Tea.md", "a/Tea 1.md", "a/Tea 2.md"]
    assert [(root / path).read_bytes() for path in paths] == [b"1", b"2", b"3"]


@pytest.mark.parametrize("taken", ["TEA.md", "tea.MD", "Te\u0301a.md"])
def test_names_that_other_systems_take_for_the_same_are_taken(root, taken):
    (root / taken).write_bytes(b"1")

    assert write_new_note(root, "", "T\u00e9a" if "\u0301" in taken else "Tea", b"2").path.endswith(" 1.md")


def test_a_gap_in_the_numbers_is_not_filled_before_them(root):
    (root / "Tea.md").write_bytes(b"1")
    (root / "Tea 7.md").write_bytes(b"2")

    assert write_new_note(root, "", "Tea", b"3").path == "Tea 8.md"


def test_the_very_same_note_is_not_written_twice(root, either_way):
    first = write_new_note(root, "", "Tea", b"1")
    other = write_new_note(root, "", "Tea", b"2")

    assert write_new_note(root, "", "Tea", b"2") == WrittenNote(other.path, is_new=False)
    assert names(root) == ["Tea 1.md", "Tea.md"]
    assert first.path == "Tea.md"


@NEEDS_LINKS
def test_a_link_that_holds_the_very_same_text_is_not_the_note(root, tmp_path):
    (tmp_path / "outside.md").write_bytes(b"1")
    (root / "Tea.md").symlink_to(tmp_path / "outside.md")

    assert write_new_note(root, "", "Tea", b"1") == WrittenNote("Tea 1.md", is_new=True)
    assert (tmp_path / "outside.md").read_bytes() == b"1"


def test_a_folder_in_another_case_or_composition_is_used(root, either_way):
    (root / "Inbox" / "Ko\u0308ln").mkdir(parents=True)

    path = write_new_note(root, "inbox/k\u00f6ln", "Tea", b"1").path

    assert path == "Inbox/Ko\u0308ln/Tea.md"
    assert names(root) == ["Inbox"]


@NEEDS_LINKS
@pytest.mark.parametrize("folder", ["link", "link/below", "inside"])
def test_a_folder_behind_a_link_is_refused_and_nothing_made_there(root, tmp_path, folder, either_way):
    (tmp_path / "outside").mkdir()
    (root / "real").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "inside").symlink_to(root / "real")

    with pytest.raises(BadRequest, match="link"):
        write_new_note(root, folder, "Tea", b"1")
    assert names(tmp_path / "outside") == names(root / "real") == []


def test_a_file_is_no_folder(root, either_way):
    (root / "a").write_bytes(b"")

    with pytest.raises(BadRequest, match="file"):
        write_new_note(root, "a", "Tea", b"1")


def test_a_folder_that_windows_could_not_have_is_not_made(root, either_way):
    with pytest.raises(BadRequest, match="Windows"):
        write_new_note(root, "a/con", "Tea", b"1")


@pytest.mark.skipif(os.name == "nt", reason="there it cannot exist")
def test_such_a_folder_that_exists_is_used(root, either_way):
    (root / "a:b").mkdir()

    assert write_new_note(root, "a:b", "Tea", b"1").path == "a:b/Tea.md"


def test_a_vault_that_is_gone_is_told(root, either_way):
    root.rmdir()

    with pytest.raises(VaultMissing):
        write_new_note(root, "", "Tea", b"1")


@pytest.mark.parametrize("failing", ["fsync", "link"])
def test_where_writing_fails_nothing_is_left(root, monkeypatch, failing):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, fail)

    with pytest.raises(NoteNotWritten, match="No space left"):
        write_new_note(root, "", "Tea", b"1")
    assert names(root) == []


def test_until_a_note_is_whole_only_a_hidden_file_is_there(root, monkeypatch):
    seen = []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (seen.append(names(root)), sync(descriptor)))

    write_new_note(root, "", "Tea", b"1")

    assert len(seen[0]) == 1
    assert seen[0][0].startswith(".")


def test_a_file_system_without_links_has_the_note_too(root, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    (root / "Tea.md").write_bytes(b"mine")

    assert write_new_note(root, "", "Tea", b"1").path == "Tea 1.md"
    assert {name: (root / name).read_bytes() for name in names(root)} == {"Tea.md": b"mine", "Tea 1.md": b"1"}


def test_writers_at_once_never_take_one_name(root):
    start = threading.Barrier(8)
    found: list[str] = []

    def write_one(number: int) -> None:
        start.wait()
        found.append(write_new_note(root, "in", "Tea", b"%d" % number).path)

    threads = [threading.Thread(target=write_one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(found)) == 8
    assert sorted((root / path).read_bytes() for path in found) == [b"%d" % number for number in range(8)]


@pytest.mark.parametrize(
    ("given", "folder"), [("", ""), (".", ""), ("00-inbox/", "00-inbox"), (" a/b ", "a/b"), ("Ko\u0308ln", "K\u00f6ln")]
)
def test_folders_are_paths_below_the_vault(given, folder):
    assert checked_folder(given) == folder


@pytest.mark.parametrize("given", ["../x", "a/../b", "/etc", "a//b", ".obsidian", "a/.git", "a\\b", "a\0b", "\udcff"])
def test_folders_elsewhere_are_refused(given):
    with pytest.raises(BadRequest, match="cannot be the folder"):
        checked_folder(given)
