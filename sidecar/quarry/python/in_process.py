"""The engine of a vault in the caller's own process: no sidecar and no socket, but the vault's lock."""

import asyncio
import itertools
import os
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from quarry import __version__, errors, protocol
from quarry.client.codec import decoded, request_params, request_text, result_of
from quarry.client.discovery import (
    NO_PORT,
    Discovery,
    ServedVault,
    VaultLock,
    discovery_path,
    remove_discovery,
    remove_stale_files,
    write_discovery,
)
from quarry.client.vault_folder import vault_root
from quarry.config import runtime_dir
from quarry.engine import Engine as IndexEngine
from quarry.limits import PROTOCOL_VERSION
from quarry.protocol.envelope import ServerMessage
from quarry.python.connection_pool import CLIENT_NAME, as_errors
from quarry.python.notes import Notes
from quarry.server.dispatch import MAX_IN_FLIGHT, ClientSession
from quarry.server.service import open_service, watch_vault_of
from quarry.vault.paths import vault_id


class Engine(Notes):
    """
    The notes of one vault, searched in this process: what a server or a job uses that is the vault's only program.

    It takes the vault's lock, so that no sidecar can serve the vault meanwhile: Obsidian's pane, the command line and
    agents find nothing until it is closed. `quarry.open` has the same methods and shares the vault.
    """

    def __init__(self, vault: str | os.PathLike[str]) -> None:
        """
        Open *vault* and begin to bring its index up to date; `wait` waits until it is.

        Raises:
            VaultMissing: There is no such folder.
            VaultLocked: A sidecar serves the vault, or another program has it open; the message says what to do.
            SchemaTooNew, IndexUnavailable: The index cannot be used; nothing was touched.
        """
        super().__init__(EngineSession(vault_root(vault)))


class EngineSession:
    """An engine, the loop that its requests are answered on, and the watch on its vault: a `Transport`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._ids = itertools.count(1)
        self._turns = threading.BoundedSemaphore(MAX_IN_FLIGHT)
        real_root = Path(os.path.realpath(root))
        identity = vault_id(real_root)
        with ExitStack() as opening:
            _take_lock(opening, root, identity)
            opening.enter_context(_published(real_root, identity))
            service = opening.enter_context(open_service(real_root, identity))
            self._session = ClientSession(service, client=CLIENT_NAME, access="owner")
            self._loop = opening.enter_context(_running_loop())
            opening.enter_context(_watching(service.engine))
            self._resources = opening.pop_all()
        self._is_closed = False

    def ask(self, method: str, params: protocol.Params, *, as_owner: bool = True) -> Any:  # noqa: ARG002
        """The result of a request, for which the caller is the owner always; see `Transport`."""
        if self._is_closed:
            raise errors.ConnectionFailed(f"{self._root} was closed here; open it again with quarry.Engine()")
        given = request_params(params)
        frame = request_text({"id": next(self._ids), "method": method, "params": given})
        with self._turns, as_errors():
            return result_of(self._wait_for(self._answer(frame)), method, given)

    def close(self) -> None:
        """Finish the notes in hand, commit, and give the vault back."""
        if not self._is_closed:
            self._is_closed = True
            self._resources.close()

    def _wait_for(self, answer: Coroutine[Any, Any, ServerMessage]) -> ServerMessage:
        """The result of *answer*, which is given up where waiting for it is (Ctrl-C)."""
        pending = asyncio.run_coroutine_threadsafe(answer, self._loop)
        try:
            return pending.result()
        except CancelledError:
            raise errors.Cancelled(f"{self._root} was closed while it answered") from None
        finally:
            pending.cancel()

    async def _answer(self, frame: str) -> ServerMessage:
        answer = await self._session.answer(frame)
        assert answer is not None  # it has an id
        return decoded(answer, ServerMessage)


def _take_lock(opening: ExitStack, root: Path, identity: str) -> None:
    """Hold the vault's lock until *opening* is closed."""
    try:
        opening.enter_context(VaultLock(runtime_dir(), identity))
    except errors.VaultLocked as locked:
        raise errors.VaultLocked(
            f"{root} is in use: {locked}. Ask its sidecar with quarry.open(), or end that with "
            f"`quarry stop --vault {root}` and try again"
        ) from None


@contextmanager
def _published(root: Path, identity: str) -> Iterator[None]:
    """Have other programs find out at once that the vault is open here, instead of waiting for an answer."""
    file = discovery_path(runtime_dir(), identity)
    remove_stale_files(file)
    vault = ServedVault(id=identity, name=root.name, path=str(root))
    write_discovery(file, Discovery(os.getpid(), NO_PORT, "", PROTOCOL_VERSION, __version__, vault))
    try:
        yield
    finally:
        remove_discovery(file, os.getpid())


@contextmanager
def _running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop on a thread of its own; requests that are not answered at the end are cancelled."""
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        leaving = asyncio.Event()
        started.set_result((asyncio.get_running_loop(), leaving))
        await leaving.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), name="quarry-loop", daemon=True)
    thread.start()
    loop, leaving = started.result()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(leaving.set)
        thread.join()


@contextmanager
def _watching(engine: IndexEngine) -> Iterator[None]:
    """Have the engine follow its vault."""
    stop = threading.Event()
    thread = watch_vault_of(engine, stop)
    try:
        yield
    finally:
        stop.set()
        thread.join()
