"""Files are replaced in one step, with their mode, owner and links; odd ones are left alone."""

import os
import stat

import pytest

from quarry.agents.install.config_edit import MarkdownEdit
from quarry.agents.install.config_files import MAX_BYTES, FileEdit, apply, backup_path, planned, read_file
from quarry.errors import BadConfiguration


@pytest.fixture
def path(desk):
    return desk.home / "AGENTS.md"


def add(desk, path, name="notes"):
    [change] = apply([FileEdit(path, MarkdownEdit(name, "text"))], desk.host)
    return change


def test_mode_and_links_stay_and_the_old_content_is_kept_in_private(desk, path):
    real = desk.home / "dot.md"
    real.write_bytes(b"\xef\xbb\xbfmine\n")
    real.chmod(0o640)
    path.symlink_to(real)

    change = add(desk, path)

    assert change.action == "change"
    assert path.is_symlink()
    assert real.read_bytes().startswith(b"\xef\xbb\xbfmine\n\n<!--")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    backup = backup_path(read_file(path))
    assert backup.read_bytes() == b"\xef\xbb\xbfmine\n"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert sorted(entry.name for entry in desk.home.iterdir()) == ["AGENTS.md", "dot.md"]


def test_two_changes_of_one_file_keep_the_content_before_both(desk, path):
    path.write_text("mine\n")

    apply([FileEdit(path, MarkdownEdit(name, "text")) for name in ("one", "two")], desk.host)

    assert path.read_text().count(":end -->") == 2
    assert backup_path(read_file(path)).read_text() == "mine\n"


def test_hard_links_are_counted_for_the_person(desk, path):
    path.write_text("mine\n")
    os.link(path, desk.home / "other")

    [plan] = planned([FileEdit(path, MarkdownEdit("notes", "text"))])

    assert plan.state.found.st_nlink == 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: os.mkfifo(path), "not a regular file"),
        (lambda path: path.mkdir(), "not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
        (lambda path: path.symlink_to("/nowhere/else"), "link to /nowhere/else, which is missing"),
        (lambda path: path.write_bytes(b"a\n\xff\xfe"), "not UTF-8 (line 2, byte 2)"),
        (lambda path: path.write_bytes(bytes(MAX_BYTES + 1)), "at most"),
        (lambda path: path.touch(0o444), "read-only"),
    ],
)
def test_an_odd_file_is_left_alone_and_its_part_is_shown(desk, path, make, says):
    make(path)

    change = add(desk, path)

    assert change.action == "left"
    assert says in change.problem
    assert "text" in change.plan.difference.added
    assert not path.is_file() or b"quarry" not in path.read_bytes()


def test_a_file_that_another_program_changes_meanwhile_is_left_alone(desk, path):
    edit = MarkdownEdit("notes", "text")

    class Restless:
        """Another program writes after the file was read."""

        def changed(self, text):
            path.write_text(text + "x")
            return edit.changed(text)

        difference = staticmethod(edit.difference)

    [change] = apply([FileEdit(path, Restless())], desk.host)

    assert (change.action, change.problem) == ("left", "another program has just changed it; try again")
    assert "quarry" not in path.read_text()


def test_what_is_refused_is_refused_before_anything_is_written(desk, path):
    class Taken:
        def difference(self, text):
            raise BadConfiguration("taken")

    with pytest.raises(BadConfiguration):
        apply([FileEdit(path, MarkdownEdit("notes", "text")), FileEdit(path, Taken())], desk.host)
    assert not path.exists()
