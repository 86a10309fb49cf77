"""What all clients of a sidecar share, and one request of theirs."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from msgspec import Struct, field

from quarry import protocol
from quarry.agents.conversations import Ledgers
from quarry.client.discovery import new_token
from quarry.config import data_dir
from quarry.engine import Engine
from quarry.errors import Cancelled
from quarry.indexing.process import IndexingLimits
from quarry.server.blocks.block_store import BlockStore
from quarry.server.feedback import FeedbackLog
from quarry.server.gate import Gate
from quarry.server.scheduler import Pool, Scheduler

if TYPE_CHECKING:
    from quarry.tiers.fan_out import Tiers

P = ParamSpec("P")
T = TypeVar("T")

SEARCH_THREADS = 4  # SQLite and numpy let go of the interpreter; more than a few only queue elsewhere
VAULT_THREADS = 2  # `note/read` and `settings/write` open files of the vault, whose drive may hang
WATCH_RETRY_S = 5.0  # after the watch failed in a way that nobody foresaw

_log = logging.getLogger(__name__)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Request(Struct):
    """A request in progress."""

    is_owner: bool = False  # its client has shown the owner's token
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _waiting: asyncio.Task[Any] | None = None  # what is to be woken when the request is cancelled

    def is_cancelled(self) -> bool:
        """Whether the client no longer wants the answer. Any thread may ask."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Give the request up: its client no longer wants the answer."""
        self._cancelled.set()
        if self._waiting:
            self._waiting.cancel()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """
        Let `cancel` end what is waited for inside the block.

        Raises:
            Cancelled: It did.
        """
        self._waiting = task = asyncio.current_task()
        assert task is not None
        try:
            yield
        except asyncio.CancelledError:
            if not self.is_cancelled():
                raise  # the sidecar is leaving
            task.uncancel()
            raise Cancelled("the request was cancelled while it waited") from None
        finally:
            self._waiting = None


class Service(Struct):
    """Shared by all clients: the engine of one vault, the threads of its calls, and how to stop the sidecar."""

    engine: Engine
    executors: Mapping[Pool, Executor]
    feedback: FeedbackLog
    ledgers: Ledgers
    blocks: BlockStore
    gate: Gate
    vault: protocol.Vault
    stop: Callable[[], None]
    clock: Callable[[], int] = now_ms
    scheduler: Scheduler = field(default_factory=lambda: Scheduler({"search": SEARCH_THREADS, "vault": VAULT_THREADS}))
    tiers: "Tiers | None" = None  # what is searched besides this vault, once it is asked
    opening_tiers: Any = field(default_factory=threading.Lock)
    closing_tiers: asyncio.TimerHandle | None = None

    async def call(self, pool: Pool, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run *function* on a thread of *pool*, so that the next frames are read meanwhile."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.executors[pool], lambda: function(*args, **kwargs))


@contextmanager
def open_service(
    root: Path,
    identity: str,
    stop: Callable[[], None] = lambda: None,
    *,
    without: frozenset[str] = frozenset(),
    limits: IndexingLimits = IndexingLimits(),  # noqa: B008  a frozen value
    only: tuple[str, ...] = (),
) -> Iterator[Service]:
    """
    The service of the vault at *root*, or of its part in the folders *only*, with the id *identity*; its engine and its
    threads end with the block.

    Raises:
        SchemaTooNew, IndexUnavailable: The index cannot be used; nothing was touched.
    """
    blocks = BlockStore(data_dir() / f"{identity}.blocks")
    with (
        closing(Engine.open(root, data_dir() / f"{identity}.db", without=without, limits=limits, only=only)) as engine,
        ThreadPoolExecutor(SEARCH_THREADS, "quarry-search") as search,
        ThreadPoolExecutor(VAULT_THREADS, "quarry-read") as vault,
    ):
        engine.listen(blocks.on_commit)
        service = Service(
            engine=engine,
            executors={"search": search, "vault": vault},
            feedback=FeedbackLog(data_dir() / f"{identity}.feedback"),
            ledgers=Ledgers(identity),
            blocks=blocks,
            gate=Gate(new_token(), new_token()),
            vault=protocol.Vault(id=identity, name=root.name, path=str(root)),
            stop=stop,
        )
        try:
            yield service
        finally:
            if service.tiers:
                service.tiers.close()


def watch_vault_of(engine: Engine, stop: threading.Event) -> threading.Thread:
    """Report changes of files to *engine*, on a thread of its own, until *stop* is set."""
    thread = threading.Thread(target=_follow, args=(engine, stop), name="quarry-watch", daemon=True)
    thread.start()
    return thread


def _follow(engine: Engine, stop: threading.Event) -> None:
    from quarry.vault.watch import watch_vault  # here, as answering comes first: 3 % of a start, where it is needed

    while not stop.is_set():
        try:
            is_first = True
            for batch in watch_vault(engine.root, stop):
                # Changes between the scan of the start and the moment when the watch was set up are in no batch.
                if batch.missed or is_first:
                    engine.reconcile()
                if batch.changes:
                    engine.vault_changed(batch.changes)
                is_first = False
        except Exception:  # without a watch, the index would fall behind and nothing would say so
            _log.exception("watching the vault failed; trying again in %.0f s", WATCH_RETRY_S)
            stop.wait(WATCH_RETRY_S)
