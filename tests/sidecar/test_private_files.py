"""Files of Quarry's own: replaced as a whole, private, and read with suspicion."""

import os
import stat
import sys
import time

import pytest

from quarry.private_files import delete_old, read_private, write_atomically

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links, pipes and modes")


@POSIX_ONLY
@pytest.mark.parametrize("place", ["final", "temporary"])
def test_a_link_planted_in_its_place_is_not_written_through(tmp_path, place):
    target, file = tmp_path / "target", tmp_path / "file"
    target.write_text("precious")
    (file if place == "final" else file.with_name(f"file.{os.getpid()}.new")).symlink_to(target)

    write_atomically(file, b"ours")

    assert target.read_text() == "precious"
    assert not file.is_symlink()
    assert file.read_bytes() == b"ours"


@POSIX_ONLY
def test_mode_and_owner_are_those_of_the_file_that_it_replaces(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text("{}")
    file.chmod(0o640)

    write_atomically(file, b"[]", like=file.stat(), durable=True)

    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.read_bytes() == b"[]"


def test_a_file_that_cannot_be_replaced_is_as_it_was_and_nothing_is_left_beside_it(tmp_path):
    (tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match="folder"):
        write_atomically(tmp_path / "folder", b"x")

    assert [found.name for found in tmp_path.iterdir()] == ["folder"]


@POSIX_ONLY
def test_only_a_file_is_read_and_only_its_beginning(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")

    assert read_private(tmp_path / "file", 3) == b"123"
    assert [read_private(tmp_path / name, 3) for name in ("link", "pipe", "none")] == [None] * 3


@pytest.mark.parametrize(
    ("limits", "kept"),
    [({"max_age_s": 25}, {"0", "1", "2"}), ({"max_files": 2}, {"0", "1"}), ({"max_bytes": 1000}, {"0"})],
)
def test_files_that_are_old_or_too_many_or_too_large_are_deleted(tmp_path, limits, kept):
    now_s = time.time()
    for number in range(5):
        (tmp_path / f"{number}").write_bytes(b"x" * 600)
        os.utime(tmp_path / f"{number}", (now_s - 10 * number, now_s - 10 * number))

    delete_old(tmp_path, **{"max_age_s": 1000, "max_files": 100, **limits})

    assert {file.name for file in tmp_path.iterdir()} == kept
