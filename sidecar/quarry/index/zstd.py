"""zstd frames, each with a checksum."""

import threading
from collections.abc import Callable

import zstandard

FrameDamaged = zstandard.ZstdError


class _ThreadLocalDecompressor(threading.local):
    """A decompressor for each thread: two cannot share one, and making one costs as much as decompressing a note."""

    def __init__(self) -> None:
        self.decompress = zstandard.ZstdDecompressor().decompress


_of_thread = _ThreadLocalDecompressor()


def compressed(data: bytes, level: int) -> bytes:
    """*data* as one frame. Each call makes a compressor, which costs 2 us: two threads cannot share one."""
    return zstandard.ZstdCompressor(level=level, write_checksum=True).compress(data)


def decompressor() -> Callable[[bytes | memoryview, int], bytes | None]:
    """
    A function of a frame and a limit in bytes that gives the frame's content.

    It gives None where the content is longer than the limit, or its length not told, so that a damaged length does not
    ask for all memory. It raises `FrameDamaged` for what is no frame of ours.
    """
    size_of, decompress = zstandard.frame_content_size, _of_thread.decompress
    return lambda frame, limit: decompress(frame) if 0 <= size_of(frame) <= limit else None
