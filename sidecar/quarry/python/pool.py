"""
Connections of one program to one sidecar, which its threads share: each request has one to itself while it lasts.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from quarry import errors
from quarry.client.client import SidecarClient
from quarry.python.refusals import as_errors

CLIENT_NAME = "python"
MAX_CONNECTIONS_EACH = 4  # a sidecar answers four searches at a time; more connections would only queue there


class Transport(Protocol):
    """A channel that carries requests to an index and replies back. Safe for use by any thread."""

    def ask(self, method: str, params: Mapping[str, object], *, as_owner: bool = False) -> Any:
        """
        Ask, *as_owner* for what changes the vault; gives the result, its objects as `Reply`.

        Raises:
            QuarryError: As `quarry.errors` has it; `RequestFailed` is none that a caller sees.
        """

    def close(self) -> None:
        """Let go of what asking needs."""


class ConnectionPool:
    """
    A few connections to the sidecar of one vault, made when they are needed and kept for the next request.

    A sidecar that ended is replaced, once a request, by `SidecarClient`. A connection whose request was given up
    half-way (Ctrl-C, no answer in time) is closed, as what comes over it next is no answer to the next request.
    """

    def __init__(self, root: Path, *, may_start: bool) -> None:
        """
        Attach to the sidecar of the vault at *root*, starting one if there is none and *may_start*.

        Raises:
            VaultMissing, SidecarBusy, ConnectionFailed, ProtocolMismatch: As `SidecarClient`.
        """
        self.root = root
        self._may_start = may_start
        self._turns = threading.BoundedSemaphore(MAX_CONNECTIONS_EACH)
        self._is_closed = False
        self._process = os.getpid()
        with as_errors():
            first = self._connect()
        self._free = [first]
        self.is_new = first.started_sidecar or first.hello.status.indexed_ms is None

    def ask(self, method: str, params: Mapping[str, object], *, as_owner: bool = False) -> Any:
        """The result of a request; see `Transport`."""
        with self._turns, as_errors(), self._owner() if as_owner else self._borrowed() as client:
            return client.ask(method, params)

    def close(self) -> None:
        """Close all connections, those of requests under way when they are answered; the sidecar keeps running."""
        self._is_closed = True
        self._close_free()

    @contextmanager
    def _borrowed(self) -> Iterator[SidecarClient]:
        """A connection for one request; kept for the next unless the request failed half-way."""
        client = self._take()
        is_usable = False
        try:
            yield client
            is_usable = True
        except errors.QuarryError as error:
            is_usable = not isinstance(error, errors.ConnectionFailed)
            raise
        finally:
            if is_usable and not self._is_closed:
                self._free.append(client)
            else:
                client.close()

    def _owner(self) -> SidecarClient:
        """A connection with the owner's token, for one request: the others cannot do what only it may."""
        self._require_open()
        return SidecarClient(self.root, CLIENT_NAME, may_start=self._may_start, as_owner=True)

    def _require_open(self) -> None:
        if self._is_closed:
            raise errors.ConnectionFailed(f"{self.root} was closed here; open it again with quarry.open()")

    def _take(self) -> SidecarClient:
        self._require_open()
        if self._process != os.getpid():
            self._abandon_parents()
        try:
            return self._free.pop()  # of a list, which takes and gives in one step under the interpreter's lock
        except IndexError:
            return self._connect()

    def _abandon_parents(self) -> None:
        """After a fork: the sockets are the parent's, and so are the answers that come over them."""
        parents, self._free, self._process = self._free, [], os.getpid()
        for client in parents:
            client.abandon()

    def _connect(self) -> SidecarClient:
        return SidecarClient(self.root, CLIENT_NAME, may_start=self._may_start)

    def _close_free(self) -> None:
        while self._free:
            self._free.pop().close()
