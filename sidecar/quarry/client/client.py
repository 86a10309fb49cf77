"""
How a tool reaches the sidecar of a vault: attach to the one that runs, or start one, then ask.

The CLI, the MCP server and hooks all come this way. A sidecar that ends while a question is open (Obsidian was closed)
is replaced, once, and the question asked again. Replies are JSON; `typed_client` has the wire's structs instead.
"""

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from quarry import __version__, errors
from quarry.client.discovery import NO_PORT, Discovery, VaultLock, discovery_path, read_discovery, token_of
from quarry.client.replies import Reply, parse_reply
from quarry.client.websocket_client import ConnectionLost, HandshakeRefused, WebSocketConnection
from quarry.config import runtime_dir
from quarry.limits import MAX_CONNECTIONS, MAX_WAIT_MS, PROTOCOL_VERSION, UNFINISHED
from quarry.vault.identity import vault_id

if TYPE_CHECKING:
    from quarry import protocol as wire

REPLY_TIMEOUT_S = 30.0
ATTACH_TIMEOUT_S = 30.0  # a sidecar that leaves finishes its notes first, one that starts opens its index
ATTACH_POLL_S = 0.05
BUSY_PATIENCE_S = 0.5  # clients come and go; one that is told "busy" is told so within a second
WAIT_POLL_S = 0.05  # how often a caller that may give up is asked; a person notices no less
MAX_STARTS = 3  # of sidecars that are gone again at once; a fourth would be, too
STATUS_POLL_S = (
    2.0  # without a notification for so long, ask: one can be lost, and a caller waiting for the end must not hang
)
READY_POLL_S = 0.1  # between two requests to wait, where the first was answered before the work was done
SERVICE_UNAVAILABLE = 503  # `http.HTTPStatus` takes a third of what a question costs to import
MAX_REPLY_BYTES = 64 * 2**20  # a reply of 100 hits in full is a tenth of a megabyte; this only bounds accidents


class RequestFailed(errors.QuarryError):
    """
    The sidecar answered with an error: `kind` is a stable word for the case, `next` says what to do.

    `position` counts UTF-16 units into `query`; either is None where there is none.
    """

    def __init__(
        self, message: str, kind: str, next_step: str, position: int | None = None, query: str | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.next = next_step
        self.position = position
        self.query = query


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
    ) -> None:
        """
        Attach to the sidecar of the vault at *root*, starting one if there is none and *may_start*.

        Args:
            as_owner: With the owner's token, for methods that need it. A hook, and whatever serves an agent, is none.
            patience_s: How long one that runs is given to answer.

        Raises:
            VaultMissing: There is no such folder.
            VaultLocked: A program has opened the vault exclusively.
            SidecarBusy: It serves as many clients as it can.
            ConnectionFailed: None runs and none may be started, or it did not come up; the message says why.
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
        self._id = vault_id(root)
        self.discovery_path = discovery_path(runtime_dir(), self._id)
        self._lock = VaultLock(runtime_dir(), self._id)
        self._connection: WebSocketConnection | None = None
        self.hello: wire.InitializeResult
        try:
            self._attach()
        except BaseException:  # nobody else can close what it may have opened
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the sidecar keeps running."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def abandon(self) -> None:
        """Let go of the connection without a word: after a fork, it is the parent's."""
        if self._connection:
            self._connection.abandon()
            self._connection = None

    def ask(
        self,
        method: str,
        params: Mapping[str, object] | None = None,
        gives_up: Callable[[Reply | None], bool] | None = None,
    ) -> Any:
        """
        Send a request and wait for its result, through one change of sidecar if need be.

        Args:
            params: By their names on the wire. Those that are None are left out.
            gives_up: Asked every `WAIT_POLL_S`, and with each notification that comes meanwhile, whether the result is
                not wanted any more: the sidecar is told to cancel, which it does as `RequestFailed`.

        Returns:
            The result, its objects as `Reply`: annotate it with its struct of `protocol/`.

        Raises:
            RequestFailed: The sidecar refused it.
            ConnectionFailed: It cannot be reached any more.
        """
        try:
            return self._ask(method, params or {}, gives_up)
        except ConnectionLost:
            self._attach()
        try:
            return self._ask(method, params or {}, gives_up)
        except ConnectionLost as error:
            raise errors.ConnectionFailed("the sidecar ended twice while answering") from error

    def shut_down(self) -> None:
        """Stop the sidecar, as its owner. Other clients that it serves start one of their own."""
        with contextlib.suppress(ConnectionLost):  # it has left already, and none is started to be told to leave
            self._ask("shutdown", {})

    def status(self) -> "wire.IndexStatus":
        """The status of the index: its contents and current work."""
        status: wire.IndexStatus = self.ask("index/status")
        return status

    def wait_until_complete(self, timeout_s: float) -> None:
        """Wait until answers are complete: a sidecar that has just started still reads its notes and its model."""
        deadline_s = time.monotonic() + timeout_s
        while (left_s := deadline_s - time.monotonic()) > 0:
            # The sidecar waits. It does not where the work is expected to take longer, so it is asked again.
            params = {"limit": 1, "waitMs": min(MAX_WAIT_MS, math.ceil(left_s * 1000))}
            self.ask("notes/list", params)
            if (status := self.status()).state not in UNFINISHED and not _awaits_vectors(status):
                return
            time.sleep(READY_POLL_S)

    def statuses(self) -> Iterator["wire.IndexStatus"]:
        """Yield the status now, at each notification of progress, and at least every `STATUS_POLL_S`; endless."""
        while True:
            yield self.status()
            with contextlib.suppress(TimeoutError, ConnectionLost):  # asking anew tells, or attaches to a successor
                while True:
                    if status := _status_in(self._receive(STATUS_POLL_S)):
                        yield status

    def next_notification(self, timeout_s: float) -> Reply | None:
        """
        The next notification of the sidecar; None where none came in *timeout_s*.

        Raises:
            ConnectionFailed: The connection is no more. Asking anything attaches to a successor.
        """
        try:
            return self._receive(timeout_s)
        except TimeoutError:
            return None
        except ConnectionLost as error:
            raise errors.ConnectionFailed("the sidecar has ended") from error

    # --- connecting ----------------------------------------------------------------------------

    def _attach(self) -> None:
        """
        Connect to the process that holds the vault's lock, or start a sidecar where none does.

        The lock is checked first: a discovery file without it was left by a sidecar that was killed, and another
        program may have its port by now. A holder of the lock may be stopping or still starting: it is waited for.
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
        raise errors.ConnectionFailed(f"{self._holder()} serves {self.root} but does not answer; stop it and try again")

    def _start(self) -> bool:
        """Start a sidecar; returns whether this one took the vault's lock, rather than another."""
        if not self._may_start:
            raise errors.ConnectionFailed(f"no sidecar is running for {self.root}; start one with `quarry serve`")
        from quarry.client.launch import start_sidecar  # here, as most tools find one that runs

        is_ours = start_sidecar(self.root).ready
        self.started_sidecar = self.started_sidecar or is_ours
        return is_ours

    def _holder(self) -> str:
        discovery = read_discovery(self.discovery_path)
        return f"process {discovery.pid}" if discovery else "another process"

    def _call(self, discovery: Discovery) -> bool:
        """
        Connect and authenticate; false where the sidecar cannot be reached or has another token.

        Raises:
            SidecarBusy: It serves as many clients as it can.
            ProtocolMismatch: It speaks another version.
        """
        if discovery.protocol != PROTOCOL_VERSION:
            raise errors.ProtocolMismatch(
                f"the sidecar of {self.root} (version {discovery.version}) speaks protocol {discovery.protocol}, this "
                f"tool (version {__version__}) speaks {PROTOCOL_VERSION}; update the older of the two"
            )
        self.close()  # the one before, which has ended
        try:
            self._connection = WebSocketConnection(
                discovery.port, timeout_s=min(REPLY_TIMEOUT_S, self._patience_s), max_message_bytes=MAX_REPLY_BYTES
            )
        except HandshakeRefused as refusal:
            if refusal.status == SERVICE_UNAVAILABLE:
                raise errors.SidecarBusy(
                    f"busy: the sidecar of {self.root} (process {discovery.pid}) serves {MAX_CONNECTIONS} clients"
                ) from refusal
            return False
        except OSError:
            return False
        params = {
            "token": token_of(discovery, as_owner=self._as_owner),
            "protocol": PROTOCOL_VERSION,
            "client": {"name": self._name, "version": __version__},
        }
        try:
            self.hello = self._ask("initialize", params)
        except ConnectionLost:
            return False
        except RequestFailed as failed:
            self.close()
            if failed.kind == "unauthorized":  # it left, another came: the file is being written anew
                return False
            if failed.kind == "protocol-mismatch":
                raise errors.ProtocolMismatch(str(failed)) from failed
            raise
        if self.hello.vault.id != self._id:  # the file of another vault lies in this one's place
            self.close()
            return False
        return True

    # --- asking --------------------------------------------------------------------------------

    def _ask(
        self, method: str, params: Mapping[str, object], gives_up: Callable[[Reply | None], bool] | None = None
    ) -> Any:
        if self._connection is None:
            raise ConnectionLost("the connection is closed")
        self._next_id += 1
        request_id = self._next_id
        wait_ms = params.get("waitMs")
        timeout_s = REPLY_TIMEOUT_S + (wait_ms / 1000 if isinstance(wait_ms, int) else 0)
        deadline_s = time.monotonic() + timeout_s
        try:
            self._connection.send(request_text(request_id, method, params), REPLY_TIMEOUT_S)
            reply = self._answer_to(request_id, deadline_s, gives_up)
        except TimeoutError as error:
            raise errors.ConnectionFailed(f"the sidecar did not answer within {timeout_s:.0f} s") from error
        if reply.get("error") is not None:
            raise refusal_of(reply["error"], params)
        return reply.result

    def _answer_to(self, request_id: int, deadline_s: float, gives_up: Callable[[Reply | None], bool] | None) -> Reply:
        """The answer to a request. News that comes before it is older than the answer, so it is dropped."""
        is_cancelled = False
        while True:
            left_s = deadline_s - time.monotonic()
            news: Reply | None = None
            try:
                reply = self._receive(left_s if gives_up is None or is_cancelled else min(left_s, WAIT_POLL_S))
                if reply.get("id") == request_id:
                    return reply
                news = reply
            except TimeoutError:
                if gives_up is None or left_s <= 0:
                    raise
            if gives_up and not is_cancelled and gives_up(news):
                is_cancelled = True
                self._cancel(request_id)

    def _cancel(self, request_id: int) -> None:
        if self._connection:
            notification = {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": request_id}}
            self._connection.send(json.dumps(notification), REPLY_TIMEOUT_S)

    def _receive(self, timeout_s: float) -> Reply:
        if self._connection is None:
            raise ConnectionLost("the connection is closed")
        message = parse_reply(self._connection.receive(timeout_s))
        if not isinstance(message, Reply):
            raise errors.ConnectionFailed("the answer does not follow the sidecar's protocol (it is no object)")
        return message


def request_text(request_id: int, method: str, params: Mapping[str, object]) -> str:
    """
    The message of a request; parameters that are None are left out.

    Raises:
        BadRequest: A parameter is no valid Unicode.
    """
    given = {name: value for name, value in params.items() if value is not None}
    request = json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": given}, ensure_ascii=False)
    try:
        request.encode()
    except UnicodeEncodeError:  # bytes from a command line that are no text
        raise errors.BadRequest(f"the parameters of {method} are not valid Unicode") from None
    return request


def refusal_of(error: Any, params: Mapping[str, object]) -> errors.QuarryError:
    """The exception for the *error* that a request with *params* was answered with."""
    try:
        message, data = error["message"], error["data"]
        kind, next_step, position = data["kind"], data["next"], data.get("position")
    except (TypeError, KeyError, AttributeError):
        return errors.ConnectionFailed("the answer does not follow the sidecar's protocol (an error without a kind)")
    query = params.get("query")
    return RequestFailed(
        str(message),
        str(kind),
        str(next_step),
        position if isinstance(position, int) else None,
        query if isinstance(query, str) else None,
    )


def _awaits_vectors(status: "wire.IndexStatus") -> bool:
    """Whether a model that has just been loaded is about to embed the notes."""
    is_dense_missing = any(leg.leg == "dense" for leg in status.missing)
    return is_dense_missing and status.state == "live" and status.model.state == "ready"


def _status_in(message: Reply) -> "wire.IndexStatus | None":
    """The status carried by a notification; None for messages without one."""
    method = message.get("method")
    if method not in ("index/progress", "index/updated"):
        return None
    status: wire.IndexStatus = message.params if method == "index/progress" else message.params.status
    return status
