"""What each method of MCP does, for every client that this process serves."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from quarry import __version__
from quarry.mcp.calls import PendingCall
from quarry.mcp.completion import complete
from quarry.mcp.messages import Message, Params
from quarry.mcp.prompts import get_prompt, list_prompts
from quarry.mcp.resources import list_resources, read_resource, templates
from quarry.mcp.tool_calls import call_tool
from quarry.mcp.tools import INSTRUCTIONS, described_tools
from quarry.mcp.vaults import Vaults
from quarry.mcp.versions import SERVER_KEY, STATELESS_VERSIONS, is_stateless
from quarry.mcp.watching import Watch
from quarry.mcp.workers import Workers

Handler = Callable[[Vaults, Params, PendingCall], dict[str, Any]]

AT_WORK: Mapping[str, Handler] = {
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/read": read_resource,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}
"""Methods that ask a sidecar, and so take their time on a thread of their own."""

HANDSHAKE_ONLY = frozenset({"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
STATELESS_ONLY = frozenset({"server/discover", "subscriptions/listen"})
BEGINNINGS = frozenset({"initialize", "server/discover"})

MAX_WARMED = 4  # vaults: half of the threads; a question to another one waits for its engine
CONSTANT_MS = 3_600_000  # tools and prompts change with the program alone
VAULT_MS = 5_000  # notes change at every save; a subscriber is notified
_CACHED_MS: Mapping[str, int] = {
    "server/discover": CONSTANT_MS,
    "tools/list": CONSTANT_MS,
    "prompts/list": CONSTANT_MS,
    "resources/templates/list": CONSTANT_MS,
    "resources/list": VAULT_MS,
    "resources/read": VAULT_MS,
}


class Server:
    """The vaults, the threads and the watch that all conversations share."""

    def __init__(self, vaults: Vaults) -> None:
        self.vaults = vaults
        self.workers = Workers()
        self.watch = Watch(vaults)
        self._is_warm = False

    def warm_up(self, version: str) -> None:
        """Make the engines ready while a client that has just come thinks of its first question."""
        if not self._is_warm:
            self._is_warm = True
            for vault in list(self.vaults.by_name.values())[:MAX_WARMED]:
                self.workers.submit(partial(vault.warm_up, PendingCall("warm-up", version, _send_nothing, {})))

    def constant(self, method: str, version: str) -> dict[str, Any] | None:
        """The result of a method whose answer is always the same; None for other methods."""
        if method == "tools/list":
            return {"tools": described_tools(self.vaults.names, version, with_capture=self.vaults.may_capture)}
        if method == "prompts/list":
            return list_prompts(self.vaults)
        if method == "resources/templates/list":
            return templates(self.vaults)
        if method == "server/discover":
            return {"supportedVersions": list(STATELESS_VERSIONS), **self._introduction(version)}
        return {} if method == "ping" else None

    def greeting(self, version: str) -> dict[str, Any]:
        """The result of `initialize`."""
        return {"protocolVersion": version, "serverInfo": server_info(), **self._introduction(version)}

    def close(self) -> None:
        """Stop watching, and close the connections to sidecars."""
        self.watch.stop()
        self.vaults.close()

    def _introduction(self, version: str) -> dict[str, Any]:
        capabilities: dict[str, Any] = {
            "tools": {},
            "resources": {"subscribe": True, "listChanged": True},
            "prompts": {},
            "completions": {},
        }
        if not is_stateless(version):
            capabilities["logging"] = {}
        instructions = INSTRUCTIONS
        if self.vaults.are_several:
            instructions += f" Several vaults are served: name one as `vault` ({', '.join(self.vaults.names)})."
        return {"capabilities": capabilities, "instructions": instructions}


def _send_nothing(_: Message) -> None:
    """Take a notification of a call that no client has made."""


def server_info() -> dict[str, Any]:
    """The name, title and version of this server, as `initialize` reports them."""
    return {"name": "quarry", "title": "Quarry", "version": __version__}


def finished(result: dict[str, Any], method: str, version: str) -> dict[str, Any]:
    """*result* as the protocol's *version* wants it: stateless ones name the server, and how long the result holds."""
    if not is_stateless(version):
        return result
    stamped = {**result, "resultType": "complete", "_meta": {SERVER_KEY: server_info(), **result.get("_meta", {})}}
    if method in _CACHED_MS:
        stamped.update(ttlMs=_CACHED_MS[method], cacheScope="private")
    return stamped
