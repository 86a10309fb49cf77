"""What all conversations share, and one request of theirs."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct, field

from quarry import protocol
from quarry.agents.conversations import Ledgers
from quarry.engine import Engine
from quarry.errors import Cancelled
from quarry.server.blocks.block_store import BlockStore
from quarry.server.feedback import FeedbackLog
from quarry.server.gate import Gate
from quarry.server.turns import Lane, Turns

P = ParamSpec("P")
T = TypeVar("T")

SEARCH_THREADS = 4  # SQLite and numpy let go of the interpreter; more than a few only queue elsewhere
VAULT_THREADS = 2  # `note/read` and `settings/write` open files of the vault, whose drive may hang


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

    def stop(self) -> None:
        """The client no longer wants the answer."""
        self._cancelled.set()
        if self._waiting:
            self._waiting.cancel()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """
        Let `stop` end what is waited for inside the block.

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
    """Shared by all conversations: the engine, the executors of its calls, and how to stop the sidecar."""

    engine: Engine
    executor: Executor
    vault_executor: Executor  # for what touches the vault's own files: where its drive hangs, searches go on
    feedback: FeedbackLog
    ledgers: Ledgers
    gate: Gate
    vault: protocol.Vault
    version: str
    stop: Callable[[], None]
    blocks: BlockStore = field(default_factory=BlockStore)
    clock: Callable[[], int] = now_ms
    turns: Turns = field(default_factory=lambda: Turns({"search": SEARCH_THREADS, "vault": VAULT_THREADS}))

    async def call(self, lane: Lane, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run *function* on a thread of *lane*, so that the next frames are read meanwhile."""
        executor = self.executor if lane == "search" else self.vault_executor
        return await asyncio.get_running_loop().run_in_executor(executor, partial(function, *args, **kwargs))
