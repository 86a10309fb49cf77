"""
Fair scheduling of requests, so that a client that floods the sidecar delays the others by a few requests.

A request needs a slot of its thread pool, which has as many slots as threads. A client has at most
`MAX_SLOTS_EACH` slots at a time; its other requests wait. Slots are given to clients in turn, each client's requests in
their order. An urgent request (a typed search, an `initialize`) of a client without a slot precedes all that are not
urgent: no client gets more than one slot that way.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import asynccontextmanager
from typing import Literal

from msgspec import Struct

MAX_SLOTS_EACH = 3  # of one client: one fewer than there are threads for searches

Pool = Literal["search", "vault"]
"""The threads that a request needs: for the index alone, or for files of the vault, whose drive may hang."""


class _Waiter(Struct, eq=False):
    pool: Pool
    urgent: bool
    granted: asyncio.Future[None]


class Scheduler:
    """The slots of each pool, and the requests waiting for one. Lives on one event loop."""

    def __init__(self, slots: Mapping[Pool, int]) -> None:
        self._free = dict(slots)
        self._in_use: dict[Hashable, int] = {}  # by client
        self._queues: OrderedDict[Hashable, deque[_Waiter]] = OrderedDict()  # the client whose turn is next comes first

    @asynccontextmanager
    async def slot(self, client: Hashable, pool: Pool, *, urgent: bool = False) -> AsyncIterator[None]:
        """Wait for a slot of *pool* for *client*, and occupy it inside the block."""
        waiter = _Waiter(pool, urgent, asyncio.get_running_loop().create_future())
        self._queues.setdefault(client, deque()).append(waiter)
        self._grant()
        try:
            await waiter.granted
            yield
        finally:
            self._release(client, waiter)

    def _release(self, client: Hashable, waiter: _Waiter) -> None:
        if waiter.granted.done() and not waiter.granted.cancelled():
            self._free[waiter.pool] += 1
            self._in_use[client] -= 1
            if not self._in_use[client]:
                del self._in_use[client]
        else:
            self._dequeue(client, waiter)
        self._grant()

    def _grant(self) -> None:
        """Give every free slot to the next request that may have it."""
        while found := self._next():
            client, waiter = found
            self._dequeue(client, waiter)
            if client in self._queues:
                self._queues.move_to_end(client)
            self._free[waiter.pool] -= 1
            self._in_use[client] = self._in_use.get(client, 0) + 1
            waiter.granted.set_result(None)

    def _next(self) -> tuple[Hashable, _Waiter] | None:
        """The next request, with its client: an urgent one of a client without a slot, else the next in turn."""
        in_turn: tuple[Hashable, _Waiter] | None = None
        for client, queue in self._queues.items():
            in_use = self._in_use.get(client, 0)
            if in_use >= MAX_SLOTS_EACH:
                continue
            for waiter in queue:
                if not self._free[waiter.pool] or waiter.granted.cancelled():
                    continue
                if waiter.urgent and not in_use:
                    return client, waiter
                in_turn = in_turn or (client, waiter)
        return in_turn

    def _dequeue(self, client: Hashable, waiter: _Waiter) -> None:
        queue = self._queues.get(client)
        if queue and waiter in queue:
            queue.remove(waiter)
        if not queue:
            self._queues.pop(client, None)
