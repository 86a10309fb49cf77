import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.index.keyword import segment_file
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.segment_file import InvalidSegmentFile, SegmentHeader, SegmentPair

HEADER = SegmentHeader("this one", "1/x", 7)


def segments(count=20):
    collector = BulkCollector()
    for note in range(1, count):
        collector.add_names(note, (f"n{note}", "", "", "", "", "x"))
        collector.add_chunk(note << 11, (f"t{note} both", "both", "", "", ""))
    return SegmentPair(HEADER, *collector.build())


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "i.postings"
    segment_file.write(path, segments())
    return path


def read(path, identity="this one", terms="1/x", generation=7, signature=None):
    return segment_file.read(path, identity, terms, generation, signature or segment_file._open(path)[2])


def test_what_was_written_is_read(written):
    found, wanted = read(written), segments()

    assert found.header == HEADER
    assert found.chunks.blocks[:] == wanted.chunks.blocks.tobytes()
    assert found.names.blocks[:] == wanted.names.blocks.tobytes()
    for name in ("ids", "field_lengths", "tf_table", "block_offsets", "first_block_of"):
        assert np.array_equal(getattr(found.chunks, name), getattr(wanted.chunks, name))
        assert np.array_equal(getattr(found.names, name), getattr(wanted.names, name))
    assert list(found.chunks.terms) == list(wanted.chunks.terms)
    assert segment_file.verify(written)
    assert [path.name for path in written.parent.iterdir()] == [written.name]
    assert written.stat().st_mode & 0o077 == 0 or segment_file.os.name == "nt"


def test_the_signature_is_that_of_the_contents(tmp_path):
    same, other = (
        [segment_file.write(tmp_path / name, segments()) for name in "ab"],
        segment_file.write(tmp_path / "c", segments(count=19)),
    )

    assert same[0] == same[1] != other


def test_nothing_at_all_is_written_and_read(tmp_path):
    segment_file.write(tmp_path / "e", segments(count=1))

    assert len(read(tmp_path / "e").chunks.ids) == 0


@pytest.mark.parametrize("other", [{"identity": "another"}, {"terms": "2/x"}, {"generation": 6}, {"signature": "0"}])
def test_what_is_of_something_else_is_not_used(written, other):
    with pytest.raises(InvalidSegmentFile):
        read(written, **other)
    assert read(written, generation=8).header.generation == 7


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_any_flipped_or_missing_byte_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("f") / "i"
    segment_file.write(path, segments(6))
    whole = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del whole[at:]
    else:
        whole[at] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(whole)

    try:
        found = read(path)
    except InvalidSegmentFile:
        assert True
    else:  # padding between two arrays
        assert list(found.chunks.terms) == list(segments(6).chunks.terms)
        assert segment_file.verify(path)


def test_a_large_array_is_checked_when_there_is_time(written, monkeypatch):
    monkeypatch.setattr(segment_file, "_CHECKED_BYTES", 0)
    whole = bytearray(written.read_bytes())
    listed, *_ = segment_file._open(written)
    at = next(at for name, _, _, at, _, _ in listed["arrays"] if name == "chunks.blocks")
    whole[at - listed["size"] + 20] ^= 1
    written.write_bytes(whole)

    read(written)

    assert not segment_file.verify(written)


def test_a_failed_write_leaves_what_was_there(written, monkeypatch):
    before = written.read_bytes()
    monkeypatch.setattr(segment_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))

    with pytest.raises(OSError, match="disk full"):
        segment_file.write(written, segments(4))

    assert written.read_bytes() == before
    assert len(list(written.parent.iterdir())) == 1


def test_a_file_that_is_not_there_and_one_that_is_no_side_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none")
    for content in (b"", b"QRRYPOST", b"x" * 500):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(InvalidSegmentFile):
            read(tmp_path / "x")
        assert not segment_file.verify(tmp_path / "x")


def test_discarding_twice_is_no_error(tmp_path):
    database = tmp_path / "i.db"
    segment_file.write(segment_file.path_beside(database), segments(3))

    segment_file.discard(database)
    segment_file.discard(database)

    assert list(tmp_path.iterdir()) == []
