import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.index.postings import segment_file
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.dictionary import PostingsDamaged
from quarry.index.postings.segment import SegmentPair
from quarry.index.postings.segment_file import HEADER_BYTES, FileSlice, InvalidSegmentFile, SegmentFile, SharedFile


def segments(count=20):
    collector = BulkCollector()
    for note in range(1, count):
        collector.add_names(note, (f"n{note}", "", "", "", "", "x"))
        collector.add_chunk(note << 11, (f"t{note} both", "both", "", "", ""))
    return SegmentPair(7, *collector.build())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "i.postings"


@pytest.fixture
def file_id(path):
    return segment_file.write(path, segments())


def test_what_was_written_is_read(path, file_id):
    file, wanted = SegmentFile(path, file_id), segments()

    assert file.segments.generation == 7
    for found, other in ((file.segments.chunks, wanted.chunks), (file.segments.names, wanted.names)):
        assert found.blocks[:] == other.blocks
        assert list(found.terms) == list(other.terms)
        for name in ("ids", "field_lengths", "tf_table", "block_offsets", "first_block_of"):
            assert np.array_equal(getattr(found, name), getattr(other, name))
    assert file.verify()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_every_file_has_an_id_of_its_own_and_equal_contents_are_equal_bytes_after_it(tmp_path):
    one, other = (segment_file.write(tmp_path / name, segments()) for name in "ab")

    assert one != other
    assert (tmp_path / "a").read_bytes()[HEADER_BYTES:] == (tmp_path / "b").read_bytes()[HEADER_BYTES:]


def test_segments_without_documents_are_written_and_read(path):
    file_id = segment_file.write(path, segments(count=1))

    assert len(SegmentFile(path, file_id).segments.chunks.ids) == 0


def test_a_file_with_another_id_is_not_used(path, file_id):
    for other in ("", "0" * 32, segment_file.write(path.with_name("other"), segments())):
        with pytest.raises(InvalidSegmentFile, match="another index"):
            SegmentFile(path, other)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_any_flipped_or_missing_byte_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("f") / "i"
    file_id = segment_file.write(path, segments(6))
    whole = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[at:]
    else:
        whole[at] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(whole)

    try:
        file = SegmentFile(path, file_id)
    except InvalidSegmentFile:
        assert True
    else:  # padding between two arrays
        assert list(file.segments.chunks.terms) == list(segments(6).chunks.terms)
        assert file.verify()


def test_arrays_that_are_too_large_to_be_checked_on_opening_are_checked_when_there_is_time(path, file_id):
    whole = bytearray(path.read_bytes())
    whole[whole.index(segments().chunks.blocks) + 20] ^= 1
    path.write_bytes(whole)

    file = SegmentFile(path, file_id, checked_bytes=0)

    assert not file.verify()
    with pytest.raises(InvalidSegmentFile, match=r"chunks\.blocks"):
        SegmentFile(path, file_id)


@pytest.mark.skipif(not hasattr(os, "pread"), reason="Windows reads the file at once")
def test_a_file_that_is_written_to_or_cut_short_while_it_is_open_is_noticed(path, file_id):
    file = SegmentFile(path, file_id)
    assert file.is_unchanged()

    os.truncate(path, path.stat().st_size - 1)

    assert not file.is_unchanged()
    assert not file.verify()


def test_a_file_that_another_replaced_stays_as_it_was(path, file_id):
    file = SegmentFile(path, file_id)
    assert file.is_at(path)

    segment_file.write(path, segments(4))

    assert file.is_unchanged()
    assert file.verify()
    assert not file.is_at(path)
    assert not file.is_at(path.with_name("none"))


def test_a_failed_write_leaves_what_was_there(path, file_id, monkeypatch):
    before = path.read_bytes()
    monkeypatch.setattr(segment_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))

    with pytest.raises(OSError, match="disk full"):
        segment_file.write(path, segments(4))

    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_a_missing_file_and_files_of_other_kinds_are_told_apart(path, file_id):
    with pytest.raises(FileNotFoundError):
        SegmentFile(path.with_name("none"), file_id)
    for content in (b"", b"QRRYPOST", b"x" * 500):
        path.write_bytes(content)
        with pytest.raises(InvalidSegmentFile):
            SegmentFile(path, file_id)
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidSegmentFile, match="no ordinary file"):
        SegmentFile(path, file_id)


def test_discarding_twice_is_no_error(tmp_path):
    database = tmp_path / "i.db"
    segment_file.write(segment_file.path_beside(database), segments(3))

    segment_file.discard(database)
    segment_file.discard(database)

    assert not any(tmp_path.iterdir())


def test_installing_moves_the_file_or_leaves_none(tmp_path):
    new, over = tmp_path / "new.db", tmp_path / "over.db"
    file_id = segment_file.write(segment_file.path_beside(new), segments(3))
    segment_file.write(segment_file.path_beside(over), segments(4))

    segment_file.install(new, over)

    assert len(SegmentFile(segment_file.path_beside(over), file_id).segments.names.ids) == 2
    assert not segment_file.path_beside(new).exists()
    segment_file.install(new, over)
    assert not any(tmp_path.iterdir())


# --- parts of the file --------------------------------------------------------------------------

OPEN_FILES = Path("/proc/self/fd")


@pytest.fixture(params=["read piece by piece", "read at once"])
def sliced_path(request, tmp_path, monkeypatch):
    if request.param == "read at once":
        monkeypatch.delattr(os, "pread", raising=False)
    sliced_path = tmp_path / "f"
    sliced_path.write_bytes(bytes(range(100)))
    return sliced_path


def test_a_part_is_sliced_like_an_array(sliced_path):
    part = FileSlice(SharedFile(sliced_path), 10, 50)

    assert len(part) == 50
    assert part[:] == bytes(range(10, 60))
    assert part[3:7] == bytes(range(13, 17))
    assert part[45:99] == bytes(range(55, 60))
    assert part[7:3] == b""


def test_a_file_that_was_cut_short_is_damage(sliced_path):
    file = SharedFile(sliced_path)
    os.truncate(sliced_path, 20)

    with pytest.raises(PostingsDamaged):
        FileSlice(file, 10, 100)[0:99]


def test_a_file_knows_whether_a_path_is_still_itself(sliced_path, tmp_path):
    file = SharedFile(sliced_path)
    assert file.is_unchanged()
    assert file.is_at(sliced_path)
    assert len(file) == 100

    (tmp_path / "new").write_bytes(sliced_path.read_bytes())
    (tmp_path / "new").replace(sliced_path)

    assert file.is_unchanged()
    assert not file.is_at(sliced_path)
    sliced_path.unlink()
    assert not file.is_at(sliced_path)


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="open files are counted as Linux lists them")
def test_a_file_is_closed_with_its_last_part(sliced_path):
    part = FileSlice(SharedFile(sliced_path), 0, 100)
    part[0:3]
    was_open = is_open(sliced_path)
    del part

    assert was_open == hasattr(os, "pread")  # what is read at once is closed at once
    assert not is_open(sliced_path)


def is_open(path: Path) -> bool:
    """Whether this process has the file open; files that other threads open and close do not count."""
    return any(os.path.realpath(file) == str(path) for file in OPEN_FILES.iterdir())
