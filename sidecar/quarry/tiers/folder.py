"""A tier that is a folder of notes: another vault, notes in a repository, what agents keep."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.limits import MAX_WAIT_MS
from quarry.messages import Message, message
from quarry.options import SearchOptions
from quarry.tiers.connected import ConnectedTier
from quarry.tiers.tier import Absent

CLIENT_NAME = "tiers"
WAITED = 0.8  # of the time that is left, for the notes of a sidecar that has just started


class FolderTier:
    """
    A folder, asked over the socket of its sidecar, which is started where none runs.

    With the reader's token, as any tool: it opens this one vault, for reading. Connections are kept until `close`.
    """

    def __init__(self, connected: ConnectedTier) -> None:
        assert connected.folder
        self._root = connected.folder
        self._name = connected.name
        self._free: list[SidecarClient] = []
        self._attaching = threading.Lock()  # the first one starts the sidecar, the others find it

    def search(self, options: SearchOptions, deadline_s: float, is_cancelled: Callable[[], bool]) -> wire.TierAnswer:
        """See `Tier`."""
        if obstacle := self.obstacle():
            raise Absent(obstacle)
        with self._client() as (client, is_new):
            is_starting = client.started_sidecar or client.hello.status.indexed_ms is None
            if is_new and is_starting:  # half of the notes are not there yet
                left_ms = 1000 * (deadline_s - time.monotonic())
                options = replace(options, wait_ms=min(MAX_WAIT_MS, max(options.wait_ms, int(WAITED * left_ms))))
            answer: wire.TierAnswer = client.ask(
                "tiers/answer", options, lambda _: is_cancelled() or time.monotonic() > deadline_s
            )
        return answer

    def obstacle(self) -> Message | None:
        """See `Tier`. A repository can put a link in the place of a folder, which would lead anywhere."""
        if not self._root.is_dir():
            return message("absent.missing", name=self._name, path=str(self._root))
        if os.path.realpath(self._root) != str(self._root):
            return message("absent.moved", name=self._name, path=str(self._root))
        return None

    def close(self) -> None:
        """Close the connections that no search uses, so that the sidecar may leave."""
        while self._free:
            self._free.pop().close()

    @contextmanager
    def _client(self) -> Iterator[tuple[SidecarClient, bool]]:
        """A connection for one search, and whether it is a new one."""
        client, is_new = self._take()
        is_usable = False
        try:
            yield client, is_new
            is_usable = True
        except RequestFailed:
            is_usable = True
            raise
        finally:
            if is_usable:
                self._free.append(client)
            else:
                client.close()

    def _take(self) -> tuple[SidecarClient, bool]:
        try:
            return self._free.pop(), False  # of a list, which takes and gives in one step under the interpreter's lock
        except IndexError:
            with self._attaching:
                return SidecarClient(self._root, CLIENT_NAME), True
