"""
The conversations that are held over HTTP: those of the handshake's revisions have sessions, stateless ones have none.

A session ends when its client deletes it, or has not used it for an hour; the oldest unused one makes room for a new
one. What a server says unasked waits for the session's GET stream, up to a bound.
"""

import queue
import secrets
import threading
import time

from quarry.mcp.messages import Message
from quarry.mcp.peer import Peer
from quarry.mcp.server import Server

MAX_SESSIONS = 32  # a person has a handful of clients, and some never say goodbye
UNUSED_S = 3600.0
MAX_UNREAD = 256  # messages of a stream that nobody reads, or too slowly

Item = Message | list[Message] | None


class Outgoing:
    """The queue of messages to send in answer to one request, or on a session's stream; its end is signalled once."""

    def __init__(self) -> None:
        self._items: queue.Queue[tuple[Item, bool]] = queue.Queue(MAX_UNREAD)

    def send(self, message: Message) -> None:
        """Queue a notification; one too many is dropped, as its reader is told by the next."""
        try:
            self._items.put_nowait((message, False))
        except queue.Full:
            return

    def finish(self, answer: Item) -> None:
        """Queue the answer, None where none is due: there is nothing after it."""
        while True:
            try:
                self._items.put_nowait((answer, True))
            except queue.Full:
                self._items.get_nowait()
            else:
                return

    def next(self, timeout_s: float) -> tuple[Item, bool] | None:
        """The next message, and whether it is the last; None where none came in *timeout_s*."""
        try:
            return self._items.get(timeout=timeout_s)
        except queue.Empty:
            return None


class HttpSession:
    """A conversation with a handshake."""

    def __init__(self, server: Server) -> None:
        self.id = secrets.token_hex(16)
        self.unasked = Outgoing()
        self.peer = Peer(server, self.unasked.send)
        self.used_s = time.monotonic()
        self.is_streaming = threading.Lock()


class Sessions:
    """The sessions that are open, by their id."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._open: dict[str, HttpSession] = {}
        self._lock = threading.Lock()

    def begin(self) -> HttpSession:
        """A new session; one that was not used for long makes room for it, else the one unused for longest."""
        session = HttpSession(self._server)
        with self._lock:
            by_age = sorted(self._open.values(), key=lambda one: one.used_s)
            limit_s = time.monotonic() - UNUSED_S
            ended = [one for one in by_age if one.used_s < limit_s]
            if not ended and len(by_age) >= MAX_SESSIONS:
                ended = by_age[:1]
            for one in ended:
                del self._open[one.id]
            self._open[session.id] = session
        for one in ended:
            _end(one)
        return session

    def find(self, session_id: str) -> HttpSession | None:
        """The open session with this id, which is used now."""
        with self._lock:
            session = self._open.get(session_id)
            if session:
                session.used_s = time.monotonic()
            return session

    def end(self, session_id: str) -> None:
        """End a session: its calls are given up, its stream ends."""
        with self._lock:
            session = self._open.pop(session_id, None)
        if session:
            _end(session)

    def close(self) -> None:
        """End all."""
        with self._lock:
            ended, self._open = list(self._open.values()), {}
        for session in ended:
            _end(session)


def _end(session: HttpSession) -> None:
    session.peer.cancel_all()
    session.peer.close()
    session.unasked.finish(None)
