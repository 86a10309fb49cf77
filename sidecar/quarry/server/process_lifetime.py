"""
The lifetime of a sidecar: it ends with the process that started it, or when it is no longer used.

Started by the plugin: its stdin, which the system closes with the parent however that ends, and the parent's process
id. Started by a tool: being asked. The process id is watched only where it can be seen: in a container, or under
Flatpak, the parent's number means nothing here, and stdin decides alone.
"""

import asyncio
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

PARENT_POLL_S = 2.0
IDLE_POLL_S = 1.0
LEAVE_TIMEOUT_S = 20.0  # to finish the notes in hand; a drive that hangs must not keep us, and a killed index is sound

_PARENT = os.getppid()  # when we began: one that dies before it is watched would look like any other process

_M_ARENA_MAX = -8  # of glibc's malloc.h
_STDIN = 0  # not sys.stdin, which is None where the descriptor was closed: that, too, is the end


def limit_malloc_arenas() -> None:
    """
    Have all threads allocate from one heap; to be called before any starts. It only has an effect with glibc.

    With one arena for each of ten threads, 15 to 20 of 155 MB were free in some of them and allocated anew in others.
    The interpreter's lock serialises most allocations anyway: no query took longer.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def watch_stdin(leave: Callable[[], None]) -> None:
    """Call *leave*, on a thread of its own, when standard input ends."""

    def read_to_the_end() -> None:
        try:
            while os.read(_STDIN, 4096):
                pass  # nothing is said this way; only the end counts
        except OSError:
            pass  # as good as its end
        leave()

    threading.Thread(target=read_to_the_end, name="quarry-lifeline", daemon=True).start()


async def watch_parent(pid: int, leave: Callable[[], None]) -> None:
    """Call *leave* when the process *pid* is gone, if it could be seen to begin with."""
    if sys.platform == "win32" or not _exists(pid):
        return  # Windows: asking needs a handle that may be another process's by now; stdin is sure there
    is_ours = pid == _PARENT
    while _is_our_parent(pid) if is_ours else _exists(pid):
        await asyncio.sleep(PARENT_POLL_S)
    leave()


async def watch_idle(idle_s: float, last_used_s: Callable[[], float], leave: Callable[[], None]) -> None:
    """Call *leave* once *last_used_s*, a time of the monotonic clock, lies *idle_s* seconds back."""
    while time.monotonic() - last_used_s() < idle_s:
        await asyncio.sleep(min(IDLE_POLL_S, idle_s))
    leave()


def exit_after(timeout_s: float = LEAVE_TIMEOUT_S) -> None:
    """End this process in *timeout_s* seconds if it has not ended by then, whatever its threads are waiting for."""
    last_word = threading.Timer(timeout_s, os._exit, args=(1,))
    last_word.daemon = True
    last_word.start()


def _is_our_parent(pid: int) -> bool:
    """A parent is gone the moment we have another, also while it lies there unburied or its number is in use again."""
    return os.getppid() == pid


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # it is there, and not ours
    return True
