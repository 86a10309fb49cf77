"""Free memory goes back to the system."""

import ctypes
import sys
from pathlib import Path

import pytest
from builders import find, wait_until

from quarry.indexing import sync
from quarry.indexing.heap import give_back_free_memory

HAS_GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")
BLOCK_BYTES = 1_000  # so large that it comes from the C library, so small that it shares pages


def resident_bytes() -> int:
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.skipif(not HAS_GLIBC, reason="only glibc keeps free pages between those in use")
def test_free_pages_between_those_in_use_are_given_back():
    blocks = [bytes(BLOCK_BYTES) for _ in range(50_000)]
    kept = blocks[::1_000]
    del blocks
    before = resident_bytes()

    give_back_free_memory()

    assert before - resident_bytes() > 25_000 * BLOCK_BYTES
    assert len(kept) == 50


def test_free_memory_is_given_back_when_something_was_searched(vault, open_engine, monkeypatch):
    given_back: list[None] = []
    monkeypatch.setattr(sync, "give_back_free_memory", lambda: given_back.append(None))
    vault.write("a.md", "walnut")
    engine = open_engine()
    given_back.clear()

    find(engine, "walnut")

    wait_until(lambda: len(given_back) == 1)
