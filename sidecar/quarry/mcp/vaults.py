"""
The vaults that are served, the connections over which their sidecars are asked, and the requests that wait for one.

Errors of a request are of three kinds:

    ProtocolError    for the client's program: a JSON-RPC error
    BadArguments     for the model, where a tool is called: an argument is wrong, with what to send instead
    CallCancelled    for the server: the client takes no answer any more
"""

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from msgspec.structs import replace

from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.errors import BadRequest, QuarryError
from quarry.protocol.envelope import Notification

STATELESS_VERSION = "2026-07-28"  # the first revision of the protocol whose requests are independent of each other
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

WAIT_MS = 2000  # for an index that is empty or nearly complete: agents seldom ask again, and a call may take so long
MAX_CONNECTIONS_OF_POOL = 4  # as many as a sidecar has threads for searches; more would wait there instead of here
ALL = "all"  # the name of all tiers together
MAX_WARMED = 4  # vaults; a question to another one waits for its engine
PROGRESS_INTERVAL_S = 1.0  # a person begins to wonder after a second
TOLD_TO_ALL = ("bad-query", "bad-request", "invalid-params", "note-not-found", "deadline", "cancelled", "forbidden")
"""Kinds of errors that are about a request, not about the machine that answers it."""


class ProtocolError(Exception):
    """A request is answered with a JSON-RPC error of *code*."""

    def __init__(self, message: str, code: int = INVALID_PARAMS, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class BadArguments(ProtocolError):
    """An argument is unknown, missing or wrong; `suggestion` says what to send instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(f"{message}; {suggestion}")
        self.message = message
        self.suggestion = suggestion


class CallCancelled(Exception):
    """The client takes no answer any more."""


class PendingCall:
    """One request of a client, from its arrival to its answer."""

    def __init__(
        self, version: str, report: Callable[[float, str], None] | None = None, conversation: str | None = None
    ) -> None:
        """
        Begin it.

        Args:
            version: The revision of the protocol that the request is of.
            report: Takes its progress, as seconds and a sentence; None where the client has not asked for it.
            conversation: The name that the client gives to the conversation; None where it gives none.
        """
        self.version = version
        self.conversation = conversation
        self._report = report
        self._begun_s = time.monotonic()
        self._reported_s = 0.0
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Give it up; nothing more is sent for it."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether its client has given it up."""
        return self._cancelled.is_set()

    def wait(self, message: str) -> bool:
        """Report progress; called again and again while a sidecar is waited for. Returns whether to give up."""
        elapsed_s = time.monotonic() - self._begun_s
        if self._report and not self.is_cancelled and elapsed_s - self._reported_s >= PROGRESS_INTERVAL_S:
            self._reported_s = elapsed_s
            self._report(round(elapsed_s, 1), message)
        return self.is_cancelled

    def acquire(self, semaphore: threading.Semaphore, message: str) -> None:
        """
        Acquire *semaphore*.

        Raises:
            CallCancelled: The client gave the call up meanwhile.
        """
        while not semaphore.acquire(timeout=0.1):
            if self.wait(message):
                raise CallCancelled


class Vault:
    """A vault with the connections to its sidecar, which is started when it is first asked."""

    def __init__(self, name: str, root: Path, only: tuple[str, ...] = ()) -> None:
        """Prepare to serve the vault at *root*, or its part in the folders *only*."""
        self.name = name
        self.root = root
        self._only = only
        self._free: deque[SidecarClient] = deque()
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS_OF_POOL)
        self._attaching = threading.Semaphore()  # the first one starts the sidecar, the others find it

    def ask(self, method: str, params: Mapping[str, object], call: PendingCall) -> Any:
        """
        Ask the sidecar on a connection that no other call uses meanwhile.

        Raises:
            CallCancelled: The client of *call* takes no answer any more.
            RequestFailed: The sidecar refused it.
            QuarryError: It cannot be reached; the next question starts afresh.
        """
        call.acquire(self._slots, "waiting for a connection")
        client = None
        try:
            client = self._connection(call)
            answer = client.ask(method, params, lambda news: call.wait(_progress_message(news)))
        except RequestFailed as failed:
            if client:
                self._free.append(client)
            if call.is_cancelled or failed.kind == "cancelled":
                raise CallCancelled from None
            raise
        except BaseException:
            if client:
                client.close()
            raise
        else:
            self._free.append(client)
        finally:
            self._slots.release()
        if call.is_cancelled:
            raise CallCancelled
        return answer

    def warm_up(self) -> None:
        """Start the sidecar where none runs, and have it load what its first search would wait for."""
        query = {"query": "how do I wram up the search engine", "limit": 1, "waitMs": WAIT_MS}
        with contextlib.suppress(QuarryError):  # the first question reports what is wrong
            self.ask("search", query, PendingCall(STATELESS_VERSION))

    def close(self) -> None:
        """Close the connections that no call uses."""
        with contextlib.suppress(IndexError):
            while True:
                self._free.pop().close()

    def _connection(self, call: PendingCall) -> SidecarClient:
        with contextlib.suppress(IndexError):
            return self._free.popleft()
        call.acquire(self._attaching, "the search engine starts")
        try:
            return SidecarClient(self.root, "mcp", only=self._only)
        finally:
            self._attaching.release()


class SharedVault(Vault):
    """A vault, or a part of it, for clients on other machines: errors of this machine reach its administrator alone."""

    def ask(self, method: str, params: Mapping[str, object], call: PendingCall) -> Any:
        """Ask the sidecar; raises as `Vault.ask`, without paths of this machine."""
        try:
            answer = super().ask(method, params, call)
        except QuarryError as error:
            if isinstance(error, RequestFailed) and error.kind in TOLD_TO_ALL:
                raise
            print(f"quarry: {method} failed: {error}", file=sys.stderr)
            next_step = "try again in a minute; if that does not help, ask whoever runs this server"
            raise RequestFailed("the notes cannot be asked", "unavailable", next_step) from None
        return replace(answer, message=None) if isinstance(answer, wire.IndexStatus) else answer


class Vaults:
    """The vaults that are served, by name."""

    def __init__(self, roots: Sequence[Path], *, may_capture: bool = False) -> None:
        """
        Name them by their folders.

        Raises:
            BadRequest: Two of *roots* are one folder.
        """
        self.may_capture = may_capture
        self.everywhere: Vault | None = None  # all tiers, where they are served
        self._is_warm = False
        self.by_name: dict[str, Vault] = {}
        seen: dict[Path, Path] = {}
        for root in roots:
            if (same := seen.setdefault(root.resolve(), root)) is not root:
                raise BadRequest(f"--vault names one folder twice: {same} and {root}; name each once")
            name = _free_name(root.resolve(), self.by_name)
            self.by_name[name] = Vault(name, root)

    @classmethod
    def shared(cls, root: Path, only: tuple[str, ...], *, may_capture: bool) -> Self:
        """The vault at *root*, or its part in the folders *only*, for clients on other machines."""
        vaults = cls([], may_capture=may_capture)
        vaults.by_name[root.name] = SharedVault(root.name, root, only)
        return vaults

    def warm_up(self) -> None:
        """Make the engines ready while a new client thinks of its first question."""
        if not self._is_warm:
            self._is_warm = True
            for vault in list(self.by_name.values())[:MAX_WARMED]:
                threading.Thread(target=vault.warm_up, name="quarry-mcp-warm-up", daemon=True).start()

    @property
    def names(self) -> list[str]:
        """The names, in the order in which the vaults were given."""
        return list(self.by_name)

    @property
    def are_several(self) -> bool:
        """Whether a tool must say which one it means."""
        return len(self.by_name) > 1

    def choices(self, *, is_search: bool) -> list[str]:
        """The names that a tool takes, that which searches (*is_search*) or another."""
        return [*([ALL] if is_search and self.everywhere else []), *self.names]

    def named(self, name: Any, *, is_search: bool = False) -> Vault:
        """
        The vault called *name*, which may be left out where there is one only, or tiers are served.

        With tiers, a search (*is_search*) is one of all of them, and any other tool means the first vault.

        Raises:
            BadArguments: There is none of this name, or several and none is named.
        """
        if self.everywhere and is_search and str(name or ALL).lower() == ALL:
            return self.everywhere
        if name is None and (self.everywhere or not self.are_several):
            return next(iter(self.by_name.values()))
        if name is None:
            raise BadArguments("`vault` is missing: several are served", f"send `vault`: {self._choice()}")
        same = [vault for known, vault in self.by_name.items() if known.lower() == str(name).lower()]
        if name in self.names or len(same) == 1:
            return self.by_name.get(name) or same[0]
        offer = f"did you mean {meant!r}? " if (meant := nearest(name, self.names)) else ""
        raise BadArguments(f"no vault is called {name!r}", f"{offer}the names are {self._choice()}")

    def close(self) -> None:
        """Close all connections that no call uses."""
        for vault in (*self.by_name.values(), *filter(None, [self.everywhere])):
            vault.close()

    def _choice(self) -> str:
        return ", ".join(map(repr, self.names))


def nearest(name: Any, names: Sequence[str]) -> str | None:
    """The one of *names* that was probably meant by *name*; None where none is near."""
    known = {one.lower(): one for one in names}
    found = get_close_matches(str(name)[:100].lower(), known, n=1, cutoff=0.6)
    return known[found[0]] if found else None


def _free_name(root: Path, taken: Mapping[str, Vault]) -> str:
    """A name for the vault at *root*: its folder's, with as many folders above it as tell it from those *taken*."""
    parts = [part for part in root.parts if part != root.anchor] or [str(root)]
    names = ["/".join(parts[-length:]) for length in range(1, len(parts) + 1)]
    return next((name for name in names if name not in taken), str(root))


def _progress_message(news: Notification | None) -> str:
    """A sentence on the progress that a sidecar's notification reports."""
    status = news.params if news else None
    if isinstance(status, wire.IndexStatus) and status.progress:
        return f"indexing: {status.progress.done_notes} of {status.progress.total_notes} notes"
    return "the search engine is at work"
