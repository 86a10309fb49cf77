"""All tiers of this device as one vault, `all`, for the tool that searches; each is served under its name as well."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from quarry import protocol as wire
from quarry.client.codec import request_params
from quarry.limits import MAX_WAIT_MS
from quarry.mcp.vaults import ALL, CallCancelled, PendingCall, Vault, Vaults
from quarry.tiers.connected import active_in, connected
from quarry.tiers.fan_out import Tiers, options_of_tier
from quarry.tiers.folder import FolderTier

PATIENCE_MS = 3_000  # an agent waits for a sidecar that starts rather than ask twice


class Everywhere(Vault):
    """
    The first vault that is served, and the connected tiers.

    Their sidecars are asked from this process, each with the reader's token of its own vault: a program that acts for
    an agent does not have an owner's token.
    """

    def __init__(self, home: Vault, tiers: Tiers, names: Mapping[str, str]) -> None:
        """*names*: path of a folder -> the name under which it is served."""
        super().__init__(ALL, home.root)
        self._home = home
        self._tiers = tiers
        self._names = names

    def ask(self, method: str, params: Mapping[str, object], call: PendingCall) -> Any:
        """
        Search everywhere. Raises as `Vault.ask`.

        Every other method is for the first vault alone.
        """
        if method != "search":
            return self._home.ask(method, params, call)
        given = {**request_params(params), "deadlineMs": PATIENCE_MS}
        search = msgspec.convert(given, wire.TierSearchParams)
        asked = self._tiers.ask(search, lambda: call.is_cancelled)
        part = msgspec.to_builtins(replace(options_of_tier(search), wait_ms=min(MAX_WAIT_MS, search.wait_ms)))
        answer = self._home.ask("tiers/answer", part, call)
        asked.wait()
        if call.is_cancelled:
            raise CallCancelled
        home = wire.Origin(kind="home", name=self._home.name, path=str(self._home.root.resolve()))
        found = asked.result((home, answer))
        return replace(found, hits=[replace(hit, origin=self._named(hit.origin)) for hit in found.hits])

    def close(self) -> None:
        """Close the connections to the tiers."""
        self._tiers.close()

    def _named(self, origin: wire.Origin) -> wire.Origin:
        return replace(origin, name=self._names.get(origin.path or "", origin.name))


def serve_tiers(vaults: Vaults, folder: Path) -> None:
    """
    Serve the folders that are connected now, without project tiers of other repositories than that around *folder*.

    A database is not served: its notes cannot be read by path.
    """
    home = next(iter(vaults.by_name.values()))
    names = {str(vault.root.resolve()): name for name, vault in vaults.by_name.items()}
    for tier in active_in(connected().tiers, folder):
        if tier.folder and tier.place not in names:
            name = tier.name if tier.name not in vaults.by_name else f"{tier.name} ({tier.kind})"
            vaults.by_name[name] = Vault(name, tier.folder)
            names[tier.place] = name
    tiers = Tiers(home.root.resolve(), FolderTier, lambda tier: tier.place in names)
    vaults.everywhere = Everywhere(home, tiers, names)
