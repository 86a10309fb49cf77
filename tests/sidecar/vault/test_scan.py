import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.messages import message
from quarry.types import LAST_TIME_NS, FileSeen
from quarry.vault import scan
from quarry.vault.rules import Rules
from quarry.vault.scan import LINK, NOT_A_FILE, scan_vault

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file kinds and names")
# Only Linux lets any bytes be a name; macOS insists on UTF-8 and composes accents.
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that keeps names as bytes")


def make(root: Path, *paths: str) -> Path:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {path}\n", encoding="utf-8")
    return root


def test_notes_are_found_in_every_folder_with_their_size_and_time(tmp_path):
    make(tmp_path, "a.md", "b/c/d.md")
    os.utime(tmp_path / "a.md", ns=(0, 1_700_000_000_123_456_700))

    scan = scan_vault(tmp_path, Rules())

    assert list(scan.files) == ["a.md", "b/c/d.md"]
    changed_ns = (tmp_path / "a.md").stat().st_ctime_ns
    assert scan.files["a.md"] == FileSeen(size_bytes=7, mtime_ns=1_700_000_000_123_456_700, ctime_ns=changed_ns)


def test_an_upper_case_suffix_makes_a_note_and_other_files_do_not(tmp_path):
    make(tmp_path, "A.MD", "a.txt", "md", "a.md.png")

    scan = scan_vault(tmp_path, Rules())

    assert list(scan.files) == ["A.MD"]
    assert scan.skipped == {}


def test_hidden_files_and_folders_never_count(tmp_path):
    make(tmp_path, ".obsidian/x.md", ".trash/y.md", "a/.git/z.md", ".hidden.md", ".md", "a/seen.md")

    scan = scan_vault(tmp_path, Rules())

    assert list(scan.files) == ["a/seen.md"]
    assert scan.skipped == {}


def test_a_refused_note_is_listed_with_the_rule_that_refused_it(tmp_path):
    make(tmp_path, "Archive/old.md", "new.md")

    scan = scan_vault(tmp_path, Rules(exclude=["Archive"]))

    assert list(scan.files) == ["new.md"]
    assert scan.excluded["Archive/old.md"].code == "reason.folders-exclude"


def test_a_vault_that_is_not_there_is_not_an_empty_one(tmp_path):
    scan = scan_vault(tmp_path / "unmounted", Rules())

    assert scan.root_missing
    assert not scan_vault(tmp_path, Rules()).root_missing


def test_a_file_in_the_place_of_the_vault_is_no_vault(tmp_path):
    make(tmp_path, "a.md")

    assert scan_vault(tmp_path / "a.md", Rules()).root_missing


@POSIX_ONLY
def test_a_link_is_skipped(tmp_path):
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    make(vault, "real.md")
    make(outside, "secret.md")
    (vault / "out.md").symlink_to(outside / "secret.md")
    (vault / "folder").symlink_to(outside, target_is_directory=True)
    (vault / "again.md").symlink_to(vault / "real.md")
    (vault / "nowhere.md").symlink_to(vault / "missing.md")
    (vault / "loop.md").symlink_to(vault / "loop.md")
    (vault / "picture.png").symlink_to(vault / "missing.png")

    scan = scan_vault(vault, Rules())

    assert list(scan.files) == ["real.md"]
    assert scan.skipped == dict.fromkeys(("again.md", "folder", "loop.md", "nowhere.md", "out.md"), LINK)


@POSIX_ONLY
def test_a_link_to_a_folder_above_itself_does_not_make_the_walk_go_round(tmp_path):
    make(tmp_path, "a/note.md")
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)

    scan = scan_vault(tmp_path, Rules())

    assert list(scan.files) == ["a/note.md"]
    assert "a/up" in scan.skipped


def test_a_vault_reached_through_a_link_is_scanned_like_any_other(tmp_path):
    make(tmp_path / "vault", "a.md")
    try:
        (tmp_path / "link").symlink_to(tmp_path / "vault", target_is_directory=True)
    except OSError:
        pytest.skip("links need a right here that this user does not have")

    assert list(scan_vault(tmp_path / "link", Rules()).files) == ["a.md"]


@POSIX_ONLY
def test_a_pipe_or_a_socket_named_like_a_note_is_skipped_with_a_reason(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.md")
    monkeypatch.chdir(tmp_path)  # a socket's path may have 104 characters at most
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")

        scan = scan_vault(tmp_path, Rules())

    assert scan.files == {}
    assert scan.skipped == {"pipe.md": NOT_A_FILE, "socket.md": NOT_A_FILE}


def test_a_hard_link_is_a_note_of_its_own(tmp_path):
    make(tmp_path, "a.md")
    (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")

    assert list(scan_vault(tmp_path, Rules()).files) == ["a.md", "b.md"]


@LINUX_ONLY
def test_a_name_that_is_no_utf8_is_skipped_and_reported_as_text_that_can_be_sent(tmp_path):
    root = os.fsencode(tmp_path)
    Path(os.fsdecode(root + b"/bad\xff.md")).write_bytes(b"x")
    Path(os.fsdecode(root + b"/dir\xfe")).mkdir()

    scan = scan_vault(tmp_path, Rules())

    assert scan.files == {}
    assert scan.skipped == dict.fromkeys(("bad\\udcff.md", "dir\\udcfe"), message("reason.name.encoding"))
    assert all(path.encode("utf-8") for path in scan.skipped)


@LINUX_ONLY
@pytest.mark.parametrize("make", [lambda path: path.write_text("hidden"), lambda path: path.symlink_to("a.md")])
def test_a_file_in_the_place_of_a_folder_around_the_part_that_is_served_is_outside(tmp_path, make):
    (tmp_path / "Plan.md" / "Deep").mkdir(parents=True)
    (tmp_path / "Plan.md" / "Deep" / "d.md").write_text("own")
    (tmp_path / "Plan.md" / "beside.md").write_text("hidden")
    rules = Rules(only=("Plan.md/Deep",))
    before = scan_vault(tmp_path, rules)
    shutil.rmtree(tmp_path / "Plan.md")
    make(tmp_path / "Plan.md")
    after = scan_vault(tmp_path, rules)

    assert list(before.files) == ["Plan.md/Deep/d.md"]
    assert (after.files, after.excluded, after.skipped) == ({}, {}, {})
    assert not rules.admits("Plan.md")
    assert (rules.is_apart("Plan.md"), rules.is_apart("Plan.md/beside.md")) == (False, True)


def test_names_that_differ_only_in_how_accents_are_composed_are_two_notes(tmp_path):
    make(tmp_path, "caf\u00e9.md", "cafe\u0301.md")

    assert set(scan_vault(tmp_path, Rules()).files) == {"caf\u00e9.md", "cafe\u0301.md"}


@POSIX_ONLY
@pytest.mark.parametrize(
    "name",
    [
        "🍵 お茶.md",
        "שלום.md",
        "two\nlines.md",
        "100% sure?#1.md",
        "trailing .md",
        "dot..md",
        "x" * 252 + ".md",
        "%2e%2e.md",
    ],
)
def test_a_strange_name_is_kept_as_it_is_spelled(tmp_path, name):
    make(tmp_path, name)

    assert list(scan_vault(tmp_path, Rules()).files) == [name]


@POSIX_ONLY
def test_a_backslash_in_a_name_is_skipped_with_a_reason(tmp_path):
    make(tmp_path, "a\\b.md")

    assert scan_vault(tmp_path, Rules()).skipped == {"a\\b.md": message("reason.name.backslash")}


@POSIX_ONLY
def test_a_folder_that_cannot_be_listed_does_not_make_its_notes_gone(tmp_path):
    make(tmp_path, "open/a.md", "shut/b.md", "shut/in/c.md")
    (tmp_path / "shut").chmod(0o000)
    # Root reads everything, so the walk is made by someone who may not, from where only that folder is asked for.
    walk = (
        "import os; from pathlib import Path\n"
        "from quarry.vault.rules import Rules; from quarry.vault.scan import scan_vault\n"
        "os.geteuid() == 0 and os.setuid(65534)\n"
        "scan = scan_vault(Path('.'), Rules())\n"
        "reasons = map(str, scan.skipped.values())\n"
        "print(list(scan.files), *reasons, *map(scan.may_still_exist, ['shut/in/c.md', 'open/b.md']))"
    )
    tmp_path.chmod(0o755)
    try:
        done = subprocess.run([sys.executable, "-c", walk], cwd=tmp_path, capture_output=True, text=True, check=False)
    finally:
        (tmp_path / "shut").chmod(0o700)

    assert done.stdout.strip() == ("['open/a.md'] The folder cannot be listed: Permission denied. True False"), (
        done.stderr
    )


def test_the_order_is_the_same_whatever_the_disk_gives(tmp_path):
    make(tmp_path, "z.md", "a/y.md", "a.md", "b/x.md")

    assert list(scan_vault(tmp_path, Rules()).files) == ["a.md", "z.md", "a/y.md", "b/x.md"]


def test_a_time_beyond_what_an_index_can_hold_is_the_last_that_it_can(tmp_path: Path) -> None:
    note = tmp_path / "future.md"
    note.write_text("x", "utf-8")
    try:
        os.utime(note, (20_000_000_000, 20_000_000_000))  # the year 2603
    except OSError:
        pytest.skip("this file system knows no such year")

    seen = scan_vault(tmp_path, Rules()).files["future.md"]

    assert seen.mtime_ns == min(note.stat().st_mtime_ns, LAST_TIME_NS) <= LAST_TIME_NS


def test_folders_are_found_the_same_where_a_listing_does_not_tell_them(tmp_path, monkeypatch):
    vault = make(tmp_path, "a.md", "Work/b.md", "Work/Deep/c.md", "picture.png", ".hidden/d.md")
    told = scan_vault(vault, Rules())
    monkeypatch.setattr(scan, "LISTING_TELLS_FOLDERS", False)

    assert scan_vault(vault, Rules()) == told
