"""
One connection to a sidecar for all requests of an asyncio program: many at once, each cancelled by cancelling its task.
"""

import asyncio
import itertools
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.connection import broadcast
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from quarry import __version__, errors
from quarry.client.client import (
    MAX_REPLY_BYTES,
    REPLY_TIMEOUT_S,
    SERVICE_UNAVAILABLE,
    RequestFailed,
    SidecarClient,
    refusal_of,
    request_text,
)
from quarry.client.discovery import Discovery, read_discovery, token_of
from quarry.client.replies import Reply, parse_reply
from quarry.client.websocket_client import ConnectionLost
from quarry.limits import PROTOCOL_VERSION
from quarry.python.pool import CLIENT_NAME
from quarry.python.refusals import as_errors

MAX_UNANSWERED = 8  # a sidecar takes 16 of one client at a time; a cancelled one is among them until it stops
MAX_ATTEMPTS = 3  # to reach a sidecar that leaves as it is found

_quiet = logging.getLogger("quarry.websockets")
_quiet.setLevel(logging.CRITICAL)  # a lost connection is an error that the caller gets, and no log line


class AsyncConnection:
    """Requests and replies over one socket, which is opened anew once a request where the sidecar has ended."""

    def __init__(self, root: Path, *, may_start: bool, as_owner: bool = False) -> None:
        self.root = root
        self._as_owner = as_owner
        self.is_new = False
        self._may_start = may_start
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._turns = asyncio.Semaphore(MAX_UNANSWERED)
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Reply]] = {}
        self._is_closed = False

    def for_owner(self) -> "AsyncConnection":
        """Another connection to the vault, not open yet, with the owner's token."""
        return AsyncConnection(self.root, may_start=self._may_start, as_owner=True)

    async def open(self) -> None:
        """
        Attach to the sidecar, starting one where there is none and it may be started.

        Raises:
            VaultMissing, SidecarBusy, ConnectionFailed, ProtocolMismatch: As `SidecarClient`.
        """
        async with self._opening:
            if self._is_closed:
                raise errors.ConnectionFailed(f"{self.root} was closed here; open it again with quarry.open_async()")
            if self._socket is None:
                with as_errors():
                    await self._attach()

    async def close(self) -> None:
        """Close the connection; requests under way end with `ConnectionFailed`."""
        self._is_closed = True
        async with self._opening:
            await self._hang_up()

    async def ask(self, method: str, params: Mapping[str, object]) -> Any:
        """
        Send a request and await its result. Cancelling the task has the sidecar stop working on it.

        Raises:
            QuarryError: As `quarry.errors` has it.
        """
        async with self._turns:
            with as_errors():
                try:
                    return await self._ask(method, params)
                except ConnectionLost:
                    pass
                try:
                    return await self._ask(method, params)
                except ConnectionLost as lost:
                    raise errors.ConnectionFailed("the sidecar ended twice while answering") from lost

    # --- connecting ----------------------------------------------------------------------------

    async def _attach(self) -> None:
        for _ in range(MAX_ATTEMPTS):
            discovery = await asyncio.to_thread(self._find)
            if discovery and await self._call(discovery):
                return
        raise errors.ConnectionFailed(f"the sidecar of {self.root} exits as soon as it is found")

    def _find(self) -> Discovery | None:
        """Where a sidecar is that answers; one is started if need be. Waits, so it is called on another thread."""
        with SidecarClient(self.root, CLIENT_NAME, may_start=self._may_start) as client:
            self.is_new = self.is_new or client.started_sidecar or client.hello.status.indexed_ms is None
            return read_discovery(client.discovery_path)

    async def _call(self, discovery: Discovery) -> bool:
        """Connect and authenticate; false where the sidecar is gone already."""
        try:
            socket = await connect(
                f"ws://127.0.0.1:{discovery.port}/",
                proxy=None,
                compression=None,
                max_size=MAX_REPLY_BYTES,
                open_timeout=REPLY_TIMEOUT_S,
                ping_interval=None,  # the sidecar pings; and a local socket that breaks says so
                logger=_quiet,
            )
        except InvalidStatus as refusal:
            if refusal.response.status_code == SERVICE_UNAVAILABLE:
                raise errors.SidecarBusy(f"busy: the sidecar of {self.root} serves as many clients as it can") from None
            return False
        except (OSError, InvalidHandshake):
            return False
        self._socket = socket
        self._reader = asyncio.create_task(self._read(socket), name="quarry-replies")
        params = {
            "token": token_of(discovery, as_owner=self._as_owner),
            "protocol": PROTOCOL_VERSION,
            "client": {"name": CLIENT_NAME, "version": __version__},
        }
        try:
            await self._send(socket, "initialize", params)
        except (ConnectionLost, RequestFailed):
            await self._hang_up()
            return False
        except BaseException:
            await self._hang_up()
            raise
        return True

    async def _hang_up(self) -> None:
        socket, reader, self._socket, self._reader = self._socket, self._reader, None, None
        if reader:
            reader.cancel()
            await asyncio.wait({reader})
        if socket:
            await socket.close()

    # --- asking --------------------------------------------------------------------------------

    async def _ask(self, method: str, params: Mapping[str, object]) -> Any:
        await self.open()
        socket = self._socket
        if socket is None:  # closed since
            raise ConnectionLost("the connection is closed")
        return await self._send(socket, method, params)

    async def _send(self, socket: ClientConnection, method: str, params: Mapping[str, object]) -> Any:
        """Send a request over *socket* and await its result."""
        request_id = next(self._ids)
        request = request_text(request_id, method, params)
        wait_ms = params.get("waitMs")
        timeout_s = REPLY_TIMEOUT_S + (wait_ms / 1000 if isinstance(wait_ms, int) else 0)
        reply = self._pending[request_id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_s):
                await socket.send(request)
                answer = await reply
        except asyncio.CancelledError:
            self._cancel(socket, request_id)
            raise
        except TimeoutError:
            self._cancel(socket, request_id)
            raise errors.ConnectionFailed(f"the sidecar did not answer within {timeout_s:.0f} s") from None
        except ConnectionClosed:
            self._forget(socket)
            raise ConnectionLost("the connection broke") from None
        finally:
            del self._pending[request_id]
        if answer.get("error") is not None:
            raise refusal_of(answer["error"], params)
        return answer.result

    def _cancel(self, socket: ClientConnection, request_id: int) -> None:
        """Have the sidecar stop working on a request; nothing is waited for, as the caller is leaving."""
        broadcast([socket], f'{{"jsonrpc":"2.0","method":"$/cancel","params":{{"id":{request_id}}}}}')

    def _forget(self, socket: ClientConnection) -> None:
        """Let go of *socket*, which is lost, unless another has taken its place already."""
        if self._socket is socket:
            self._socket = None

    async def _read(self, socket: ClientConnection) -> None:
        """Deliver replies to their callers until the connection ends; notifications are dropped."""
        try:
            async for frame in socket:
                message = parse_reply(frame if isinstance(frame, str) else "null")
                pending = self._pending.get(message.get("id", 0)) if isinstance(message, Reply) else None
                if pending and not pending.done():
                    pending.set_result(message)
        except errors.ConnectionFailed:  # no JSON: what follows cannot be trusted either
            await socket.close()
        finally:
            self._forget(socket)
            self._fail_pending()

    def _fail_pending(self) -> None:
        """End what waits for a reply: all of it was asked over the connection that is lost."""
        for pending in self._pending.values():
            if not pending.done():
                pending.set_exception(ConnectionLost("the connection broke"))
