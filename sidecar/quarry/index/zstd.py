"""zstd frames, each with a checksum."""

import threading

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


def decompressed(frame: bytes | memoryview, limit: int) -> bytes | None:
    """
    The content of *frame*; None where it is longer than *limit* bytes, or does not tell its length.

    So a damaged length does not ask for all memory.

    Raises:
        FrameDamaged: It is no frame of ours.
    """
    return _of_thread.decompress(frame) if 0 <= zstandard.frame_content_size(frame) <= limit else None
