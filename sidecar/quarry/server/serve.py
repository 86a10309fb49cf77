"""
`quarry serve`: one sidecar for one vault, from taking the lock to letting it go.

Order matters. Lock first, so that there is one writer. The socket before the discovery file, so that a client that
finds the file is answered. At the end the other way round.
"""

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from quarry import __version__, protocol
from quarry.agents.conversations import Leases, conversations_folder
from quarry.client.discovery import (
    Discovery,
    OwnerFile,
    ServedVault,
    VaultLock,
    discovery_path,
    owner_path,
    read_discovery,
    remove_discovery,
    remove_stale_files,
    write_discovery,
    write_owner_file,
)
from quarry.client.launch import LockHolder, ReadyLine
from quarry.config import runtime_dir
from quarry.engine import Engine
from quarry.errors import QuarryError, VaultLocked, VaultMissing
from quarry.indexing.process import IndexingLimits, WorkerTiming
from quarry.indexing.status import Updated
from quarry.redaction.scrub import scrub_text
from quarry.server.encode.state import index_status
from quarry.server.logs import log_loop
from quarry.server.process_lifetime import exit_after, watch_idle, watch_parent, watch_stdin
from quarry.server.service import Service, open_service, watch_vault_of
from quarry.server.websocket import SocketServer
from quarry.vault.paths import nfc, vault_id

# The first search is asked within 30 ms; then comes what the first one by meaning needs, which takes 60 ms; then the
# vault is scanned, which holds the interpreter for a tenth of a second. Two of these at once take twice as long each.
FIRST_SEARCH_S = 0.1
FIRST_BY_MEANING_S = 0.3
PROGRESS_S = 0.2  # between two progress messages: smooth to the eye, nothing to the socket
MAX_LISTED = 100  # paths in an `index/updated`

_log = logging.getLogger(__name__)
_STDOUT, _STDERR = 1, 2


class ServeOptions(Struct, frozen=True):
    """The options of `quarry serve`."""

    vault: Path
    lifeline: bool = False  # end when stdin ends
    parent_pid: int | None = None
    idle_s: float | None = None  # end when nobody asked for so long
    without: frozenset[str] = frozenset()  # parts to do without, for tests
    only: tuple[str, ...] = ()  # the folders of the part of the vault to serve; empty: all of it


def serve(options: ServeOptions) -> None:
    """
    Serve until told to stop, then shut down cleanly.

    Raises:
        VaultMissing: There is no such folder.
        VaultLocked: Another sidecar serves it; the line for our starter is printed.
        SchemaTooNew, IndexUnavailable: The index cannot be used.
        ConnectionFailed: The lock or the discovery file cannot be written.
    """
    root = Path(os.path.realpath(options.vault))
    if not root.is_dir():
        raise VaultMissing(f"there is no folder {options.vault}")
    # What leaves is scrubbed, and the rules take 20 ms to compile: as long as it takes to open the index. No daemon
    # thread: where the vault is locked or its index too new, that would abort within google-re2's C++ code (SIGABRT).
    threading.Thread(target=scrub_text, args=("",), name="quarry-scrub").start()
    identity = vault_id(root, options.only)
    file = discovery_path(runtime_dir(), identity)
    try:
        with VaultLock(runtime_dir(), identity):
            remove_stale_files(file)
            asyncio.run(_serve(options, root, identity, file))
    except VaultLocked:
        holder = read_discovery(file)
        _print_ready_line(ReadyLine(ready=False, discovery=str(file), holder=LockHolder(holder.pid if holder else 0)))
        raise


async def _serve(options: ServeOptions, root: Path, identity: str, file: Path) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_loop)
    leaving = asyncio.Event()

    def leave() -> None:
        exit_after()
        with contextlib.suppress(RuntimeError):  # the loop is closed: we are leaving already
            loop.call_soon_threadsafe(leaving.set)

    if options.lifeline:
        watch_stdin(leave)  # before the index opens, which may take long: the parent is not outlived by more than 20 s
    limits = IndexingLimits(head_start_s=FIRST_SEARCH_S, timing=WorkerTiming(head_start_s=FIRST_BY_MEANING_S))
    with open_service(root, identity, leave, without=options.without, limits=limits, only=options.only) as service:
        server = SocketServer(service)
        async with server.listening() as port:
            _publish(file, service, port, options.only)
            try:
                _leave_on_signals(loop, leave)  # not earlier: while the index opens, a signal must end us by itself
                with _background_tasks(options, service, server):
                    _print_ready_line(
                        ReadyLine(
                            ready=True,
                            discovery=str(file),
                            port=port,
                            version=__version__,
                            protocol=protocol.PROTOCOL_VERSION,
                        )
                    )
                    if options.idle_s is not None:
                        _redirect_output_to_null()
                    await leaving.wait()
            finally:
                remove_discovery(file, os.getpid())


def _publish(file: Path, service: Service, port: int, only: tuple[str, ...]) -> None:
    """Write the owner's file and the discovery file: from here on, tools find us."""
    write_owner_file(owner_path(file), OwnerFile(os.getpid(), service.gate.owner_token))
    discovery = Discovery(
        pid=os.getpid(),
        port=port,
        token=service.gate.token,
        protocol=protocol.PROTOCOL_VERSION,
        version=__version__,
        vault=ServedVault(**asdict(service.vault)),
        owner=str(owner_path(file)),
        part="\n".join(only),
    )
    write_discovery(file, discovery)


@contextlib.contextmanager
def _background_tasks(options: ServeOptions, service: Service, server: SocketServer) -> Iterator[None]:
    """Run the tasks beside the socket: notifications, lifelines, and the file watch unless Obsidian reports changes."""
    engine, leases, unwatch = service.engine, Leases(conversations_folder(), service.vault.id), threading.Event()

    def last_used_s() -> float:
        """When a client was last connected, a lease held or indexing active, on the monotonic clock."""
        is_used = engine.is_working or engine.is_backfilling or leases.is_any_held()
        return time.monotonic() if is_used else server.last_heard_s

    tasks = [asyncio.create_task(_notify_clients(engine, server))]
    if not options.lifeline:
        watch_vault_of(engine, unwatch)
    if options.parent_pid is not None:
        tasks.append(asyncio.create_task(watch_parent(options.parent_pid, service.stop)))
    if options.idle_s is not None:
        tasks.append(asyncio.create_task(watch_idle(options.idle_s, last_used_s, service.stop)))
    try:
        yield
    finally:
        unwatch.set()
        for task in tasks:
            task.cancel()


async def _notify_clients(engine: Engine, server: SocketServer) -> None:
    """Notify clients of commits at once, and of progress at most every `PROGRESS_S`."""
    loop = asyncio.get_running_loop()
    news: asyncio.Queue[Updated | None] = asyncio.Queue()

    def pass_on(updated: Updated | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            loop.call_soon_threadsafe(news.put_nowait, updated)

    engine.listen(pass_on)
    while True:
        batch = [await news.get()]
        await asyncio.sleep(0 if batch[0] else PROGRESS_S)
        while not news.empty():
            batch.append(news.get_nowait())
        if not server.client_count:
            continue
        try:
            status = index_status(await asyncio.to_thread(engine.status))
            _broadcast(server, [updated for updated in batch if updated is not None], status)
        except QuarryError as error:  # the index is being swapped or mended: the next news is told again
            _log.warning("clients could not be notified of progress: %s", type(error).__name__)
        except Exception:  # one piece of news that cannot be told must not silence all that follow
            _log.exception("clients could not be notified of progress")


def _broadcast(server: SocketServer, commits: Sequence[Updated], status: protocol.IndexStatus) -> None:
    indexed = [nfc(path) for updated in commits for path in updated.indexed]
    removed = [nfc(path) for updated in commits for path in updated.removed]
    if commits:
        news = protocol.IndexUpdated(indexed=indexed[:MAX_LISTED], removed=removed[:MAX_LISTED], status=status)
        server.broadcast("index/updated", news)
    else:
        server.broadcast("index/progress", status)


def _leave_on_signals(loop: asyncio.AbstractEventLoop, leave: Callable[[], None]) -> None:
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # the last is Windows' own, the one before is not known there
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        try:
            loop.add_signal_handler(number, leave)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: leave())


def _print_ready_line(line: ReadyLine) -> None:
    """Print one line on standard output, past Python's buffer; no error if the process that started us is gone."""
    with contextlib.suppress(OSError):
        os.write(_STDOUT, msgspec.json.encode(line) + b"\n")


def _redirect_output_to_null() -> None:
    """Send all further output nowhere: the parent reads no more of it, and writing to a full pipe would block."""
    with Path(os.devnull).open("wb") as nowhere:
        for descriptor in (_STDOUT, _STDERR):
            os.dup2(nowhere.fileno(), descriptor)
