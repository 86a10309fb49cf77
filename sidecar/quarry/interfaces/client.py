"""
How a tool reaches the sidecar of a vault: attach to the one that runs, or start one, then ask.

The CLI, the MCP server and hooks all come this way. A sidecar that ends while a question is open (Obsidian was closed)
is replaced, once, and the question asked again.
"""

import contextlib
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Self, TypeVar

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from quarry import __version__, errors
from quarry.config import runtime_dir
from quarry.interfaces import protocol as wire
from quarry.interfaces.discovery import Discovery, VaultLock, discovery_path, read_discovery, read_owner_file
from quarry.interfaces.envelope import Error
from quarry.interfaces.failures import RequestFailed
from quarry.interfaces.gate import MAX_CONNECTIONS
from quarry.interfaces.launch import start_sidecar
from quarry.vault.identity import vault_id

REPLY_TIMEOUT_S = 30.0
CLOSE_TIMEOUT_S = 1.0  # a sidecar that hangs must not keep a tool from ending
ATTACH_TIMEOUT_S = 30.0  # a sidecar that leaves finishes its notes first, one that starts opens its index
ATTACH_POLL_S = 0.05
BUSY_PATIENCE_S = 0.5  # clients come and go; one that is told "busy" is told so within a second
MAX_STARTS = 3  # of sidecars that are gone again at once; a fourth would be, too
STATUS_POLL_S = 2.0  # without news for so long, ask: news can be lost, and whoever waits for the end must not hang
READY_POLL_S = 0.03
UNFINISHED: tuple[wire.IndexState, ...] = ("starting", "scanning", "indexing", "embedding")
MAX_REPLY_BYTES = 64 * 2**20  # a reply of 100 hits in full is a tenth of a megabyte; this only bounds accidents

T = TypeVar("T", bound=wire.Value)


class _Reply(msgspec.Struct, frozen=True):
    """A message from the sidecar: an answer (with `id`) or a notification (with `method`)."""

    id: int | str | None = None
    result: msgspec.Raw = msgspec.Raw()
    error: Error | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw()


class SidecarClient:
    """One connection to the sidecar of one vault. Not to be shared between threads."""

    def __init__(self, root: Path, name: str, *, may_start: bool = True, as_owner: bool = False) -> None:
        """
        Attach to the sidecar of the vault at *root*, starting one if there is none and *may_start*.

        Args:
            as_owner: With the owner's token, for methods that need it. A hook, and whatever serves an agent, is none.

        Raises:
            VaultMissing: There is no such folder.
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
        self._next_id = 0
        self._id = vault_id(root)
        self.discovery_path = discovery_path(runtime_dir(), self._id)
        self._lock = VaultLock(runtime_dir(), self._id)
        self._open = contextlib.ExitStack()  # holds the connection, and closes it
        self.hello: wire.InitializeResult
        self._connection = self._attach()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the sidecar keeps running."""
        self._open.close()

    def ask(self, method: str, params: wire.Params, result: type[T]) -> T:
        """
        Send a request and wait for its result, through one change of sidecar if need be.

        Raises:
            RequestFailed: The sidecar refused it.
            ConnectionFailed: It cannot be reached any more.
        """
        try:
            return self._ask(method, params, result)
        except ConnectionClosed:
            self._connection = self._attach()
        try:
            return self._ask(method, params, result)
        except ConnectionClosed as error:
            raise errors.ConnectionFailed("the sidecar ended twice while answering") from error

    def shut_down(self) -> None:
        """Stop the sidecar, as its owner. Other clients that it serves start one of their own."""
        with contextlib.suppress(ConnectionClosed):  # it has left already, and none is started to be told to leave
            self._ask("shutdown", wire.NoParams(), wire.Done)

    def search(self, params: wire.SearchParams) -> wire.SearchResult:
        """Search."""
        return self.ask("search", params, wire.SearchResult)

    def status(self) -> wire.IndexStatus:
        """The status of the index: its contents and current work."""
        return self.ask("index/status", wire.NoParams(), wire.IndexStatus)

    def wait_until_complete(self, timeout_s: float) -> None:
        """Wait until answers are complete: a sidecar that has just started still reads its notes and its model."""
        deadline_s = time.monotonic() + timeout_s
        while time.monotonic() < deadline_s:
            status = self.status()
            if status.model.state != "loading" and status.state not in UNFINISHED:
                return
            time.sleep(READY_POLL_S)

    def statuses(self) -> Iterator[wire.IndexStatus]:
        """Yield the status now, at each notification of progress, and at least every `STATUS_POLL_S`; endless."""
        while True:
            yield self.status()
            with contextlib.suppress(TimeoutError, ConnectionClosed):  # asking anew tells, or attaches to a successor
                while True:
                    if status := _status_in(self._receive(STATUS_POLL_S)):
                        yield status

    # --- connecting ----------------------------------------------------------------------------

    def _attach(self) -> ClientConnection:
        """
        Connect to the process that holds the vault's lock, or start a sidecar where none does.

        The lock is checked first: a discovery file without it was left by a sidecar that was killed, and another
        program may have its port by now. A holder of the lock may be stopping or still starting: it is waited for.
        """
        begun_s = time.monotonic()
        deadline_s = begun_s + ATTACH_TIMEOUT_S
        starts = 0
        while time.monotonic() < deadline_s and starts < MAX_STARTS:
            if not self._lock.is_held():
                starts += self._start()
                continue
            discovery = read_discovery(self.discovery_path)
            try:
                if discovery and (connection := self._call(discovery)):
                    return connection
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
        is_ours = start_sidecar(self.root).ready
        self.started_sidecar = self.started_sidecar or is_ours
        return is_ours

    def _holder(self) -> str:
        discovery = read_discovery(self.discovery_path)
        return f"process {discovery.pid}" if discovery else "another process"

    def _call(self, discovery: Discovery) -> ClientConnection | None:
        """
        Connect and authenticate; None where the sidecar cannot be reached or has another token.

        Raises:
            SidecarBusy: It serves as many clients as it can.
            ProtocolMismatch: It speaks another version.
        """
        if discovery.protocol != wire.PROTOCOL_VERSION:
            raise errors.ProtocolMismatch(
                f"the sidecar of {self.root} (version {discovery.version}) speaks protocol {discovery.protocol}, this "
                f"tool (version {__version__}) speaks {wire.PROTOCOL_VERSION}; update the older of the two"
            )
        self._open.close()  # the one before, which has ended
        try:
            connecting = connect(
                f"ws://127.0.0.1:{discovery.port}/",
                proxy=None,  # websockets would obey http_proxy even for 127.0.0.1, and show the token to a proxy
                compression=None,
                max_size=MAX_REPLY_BYTES,
                open_timeout=REPLY_TIMEOUT_S,
                close_timeout=CLOSE_TIMEOUT_S,
            )
            connection = self._connection = self._open.enter_context(connecting)
        except InvalidStatus as refusal:
            if refusal.response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
                raise errors.SidecarBusy(
                    f"busy: the sidecar of {self.root} (process {discovery.pid}) serves {MAX_CONNECTIONS} clients"
                ) from refusal
            return None
        except (OSError, InvalidHandshake, TimeoutError):
            return None
        params = wire.InitializeParams(
            token=self._token(discovery),
            protocol=wire.PROTOCOL_VERSION,
            client=wire.Client(name=self._name, version=__version__),
        )
        try:
            self.hello = self._ask("initialize", params, wire.InitializeResult)
        except ConnectionClosed:
            return None
        except RequestFailed as failed:
            self._open.close()
            if failed.error.code == Error.UNAUTHORIZED:  # it left, another came: the file is being written anew
                return None
            if failed.error.code == Error.PROTOCOL_MISMATCH:
                raise errors.ProtocolMismatch(str(failed)) from failed
            raise
        return connection

    def _token(self, discovery: Discovery) -> str:
        """The token to show: where the owner's is missing, as beside an older sidecar, the only one there is."""
        owner = read_owner_file(Path(discovery.owner)) if self._as_owner and discovery.owner else None
        return owner.token if owner else discovery.token

    # --- asking --------------------------------------------------------------------------------

    def _ask(self, method: str, params: wire.Params, result: type[T]) -> T:
        self._next_id += 1
        request_id = self._next_id
        self._connection.send(_request(request_id, method, params))
        timeout_s = REPLY_TIMEOUT_S + getattr(params, "wait_ms", 0) / 1000
        try:
            # News that comes meanwhile is older than the answer, so it is dropped.
            while (reply := self._receive(timeout_s)).id != request_id:
                pass
        except TimeoutError as error:
            raise errors.ConnectionFailed(f"the sidecar did not answer within {timeout_s:.0f} s") from error
        if reply.error:
            raise RequestFailed(reply.error, getattr(params, "query", None))
        with _refusing_other_protocols():
            return msgspec.json.decode(reply.result, type=result)

    def _receive(self, timeout_s: float) -> _Reply:
        frame = self._connection.recv(timeout_s)
        with _refusing_other_protocols():
            return msgspec.json.decode(frame, type=_Reply)


def _request(request_id: int, method: str, params: wire.Params) -> str:
    try:
        request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        return msgspec.json.encode(request).decode()
    except UnicodeEncodeError:  # bytes from a command line that are no text
        raise errors.BadRequest(f"the parameters of {method} are not valid Unicode") from None


def _status_in(reply: _Reply) -> wire.IndexStatus | None:
    """The status carried by a notification; None for messages without one."""
    with _refusing_other_protocols():
        if reply.method == "index/progress":
            return msgspec.json.decode(reply.params, type=wire.IndexStatus)
        if reply.method == "index/updated":
            return msgspec.json.decode(reply.params, type=wire.IndexUpdated).status
    return None


@contextlib.contextmanager
def _refusing_other_protocols() -> Iterator[None]:
    """Turn decoding errors into `ConnectionFailed`: whatever answered does not speak the protocol of a sidecar."""
    try:
        yield
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise errors.ConnectionFailed(f"the answer does not follow the sidecar's protocol ({error})") from error
