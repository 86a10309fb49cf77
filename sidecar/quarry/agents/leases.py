"""
Leases: while a conversation goes on, the sidecar of its vault stays, though nobody asks it for an hour.

A lease is a file, not a request: a hook takes it before there is a sidecar, a sidecar that takes the place of another
finds it, and no connection has to be held by a process that ends at once. It runs out by its time where the client was
killed and never frees it.
"""

import contextlib
import os
import time
from pathlib import Path

from quarry.agents.conversations import KEPT_S, Conversation

KIND = "lease"
LOOK_S = 5.0  # between two looks at the folder: how much later than that a sidecar leaves matters to nobody


def take_lease(conversation: Conversation) -> None:
    """Take the lease of *conversation*, or renew it. Raises `OSError`."""
    conversation.write(KIND, "")


def free_lease(conversation: Conversation) -> None:
    """Free the lease of *conversation*."""
    conversation.drop(KIND)


class Leases:
    """The leases of one vault, as its sidecar sees them."""

    def __init__(self, folder: Path, vault: str) -> None:
        self._folder = folder
        self._prefix = f"{vault}."
        self._looked_s = -LOOK_S
        self._is_held = False

    def is_any_held(self) -> bool:
        """Whether a conversation with the vault goes on, as of at most `LOOK_S` ago."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= LOOK_S:
            self._looked_s, self._is_held = now_s, self._look()
        return self._is_held

    def _look(self) -> bool:
        now_s = time.time()
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:  # no folder: nobody ever took one
            for entry in entries:
                if entry.name.startswith(self._prefix) and entry.name.endswith(f".{KIND}"):
                    with contextlib.suppress(OSError):  # freed this moment
                        if abs(now_s - entry.stat(follow_symlinks=False).st_mtime) <= KEPT_S:
                            return True
        return False
