import pytest

from quarry.index.zstd import FrameDamaged, compressed, decompressed

TEXT = b"apples and pears, " * 40


def test_a_frame_gives_its_content_back_up_to_the_limit():
    frame = compressed(TEXT, 3)

    assert len(frame) < len(TEXT)
    assert decompressed(frame, len(TEXT)) == TEXT
    assert decompressed(memoryview(frame), len(TEXT)) == TEXT
    assert decompressed(frame, len(TEXT) - 1) is None


def test_every_changed_byte_of_the_content_is_noticed():
    frame = compressed(TEXT, 3)

    for at in range(8, len(frame)):
        changed = bytearray(frame)
        changed[at] ^= 0x10
        with pytest.raises(FrameDamaged):
            decompressed(changed, 2 * len(TEXT))
