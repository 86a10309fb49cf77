import ctypes
import subprocess
import sys

import pytest

HAS_HEAPS = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_info")

COUNT = """
import ctypes, sys, threading

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
allocated = threading.Barrier(5)

def allocate():
    libc.malloc(1000)
    allocated.wait(60)
    allocated.wait(60)

{first}
for _ in range(4):
    threading.Thread(target=allocate).start()
allocated.wait(60)
told = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, told)
libc.fclose(told)
allocated.wait(60)
"""
SHARE = "from quarry.interfaces.heap import limit_malloc_arenas; limit_malloc_arenas()"


@pytest.mark.skipif(not HAS_HEAPS, reason="only glibc has heaps of threads")
def test_threads_that_begin_afterwards_share_one_heap(tmp_path):
    counts = []
    for number, first in enumerate(("", SHARE)):
        told = tmp_path / f"{number}.xml"
        subprocess.run([sys.executable, "-c", COUNT.format(first=first), told], check=True)
        counts.append(told.read_text().count("<heap nr="))

    assert counts[0] > 1
    assert counts[1] == 1
