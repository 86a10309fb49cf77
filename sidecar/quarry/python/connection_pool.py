"""
Connections of one program to one sidecar, shared by its threads, and the wire's errors as exceptions.

Each request has a connection to itself while it lasts.
"""

import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

from quarry import errors
from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.server.failures import error_class_of

CLIENT_NAME = "python"
MAX_CONNECTIONS_EACH = 4  # a sidecar answers four searches at a time; more connections would only queue there

GIVEN_UP: ContextVar[threading.Event | None] = ContextVar("GIVEN_UP", default=None)
"""Set where the caller no longer wants the answer, as a cancelled task does."""

OF_THE_WIRE: Mapping[str, type[errors.QuarryError]] = {
    "invalid-params": errors.BadRequest,
    "invalid-request": errors.BadRequest,
    "forbidden": errors.Unauthorized,
    "method-not-found": errors.ProtocolMismatch,
}
"""`kind` of an error -> its class, if the wire itself refuses; all other kinds are errors of the engine."""

_BAD_PARAMETER = re.compile(r"[^:]+: (?P<what>.+) - at `\$\.(?P<parameter>\w+).*`")
_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


class Transport(Protocol):
    """A channel that carries requests to an index and replies back. Safe for use by any thread."""

    def ask(self, method: str, params: wire.Params, *, as_owner: bool = False) -> Any:
        """
        The result of a request, *as_owner* for methods that change the vault.

        Raises:
            QuarryError: As `quarry.errors` has it; never `RequestFailed`.
        """

    def close(self) -> None:
        """Release all resources."""


class ConnectionPool:
    """
    A few connections to the sidecar of one vault, opened when they are needed and kept for the next request.

    A sidecar that ended is replaced, once per request, by `SidecarClient`. A connection whose request was given up
    half-way (Ctrl-C, no answer in time) is closed, as its next message would not answer the next request.
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

    def ask(self, method: str, params: wire.Params, *, as_owner: bool = False) -> Any:
        """The result of a request; see `Transport`."""
        given_up = GIVEN_UP.get()
        gives_up = (lambda _: given_up.is_set()) if given_up else None
        with self._turns, as_errors(), self._owner() if as_owner else self._borrowed() as client:
            return client.ask(method, params, gives_up)

    def close(self) -> None:
        """Close all connections, those of open requests when they are answered; the sidecar keeps running."""
        self._is_closed = True
        while self._free:
            self._free.pop().close()

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
        """A connection with the owner's token, for one request that the other connections may not make."""
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
        """After a fork: the sockets are the parent's, and so are the answers that arrive over them."""
        parents, self._free, self._process = self._free, [], os.getpid()
        for client in parents:
            client.abandon()

    def _connect(self) -> SidecarClient:
        return SidecarClient(self.root, CLIENT_NAME, may_start=self._may_start)


@contextmanager
def as_errors() -> Iterator[None]:
    """Raise errors of the wire inside the block as exceptions of `quarry.errors`."""
    try:
        yield
    except RequestFailed as failed:
        raise exception_of(failed) from None


def exception_of(failed: RequestFailed) -> errors.QuarryError:
    """The exception for a request that was refused; what to do next is its note, which a traceback shows."""
    error: errors.QuarryError
    if refused := _BAD_PARAMETER.fullmatch(str(failed)):  # its parameter is named as on the wire
        return errors.BadRequest(f"{_snake_case(refused['parameter'])}: {refused['what']}")
    if failed.kind == "bad-query":
        error = errors.BadQuery(str(failed), wire.code_points(failed.query or "", [failed.position or 0])[0])
    else:
        error = (OF_THE_WIRE.get(failed.kind) or error_class_of(failed.kind))(str(failed))
    error.add_note(f"Next: {failed.next}.")
    return error


def _snake_case(name: str) -> str:
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)
