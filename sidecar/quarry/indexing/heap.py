"""Memory that is free in the process goes back to the system."""

import ctypes
from contextlib import suppress


def give_back_free_memory() -> None:
    """
    Have glibc return the free pages of its heap to the system, wherever they lie; with another C library, do nothing.

    By itself it returns only those at the end. After some hundred searches that is 8 of 120 MB, for 1 ms.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
