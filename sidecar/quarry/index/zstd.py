"""zstd frames with a checksum each: how they are made and opened."""

import threading
from collections.abc import Callable

import zstandard

FrameDamaged = zstandard.ZstdError


class _OfThread(threading.local):
    """A decompressor is not for two threads at once, and making one takes as long as decompressing a note with it."""

    def __init__(self) -> None:
        self.decompress = zstandard.ZstdDecompressor().decompress


_of_thread = _OfThread()


def compressed(data: bytes, level: int) -> bytes:
    """*data* as one frame. Making a compressor costs 2 us, and it is not for two threads at once."""
    return zstandard.ZstdCompressor(level=level, write_checksum=True).compress(data)


def decompressor() -> Callable[[bytes | memoryview, int], bytes | None]:
    """
    What gives the content of a frame, and None where that is longer than so many bytes, or of no told length.

    A damaged length must not ask for all memory. Raises `FrameDamaged` where it is no frame of ours.
    """
    size_of, decompress = zstandard.frame_content_size, _of_thread.decompress
    return lambda frame, at_most: decompress(frame) if 0 <= size_of(frame) <= at_most else None
