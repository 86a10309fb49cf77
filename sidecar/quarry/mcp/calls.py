"""A request at work: whether it is still wanted, and how its client is told of progress."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from quarry.mcp.messages import Id, Message, notification_message

PROGRESS_INTERVAL_S = 1.0  # a person begins to wonder after a second

Send = Callable[[Message], None]


class CallCancelled(Exception):
    """The client takes no answer any more."""


class PendingCall:
    """One request of a client, from its arrival to its answer."""

    def __init__(self, request_id: Id, version: str, send: Send, meta: Mapping[str, Any]) -> None:
        """
        Begin it.

        Args:
            version: The revision of the protocol that the request is of.
            send: Where notifications that belong to it go.
            meta: Its `_meta`, which may ask for progress.
        """
        self.id = request_id
        self.version = version
        self.send = send
        self.meta = meta
        token = meta.get("progressToken")
        self._token = token if isinstance(token, str | int) and not isinstance(token, bool) else None
        self._begun_s = time.monotonic()
        self._told_s = 0.0
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Give it up; nothing more is sent for it."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether its client has given it up."""
        return self._cancelled.is_set()

    def wait(self, said: str) -> bool:
        """Called again and again while a sidecar is waited for: tell of progress. Returns whether to give up."""
        elapsed_s = time.monotonic() - self._begun_s
        if self._token is not None and not self.is_cancelled and elapsed_s - self._told_s >= PROGRESS_INTERVAL_S:
            self._told_s = elapsed_s
            progress = {"progressToken": self._token, "progress": round(elapsed_s, 1), "message": said}
            self.send(notification_message("notifications/progress", progress))
        return self.is_cancelled
