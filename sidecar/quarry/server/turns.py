"""
Whose request is next? Clients take turns, so that one that floods the sidecar delays the others by a few requests.

A request needs a slot of its lane, of which there are as many as the lane has threads. A client has at most
`MAX_AT_WORK` requests at work; the others of it wait. Slots are given to clients in turn, each client's requests in
their order. An urgent request (a typed search, an `initialize`) of a client that has nothing at work goes before all
that are not: no client gets more than one slot that way.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import asynccontextmanager
from typing import Literal

from msgspec import Struct

MAX_AT_WORK = 3  # requests of one client: one fewer than there are threads for searches

Lane = Literal["search", "vault"]
"""What a request needs: the index alone, or files of the vault, whose drive may hang."""


class _Waiting(Struct, eq=False):
    lane: Lane
    urgent: bool
    granted: asyncio.Future[None]


class Turns:
    """The slots of each lane, and the requests waiting for one. Lives on one event loop."""

    def __init__(self, slots: Mapping[Lane, int]) -> None:
        self._free = dict(slots)
        self._at_work: dict[Hashable, int] = {}
        self._queues: OrderedDict[Hashable, deque[_Waiting]] = OrderedDict()  # whose turn it is next comes first

    @asynccontextmanager
    async def turn(self, client: Hashable, lane: Lane, *, urgent: bool = False) -> AsyncIterator[None]:
        """Hold a slot of *lane* inside the block, once it is the turn of *client*."""
        waiting = _Waiting(lane, urgent, asyncio.get_running_loop().create_future())
        self._queues.setdefault(client, deque()).append(waiting)
        self._grant()
        try:
            await waiting.granted
            yield
        finally:
            self._release(client, waiting)

    def _release(self, client: Hashable, waiting: _Waiting) -> None:
        if waiting.granted.done() and not waiting.granted.cancelled():
            self._free[waiting.lane] += 1
            self._at_work[client] -= 1
            if not self._at_work[client]:
                del self._at_work[client]
        else:
            self._forget(client, waiting)
        self._grant()

    def _grant(self) -> None:
        """Give every free slot to the next request that may have it."""
        while found := self._next():
            client, waiting = found
            self._forget(client, waiting)
            if client in self._queues:
                self._queues.move_to_end(client)
            self._free[waiting.lane] -= 1
            self._at_work[client] = self._at_work.get(client, 0) + 1
            waiting.granted.set_result(None)

    def _next(self) -> tuple[Hashable, _Waiting] | None:
        """The next request, with its client: an urgent one of a client with nothing at work, else the next in turn."""
        in_turn: tuple[Hashable, _Waiting] | None = None
        for client, queue in self._queues.items():
            at_work = self._at_work.get(client, 0)
            if at_work >= MAX_AT_WORK:
                continue
            for waiting in queue:
                if not self._free[waiting.lane] or waiting.granted.cancelled():
                    continue
                if waiting.urgent and not at_work:
                    return client, waiting
                in_turn = in_turn or (client, waiting)
        return in_turn

    def _forget(self, client: Hashable, waiting: _Waiting) -> None:
        queue = self._queues.get(client)
        if queue and waiting in queue:
            queue.remove(waiting)
        if not queue:
            self._queues.pop(client, None)
