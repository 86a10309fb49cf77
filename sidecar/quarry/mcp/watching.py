"""
What changes in the vaults, for clients that subscribed: a thread for each vault that anybody follows.

A sidecar reports the paths of at most 100 notes at a time. Where it reports as many, or has been replaced by another
meanwhile, everything that was subscribed to may have changed.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.errors import QuarryError
from quarry.mcp.messages import ProtocolError
from quarry.mcp.resources import parsed_uri
from quarry.mcp.vaults import Vault, Vaults
from quarry.mcp.versions import LATEST_STATELESS

MAX_SUBSCRIPTIONS = 1000  # of one client
MOST_REPORTED = 100  # paths in a report of a sidecar
POLL_S = 1.0  # how often the thread looks whether it is to stop
RETRY_S = 5.0  # after a sidecar could not be reached


class Interest:
    """The resources and lists that a client subscribed to."""

    def __init__(self, uris: Collection[str] = (), *, lists: bool = False) -> None:
        self.uris = set(uris)
        self.lists = lists


class VaultReport:
    """A change of its vault that a sidecar reported."""

    def __init__(self, vault: Vault, paths: Collection[str] | None, *, has_other_notes: bool) -> None:
        """
        Describe it.

        Args:
            paths: Of notes that changed, came or went; None where it is not known which.
            has_other_notes: Some came or went.
        """
        self._vault = vault
        self._paths = paths
        self._has_other_notes = has_other_notes

    def notifications(self, vaults: Vaults, interest: Interest) -> Iterator[tuple[str, dict[str, Any]]]:
        """The notifications for a client with this *interest*."""
        for uri in sorted(interest.uris):
            if self._concerns(vaults, uri):
                yield "notifications/resources/updated", {"uri": uri}
        if interest.lists and self._has_other_notes:
            yield "notifications/resources/list_changed", {}

    def _concerns(self, vaults: Vaults, uri: str) -> bool:
        try:
            address = parsed_uri(vaults, uri, LATEST_STATELESS)
        except ProtocolError:
            return False
        if address.vault is not self._vault:
            return False
        return address.kind != "note" or self._paths is None or address.name in self._paths


Listener = Callable[[VaultReport], None]


class Watch:
    """The listeners to changes of each vault, each of which is followed once."""

    def __init__(self, vaults: Vaults) -> None:
        self._vaults = vaults
        self._listeners: list[Listener] = []
        self._followed: set[str] = set()
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def follow(self, listener: Listener, vaults: Sequence[Vault]) -> None:
        """Tell *listener* of changes, those of *vaults* included from now on."""
        with self._lock:
            if listener not in self._listeners:
                self._listeners.append(listener)
            new = [vault for vault in vaults if vault.name not in self._followed]
            self._followed.update(vault.name for vault in new)
        for vault in new:
            threading.Thread(target=self._run, args=(vault,), name="quarry-mcp-watch", daemon=True).start()

    def forget(self, listener: Listener) -> None:
        """Tell *listener* of nothing more."""
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def stop(self) -> None:
        """End the threads, at their next look."""
        self._stopped.set()

    def _run(self, vault: Vault) -> None:
        is_first = True
        while not self._stopped.is_set():
            try:
                with SidecarClient(vault.root, "mcp") as client:
                    if not is_first:
                        self._tell(VaultReport(vault, None, has_other_notes=True))
                    is_first = False
                    self._listen(vault, client)
            except QuarryError:
                self._stopped.wait(RETRY_S)

    def _listen(self, vault: Vault, client: SidecarClient) -> None:
        count = client.hello.status.notes
        while not self._stopped.is_set():
            news = client.next_notification(POLL_S)
            if news and isinstance(news.params, wire.IndexUpdated):
                report, count = _report(vault, news.params, count)
                self._tell(report)

    def _tell(self, report: VaultReport) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(report)


def _report(vault: Vault, updated: wire.IndexUpdated, count: int) -> tuple[VaultReport, int]:
    """The report in `index/updated`, and the number of notes now, where there were *count*."""
    indexed, removed = updated.indexed, updated.removed
    is_whole = max(len(indexed), len(removed)) < MOST_REPORTED
    now: int = updated.status.notes
    has_other_notes = bool(removed) or now != count
    return VaultReport(vault, {*indexed, *removed} if is_whole else None, has_other_notes=has_other_notes), now
