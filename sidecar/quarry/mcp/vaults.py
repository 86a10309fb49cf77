"""Which vaults are served, by which names, and over which connections are their sidecars asked?"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quarry import protocol as wire
from quarry.client.client import Notification, RequestFailed, SidecarClient
from quarry.errors import BadRequest, QuarryError
from quarry.mcp.arguments import BadArguments, nearest
from quarry.mcp.calls import CallCancelled, PendingCall

WAIT_MS = 2000  # for an index that is empty or nearly complete: agents seldom ask again, and a call may take so long
MAX_CONNECTIONS_OF_POOL = 4  # as many as a sidecar has threads for searches; more would wait there instead of here


class Vault:
    """A vault with the connections to its sidecar, which is started when it is first asked."""

    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        self.root = root
        self._free: list[SidecarClient] = []
        self._open = 0
        self._changed = threading.Condition()
        self._attaching = threading.Lock()  # the first one starts the sidecar, the others find it

    def ask(self, method: str, params: Mapping[str, object], call: PendingCall) -> Any:
        """
        Ask the sidecar on a connection that nobody else uses meanwhile.

        Raises:
            Cancelled: The client of *call* takes no answer any more.
            RequestFailed: The sidecar refused it.
            QuarryError: It cannot be reached; the next question starts afresh.
        """
        with self._connection(call) as client:
            try:
                answer = client.ask(method, params, lambda news: call.wait(_said(news)))
            except RequestFailed as failed:
                if call.is_cancelled or failed.kind == "cancelled":
                    raise CallCancelled from None
                raise
        if call.is_cancelled:
            raise CallCancelled
        return answer

    def warm_up(self, call: PendingCall) -> None:
        """Start the sidecar where none runs, and have it load what its first search would wait for."""
        self.ask("search", {"query": "how do I wram up the search engine", "limit": 1, "waitMs": WAIT_MS}, call)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._changed:
            free, self._free = self._free, []
        for client in free:
            client.close()

    @contextmanager
    def _connection(self, call: PendingCall) -> Iterator[SidecarClient]:
        client = self._take(call)
        try:
            client = client or self._attach(call)
            yield client
        except (RequestFailed, CallCancelled):
            self._give_back(client)
            raise
        except BaseException:
            if client:
                client.close()
            self._give_back(None)
            raise
        else:
            self._give_back(client)

    def _take(self, call: PendingCall) -> SidecarClient | None:
        """A free connection; None where one is to be opened."""
        with self._changed:
            while not self._free and self._open == MAX_CONNECTIONS_OF_POOL:
                self._changed.wait(0.1)
                if call.wait("waiting for a connection"):
                    raise CallCancelled
            if self._free:
                return self._free.pop()
            self._open += 1
            return None

    def _attach(self, call: PendingCall) -> SidecarClient:
        while not self._attaching.acquire(timeout=0.1):
            if call.wait("the search engine starts"):
                raise CallCancelled
        try:
            return SidecarClient(self.root, "mcp")
        finally:
            self._attaching.release()

    def _give_back(self, client: SidecarClient | None) -> None:
        with self._changed:
            if client:
                self._free.append(client)
            else:
                self._open -= 1
            self._changed.notify()


class Vaults:
    """The vaults that are served, by name."""

    def __init__(self, roots: Sequence[Path], *, may_capture: bool = False) -> None:
        self.may_capture = may_capture
        self.by_name: dict[str, Vault] = {}
        for root in roots:
            name = _free_name(root.resolve(), self.by_name)
            self.by_name[name] = Vault(name, root)

    @property
    def names(self) -> list[str]:
        """The names, in the order in which the vaults were given."""
        return list(self.by_name)

    @property
    def are_several(self) -> bool:
        """Whether a tool must say which one it means."""
        return len(self.by_name) > 1

    def named(self, name: str | None) -> Vault:
        """
        The vault called *name*, which the only one needs not be.

        Raises:
            BadArguments: There is none of this name, or several and none is named.
        """
        if name is None and not self.are_several:
            return next(iter(self.by_name.values()))
        if name is None:
            raise BadArguments("`vault` is missing: several are served", f"send `vault`: {self._choice()}")
        same = [vault for known, vault in self.by_name.items() if known.lower() == name.lower()]
        if name in self.by_name or len(same) == 1:
            return self.by_name.get(name) or same[0]
        if same:
            raise BadArguments(f"several vaults are called {name!r}", f"send one of {self._choice()} in its exact form")
        meant = nearest(name, self.names)
        offer = f"did you mean {meant!r}? " if meant else ""
        raise BadArguments(f"no vault is called {name!r}", f"{offer}the names are {self._choice()}")

    def close(self) -> None:
        """Close all connections that nobody uses."""
        for vault in self.by_name.values():
            vault.close()

    def _choice(self) -> str:
        return ", ".join(map(repr, self.names))


def distinct(roots: Sequence[Path]) -> list[Path]:
    """
    *roots*, which must be different folders.

    Raises:
        BadRequest: Two of them are one folder.
    """
    seen: dict[Path, Path] = {}
    for root in roots:
        if (same := seen.setdefault(root.resolve(), root)) is not root:
            raise BadRequest(f"--vault names one folder twice: {same} and {root}; name each once")
    return list(roots)


def reason_of(error: QuarryError) -> tuple[str, str]:
    """The kind of *error*, and what to do next."""
    if isinstance(error, RequestFailed):
        return error.kind, error.next
    from quarry.server.failures import (
        presentation_of,  # here, as it costs more than all else, and most calls succeed
    )

    form = presentation_of(error)
    return form.kind, form.next


def _free_name(root: Path, taken: Mapping[str, Vault]) -> str:
    """A name for the vault at *root*: its folder's, with as many folders above it as tell it from those *taken*."""
    parts = [part for part in root.parts if part != root.anchor] or [str(root)]
    names = ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]
    return next((name for name in names if name not in taken), str(root))


def _said(news: Notification | None) -> str:
    """A sentence on the progress that a sidecar's notification reports."""
    status = news.params if news else None
    if isinstance(status, wire.IndexStatus) and status.progress:
        return f"indexing: {status.progress.done_notes} of {status.progress.total_notes} notes"
    return "the search engine is at work"
