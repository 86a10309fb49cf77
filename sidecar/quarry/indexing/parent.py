"""
The serving process, seen from one of its own: what it says, what is said to it, and the end that comes with it.

A process of ours is never left behind: a thread reads the input all the time, and its end, which the system sees to
however the serving process ends, ends the process in the middle of whatever it does.
"""

import os
import queue
import signal
import threading
from typing import IO, Any

from quarry.indexing.frames import Heartbeat, encode_frame, read_frame

ALIVE_EVERY_S = 1.0

_IN, _OUT = 0, 1


class ParentConnection:
    """Made once, first of all: from then on nobody else reads or writes our standard input and output."""

    def __init__(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the serving process, which ends us
        self._input, self._output = _take_pipes()
        self._writing = threading.Lock()
        self._heard: queue.SimpleQueue[object] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._live, daemon=True).start()

    def take(self) -> Any:
        """The next thing it says, waiting for as long as that takes."""
        return self._heard.get()

    def tell(self, value: object) -> None:
        """Say *value*; where nobody listens any more, this ends the process."""
        frame = encode_frame(value)
        try:
            with self._writing:
                self._output.write(frame)
                self._output.flush()
        except OSError:
            os._exit(1)

    def _listen(self) -> None:
        while (value := read_frame(self._input)) is not None:
            self._heard.put(value)
        os._exit(0)  # a thread cannot end a process otherwise

    def _live(self) -> None:
        rest = threading.Event()
        while not rest.wait(ALIVE_EVERY_S):
            self.tell(Heartbeat())


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Our two pipes, kept from whatever prints or reads by habit."""
    requests, replies = os.fdopen(os.dup(_IN), "rb"), os.fdopen(os.dup(_OUT), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, _IN)
    os.dup2(nowhere, _OUT)
    return requests, replies
