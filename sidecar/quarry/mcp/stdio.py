"""
MCP on standard input and output: one message a line, until the input ends.

Calls at work when it ends are answered before this process leaves. Nothing but messages goes to standard output: what
anything else prints goes to standard error.
"""

import sys
import threading
from typing import BinaryIO

from quarry.mcp.messages import INVALID_REQUEST, Message, ProtocolError, encoded, error_message
from quarry.mcp.peer import Peer
from quarry.mcp.server import Server
from quarry.mcp.vaults import Vaults

MAX_LINE_BYTES = 4 * 2**20  # a text to find the like of has 100 KB; this only bounds accidents
DRAIN_S = 15.0  # for calls at work when the input ends; a search takes a fraction of a second


def serve_stdio(vaults: Vaults) -> None:
    """Serve until standard input ends, or nobody reads what is answered."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    serve_streams(vaults, source, sink)


def serve_streams(vaults: Vaults, source: BinaryIO, sink: BinaryIO) -> None:
    """Serve the client that writes to *source* and reads from *sink*."""
    server = Server(vaults)
    writer = _Writer(sink)
    peer = Peer(server, writer.send)
    while not writer.is_closed and (line := source.readline(MAX_LINE_BYTES + 1)):
        if len(line) > MAX_LINE_BYTES:
            _skip_line(source, line)
            too_long = ProtocolError(INVALID_REQUEST, f"a message has at most {MAX_LINE_BYTES:,} bytes")
            writer.finish(error_message(too_long))
        elif line.strip():
            peer.receive(line, writer)
    server.workers.drain(DRAIN_S)
    peer.close()
    server.close()


def _skip_line(source: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = source.readline(MAX_LINE_BYTES)


class _Writer:
    """Writes messages, from any thread, one at a time."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self.is_closed = False

    def send(self, message: Message) -> None:
        """Write a notification."""
        self.finish(message)

    def finish(self, answer: Message | list[Message] | None) -> None:
        """Write an answer; None: there is none."""
        if answer is None or self.is_closed:
            return
        line = encoded(answer) + b"\n"
        with self._lock:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (OSError, ValueError):  # nobody reads any more
                self.is_closed = True
