import os
from pathlib import Path

import pytest

from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.segment_file import FileSlice, SharedFile

OPEN_FILES = Path("/proc/self/fd")


@pytest.fixture(params=["read piece by piece", "read at once"])
def path(request, tmp_path, monkeypatch):
    if request.param == "read at once":
        monkeypatch.delattr(os, "pread", raising=False)
    path = tmp_path / "f"
    path.write_bytes(bytes(range(100)))
    return path


def test_a_part_is_sliced_like_an_array(path):
    part = FileSlice(SharedFile(path), 10, 50)

    assert len(part) == 50
    assert part.data[:] == bytes(range(10, 60))
    assert part[3:7] == bytes(range(13, 17))
    assert part[45:99] == bytes(range(55, 60))
    assert part[7:3] == b""


def test_a_file_that_was_cut_short_is_damage(path):
    file = SharedFile(path)
    os.truncate(path, 20)

    with pytest.raises(PostingsDamaged):
        FileSlice(file, 10, 100)[0:99]


def test_what_is_open_stays_as_it_was_when_another_file_takes_its_place(path, tmp_path):
    part = FileSlice(SharedFile(path), 0, 100)
    (tmp_path / "new").write_bytes(b"other")
    (tmp_path / "new").replace(path)

    assert part[0:3] == bytes(range(3))


def test_a_file_knows_whether_a_path_is_still_itself(path, tmp_path):
    file = SharedFile(path)
    assert file.is_unchanged()
    assert file.is_at(path)
    assert len(file) == 100

    (tmp_path / "new").write_bytes(path.read_bytes())
    (tmp_path / "new").replace(path)

    assert file.is_unchanged()
    assert not file.is_at(path)
    path.unlink()
    assert not file.is_at(path)


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="open files are counted as Linux lists them")
def test_a_file_is_closed_with_its_last_part(path):
    before = len([*OPEN_FILES.iterdir()])
    part = FileSlice(SharedFile(path), 0, 100)
    part[0:3]
    del part

    assert len([*OPEN_FILES.iterdir()]) == before
