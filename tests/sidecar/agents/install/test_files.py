"""Other programs' files are read with care, and replaced in one step."""

import os
import stat
from pathlib import Path

import pytest

from quarry.agents.install.files import (
    MAX_BYTES,
    backup_of,
    delete_empty,
    read_state,
    refuse_if_changed,
    write_file,
)
from quarry.errors import BadConfiguration


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "settings.json"
    path.write_bytes(b"before")
    return path


def test_a_file_is_replaced_with_one_backup(file):
    write_file(read_state(file), b"one")
    write_file(read_state(file), b"two")

    assert file.read_bytes() == b"two"
    assert backup_of(file).read_bytes() == b"one"
    assert {path.name for path in file.parent.iterdir() if path.is_file()} == {file.name, backup_of(file).name}


def test_mode_is_kept_also_by_the_backup(file):
    file.chmod(0o640)

    write_file(read_state(file), b"after")

    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, backup_of(file))] == [0o640, 0o640]


def test_a_link_stays_a_link(file, tmp_path):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there/real.json"
    target.write_bytes(b"before")
    file.unlink()
    file.symlink_to("there/real.json")

    write_file(read_state(file), b"after")

    assert file.is_symlink()
    assert file.readlink() == Path("there/real.json")
    assert target.read_bytes() == b"after"
    assert [path.name for path in target.parent.iterdir()] == ["real.json"]
    assert backup_of(file).read_bytes() == b"before"


def test_a_missing_file_is_made_with_its_folders(tmp_path):
    made = write_file(read_state(tmp_path / "a/b/c.json"), b"new")

    assert made == (tmp_path / "a", tmp_path / "a/b")
    assert (tmp_path / "a/b/c.json").read_bytes() == b"new"
    assert not backup_of(tmp_path / "a/b/c.json").exists()


def test_a_byte_order_mark_and_line_ends_are_kept(file):
    file.write_bytes(b"\xef\xbb\xbf{\r\n}")

    state = read_state(file)

    assert state.text == "{\r\n}"
    assert state.encoded(state.text) == b"\xef\xbb\xbf{\r\n}"


def make_folder(path):
    path.mkdir()


def make_pipe(path):
    os.mkfifo(path)


def make_dangling_link(path):
    path.symlink_to(path.parent / "nowhere.json")


def make_loop(path):
    path.symlink_to(path)


def make_read_only(path):
    path.write_text("{}")
    path.chmod(0o444)


def make_huge(path):
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (make_folder, "not a regular file"),
        (make_pipe, "not a regular file"),
        (make_dangling_link, "is not there; make that file or remove the link"),
        (make_loop, "link"),
        (make_read_only, "is read-only"),
        (make_huge, "bytes"),
    ],
)
def test_what_could_not_be_replaced_is_refused(tmp_path, make, says):
    path = tmp_path / "config.json"
    make(path)

    with pytest.raises(BadConfiguration, match=says):
        read_state(path)


def test_a_file_in_a_read_only_folder_is_refused(file):
    file.parent.chmod(0o555)
    try:
        with pytest.raises(BadConfiguration, match="is read-only"):
            read_state(file)
        with pytest.raises(BadConfiguration, match="is read-only"):
            read_state(file.parent / "new.json")
        assert read_state(file, to_write=False).data == b"before"
    finally:
        file.parent.chmod(0o755)


def test_what_was_changed_since_it_was_read_is_noticed(file):
    state = read_state(file)
    missing = read_state(file.with_name("missing.json"))
    refuse_if_changed(state)
    refuse_if_changed(missing)

    file.write_bytes(b"somebody else's")
    missing.path.write_bytes(b"")

    for changed in (state, missing):
        with pytest.raises(BadConfiguration, match="changed in the meantime"):
            refuse_if_changed(changed)


def test_a_file_that_cannot_be_written_is_as_it_was(file):
    state = read_state(file)
    backup_of(file).mkdir()

    with pytest.raises(BadConfiguration, match="it is as it was"):
        write_file(state, b"after")

    assert file.read_bytes() == b"before"
    assert sorted(path.name for path in file.parent.iterdir() if path.name.startswith(".settings")) == []


def test_only_empty_folders_go(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    (tmp_path / "c/file").touch()

    left = delete_empty([str(tmp_path / name) for name in ("a", "a/b", "c", "gone")])

    assert left == [str(tmp_path / "c")]
    assert [path.name for path in tmp_path.iterdir() if path.name in "abc"] == ["c"]
