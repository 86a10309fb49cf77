"""
How a tool reaches the sidecar of a vault: attach to the one that is running, or start one, then send requests.

The command line, the MCP server and the Python API use this client. If the sidecar ends while a request is open
(Obsidian was closed), it is replaced once and the request is sent again. Results are the structs of `quarry.protocol`.
"""

import contextlib
import logging
import math
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from quarry import __version__, errors
from quarry import protocol as wire
from quarry.client.codec import RequestFailed, decoded, notification_in, request_params, request_text, result_of
from quarry.client.discovery import NO_PORT, Discovery, VaultLock, discovery_path, read_discovery, token_of
from quarry.client.launch import start_sidecar
from quarry.config import runtime_dir
from quarry.limits import MAX_CONNECTIONS, MAX_WAIT_MS, PROTOCOL_VERSION
from quarry.protocol.envelope import Notification, ServerMessage
from quarry.vault.paths import vault_id

REPLY_TIMEOUT_S = 30.0
ATTACH_TIMEOUT_S = 30.0  # a sidecar that is stopping finishes its notes first, one that is starting opens its index
ATTACH_POLL_S = 0.05
BUSY_PATIENCE_S = 0.5  # clients come and go; a client that is refused as "busy" is told so within a second
CLOSE_TIMEOUT_S = 0.5  # a sidecar answers a close frame within a millisecond; one that is suspended never does
WAIT_POLL_S = 0.05  # how often a caller that may give up is asked; a person notices no less
MAX_STARTS = 3  # of sidecars that exit at once; a fourth would exit, too
STATUS_POLL_S = 2.0  # ask after so long without a notification: one can be lost, and a caller must not wait for ever
READY_POLL_S = 0.1  # between two requests to wait, if the first was answered before the work was done
MAX_REPLY_BYTES = 64 * 2**20  # a reply of 100 hits in full is a tenth of a megabyte; this only bounds accidents

_log = logging.getLogger("quarry.websockets")
_log.setLevel(logging.CRITICAL)  # a lost connection is an error that the caller gets, not a line in its log


class ConnectionLost(Exception):
    """The connection to the sidecar is closed or broken."""


class SidecarClient:
    """One connection to the sidecar of one vault. Not to be shared between threads."""

    def __init__(
        self,
        root: Path,
        name: str,
        *,
        may_start: bool = True,
        as_owner: bool = False,
        patience_s: float = ATTACH_TIMEOUT_S,
        only: tuple[str, ...] = (),
    ) -> None:
        """
        Attach to the sidecar of the vault at *root*, starting one if there is none and *may_start*.

        Args:
            as_owner: With the owner's token, for methods that need it. A client that acts for an agent never has it.
            patience_s: How long a running sidecar may take to answer.
            only: The folders of the part of the vault whose sidecar is meant; empty: that of the whole vault.

        Raises:
            VaultMissing: There is no such folder.
            VaultLocked: A program has opened the vault exclusively.
            SidecarBusy: It serves as many clients as it can.
            ConnectionFailed: None is running and none may be started, or it did not come up; the message says why.
            ProtocolMismatch: It speaks another version.
        """
        if not root.is_dir():
            raise errors.VaultMissing(f"there is no folder {root}")
        self.root = root
        self.started_sidecar = False
        self._name = name
        self._may_start = may_start
        self._as_owner = as_owner
        self._patience_s = patience_s
        self._next_id = 0
        self._only = only
        self._id = vault_id(root, only)
        self.discovery_path = discovery_path(runtime_dir(), self._id)
        self._lock = VaultLock(runtime_dir(), self._id)
        self._open = contextlib.ExitStack()
        self._socket: socket.socket | None = None
        self._connection: ClientConnection | None = None
        self.hello: wire.InitializeResult
        try:
            self._attach()
        except BaseException:  # the caller gets no client that it could close
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the sidecar keeps running."""
        self._connection = self._socket = None
        self._open.close()

    def abandon(self) -> None:
        """Release the connection without a close frame: after a fork, it is the parent's."""
        self._open.pop_all()
        if self._socket:
            self._socket.close()
        self._connection = self._socket = None

    def ask(
        self,
        method: str,
        params: Mapping[str, object] | wire.Params | None = None,
        gives_up: Callable[[Notification | None], bool] | None = None,
    ) -> Any:
        """
        Send a request and wait for its result, through one change of sidecar if need be.

        Args:
            params: The struct of the method, or a mapping by names of the wire, of which those that are None are left
                out.
            gives_up: Called every `WAIT_POLL_S`, and with each notification that arrives meanwhile. Once it returns
                true, the sidecar is told to cancel the request, which then raises `RequestFailed`.

        Returns:
            The result, as the struct that `protocol.REQUESTS` gives for *method*.

        Raises:
            RequestFailed: The sidecar refused it.
            BadRequest: A parameter is not valid Unicode.
            ConnectionFailed: The sidecar cannot be reached any more, or its answer does not follow the protocol.
        """
        try:
            return self._ask(method, params, gives_up)
        except ConnectionLost:
            self._attach()
        try:
            return self._ask(method, params, gives_up)
        except ConnectionLost as error:
            raise errors.ConnectionFailed("the sidecar ended twice while answering") from error

    def shut_down(self) -> None:
        """Stop the sidecar, as its owner. Its other clients start a new one."""
        with contextlib.suppress(ConnectionLost):  # it has exited already, and none is started only to be stopped
            self._ask("shutdown", None)

    def status(self) -> wire.IndexStatus:
        """The status of the index: its contents and current work."""
        status: wire.IndexStatus = self.ask("index/status")
        return status

    def wait_until_complete(self, timeout_s: float) -> None:
        """Wait until answers are complete: a sidecar that has just started still reads its notes and its model."""
        deadline_s = time.monotonic() + timeout_s
        while (left_s := deadline_s - time.monotonic()) > 0:
            # The sidecar waits, unless it expects the work to take longer; then it is asked again.
            params = wire.ListNotesParams(limit=1, wait_ms=min(MAX_WAIT_MS, math.ceil(left_s * 1000)))
            self.ask("notes/list", params)
            if (status := self.status()).is_complete or status.state in ("rebuilding", "paused", "failed"):
                return
            time.sleep(READY_POLL_S)

    def statuses(self, poll_s: float = STATUS_POLL_S) -> Iterator[wire.IndexStatus]:
        """Yield the status now, at each notification of progress, and at least every *poll_s*; endless."""
        while True:
            yield self.status()
            with contextlib.suppress(TimeoutError, ConnectionLost):  # `status` asks again, or attaches to a successor
                while True:
                    if status := _status_in(notification_in(self._receive(poll_s))):
                        yield status

    # --- connecting ----------------------------------------------------------------------------

    def _attach(self) -> None:
        """
        Connect to the process that holds the vault's lock, or start a sidecar if none does.

        The lock is checked first: a discovery file without it was left by a sidecar that was killed, and another
        program may use its port by now. A holder of the lock that does not answer may be stopping or still starting.
        """
        begun_s = time.monotonic()
        deadline_s = begun_s + self._patience_s
        starts = 0
        while time.monotonic() < deadline_s and starts < MAX_STARTS:
            if not self._lock.is_held():
                starts += self._start()
                continue
            discovery = read_discovery(self.discovery_path)
            if discovery and discovery.port == NO_PORT:
                raise errors.VaultLocked(
                    f"process {discovery.pid} has {self.root} open exclusively (quarry.Engine); close it there, "
                    "or have it use quarry.open, which leaves the vault open to other programs"
                )
            try:
                if discovery and self._call(discovery):
                    return
            except errors.SidecarBusy:
                if time.monotonic() > begun_s + BUSY_PATIENCE_S:
                    raise
            time.sleep(ATTACH_POLL_S)
        if starts == MAX_STARTS:
            raise errors.ConnectionFailed(f"the sidecar of {self.root} exits as soon as it has started")
        discovery = read_discovery(self.discovery_path)
        holder = f"process {discovery.pid}" if discovery else "another process"
        raise errors.ConnectionFailed(f"{holder} serves {self.root} but does not answer; stop it and try again")

    def _start(self) -> bool:
        """Start a sidecar; returns whether this one took the vault's lock, rather than another."""
        if not self._may_start:
            raise errors.ConnectionFailed(f"no sidecar is running for {self.root}; start one with `quarry serve`")
        is_ours = start_sidecar(self.root, self._only).ready
        self.started_sidecar = self.started_sidecar or is_ours
        return is_ours

    def _call(self, discovery: Discovery) -> bool:
        """
        Connect and authenticate; false if the sidecar cannot be reached, has another token or serves another vault.

        Raises:
            SidecarBusy: It serves as many clients as it can.
            ProtocolMismatch: It speaks another version.
        """
        if discovery.protocol != PROTOCOL_VERSION:
            raise errors.ProtocolMismatch(
                f"the sidecar of {self.root} (version {discovery.version}) speaks protocol {discovery.protocol}, this "
                f"tool (version {__version__}) speaks {PROTOCOL_VERSION}; update the older of the two"
            )
        self.close()  # the connection before, which is lost
        try:
            self._connect(discovery.port)
        except InvalidStatus as refusal:
            if refusal.response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                raise errors.SidecarBusy(
                    f"busy: the sidecar of {self.root} (process {discovery.pid}) serves {MAX_CONNECTIONS} clients"
                ) from refusal
            return False
        except (OSError, ValueError, WebSocketException):  # ValueError: the answer redirects
            return False
        params = wire.InitializeParams(
            token=token_of(discovery, as_owner=self._as_owner),
            protocol=PROTOCOL_VERSION,
            client=wire.Client(name=self._name, version=__version__),
        )
        try:
            self.hello = self._ask("initialize", params)
        except ConnectionLost:
            return False
        except RequestFailed as failed:
            self.close()
            if failed.kind == "unauthorized":  # it exited, and its successor is writing the file
                return False
            if failed.kind == "protocol-mismatch":
                raise errors.ProtocolMismatch(str(failed)) from failed
            raise
        if self.hello.vault.id != self._id:  # another vault's file is in the place of this one's
            self.close()
            return False
        return True

    def _connect(self, port: int) -> None:
        """Open a WebSocket to *port* of this machine: no name is looked up, no proxy used, no redirect followed."""
        timeout_s = min(REPLY_TIMEOUT_S, self._patience_s)
        self._socket = socket.create_connection(("127.0.0.1", port), timeout_s)
        self._open.callback(self._socket.close)
        self._socket.settimeout(REPLY_TIMEOUT_S)  # of sending: a suspended sidecar reads nothing
        opening = connect(
            f"ws://127.0.0.1:{port}/",
            sock=self._socket,
            proxy=None,
            compression=None,
            open_timeout=timeout_s,
            close_timeout=CLOSE_TIMEOUT_S,
            ping_interval=None,  # the sidecar pings; and a local socket that breaks is reported by the system
            max_size=MAX_REPLY_BYTES,
            max_queue=None,  # so that closing does not wait for messages that are not read (websockets issue 1336)
            logger=_log,
        )
        self._connection = self._open.enter_context(opening)

    # --- asking --------------------------------------------------------------------------------

    def _ask(
        self,
        method: str,
        params: Mapping[str, object] | wire.Params | None,
        gives_up: Callable[[Notification | None], bool] | None = None,
    ) -> Any:
        self._next_id += 1
        request_id = self._next_id
        given = request_params(params)
        wait_ms = given.get("waitMs")
        timeout_s = REPLY_TIMEOUT_S + (wait_ms / 1000 if isinstance(wait_ms, int) else 0)
        try:
            self._send({"id": request_id, "method": method, "params": given})
            reply = self._answer_to(request_id, time.monotonic() + timeout_s, gives_up)
        except TimeoutError as error:
            raise errors.ConnectionFailed(f"the sidecar did not answer within {timeout_s:.0f} s") from error
        return result_of(reply, method, given)

    def _answer_to(
        self, request_id: int, deadline_s: float, gives_up: Callable[[Notification | None], bool] | None
    ) -> ServerMessage:
        """The answer to a request. Notifications that arrive before it are older than the answer, so it is dropped."""
        is_cancelled = False
        while True:
            left_s = deadline_s - time.monotonic()
            news: Notification | None = None
            try:
                message = self._receive(left_s if gives_up is None or is_cancelled else min(left_s, WAIT_POLL_S))
                if message.id == request_id:
                    return message
                news = notification_in(message)
            except TimeoutError:
                if gives_up is None or left_s <= 0:
                    raise
            if gives_up and not is_cancelled and gives_up(news):
                is_cancelled = True
                self._send({"method": "$/cancel", "params": {"id": request_id}})

    def _send(self, message: Mapping[str, object]) -> None:
        if self._connection is None:
            raise ConnectionLost("the connection is closed")
        text = request_text(message)
        try:
            self._connection.send(text)
        except ConnectionClosed as closed:
            raise ConnectionLost(str(closed)) from closed

    def _receive(self, timeout_s: float) -> ServerMessage:
        if self._connection is None:
            raise ConnectionLost("the connection is closed")
        try:
            frame = self._connection.recv(timeout_s)
        except ConnectionClosed as closed:
            raise ConnectionLost(str(closed)) from closed
        return decoded(frame, ServerMessage)


def _status_in(news: Notification | None) -> wire.IndexStatus | None:
    """The status that a notification carries."""
    params = news.params if news else None
    return params.status if isinstance(params, wire.IndexUpdated) else params
