"""Values that a client offers while a person types an argument of a prompt or the path of a resource."""

from typing import TYPE_CHECKING, Any

from quarry.errors import QuarryError
from quarry.mcp import markdown
from quarry.mcp.arguments import BadArguments
from quarry.mcp.calls import PendingCall
from quarry.mcp.messages import INVALID_PARAMS, Params, ProtocolError
from quarry.mcp.prompts import RECIPES
from quarry.mcp.resources import block_names
from quarry.mcp.vaults import Vault, Vaults

if TYPE_CHECKING:
    from quarry import protocol as wire

MAX_VALUES = 100  # as the protocol has it


def complete(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    Values for an argument: names of vaults, paths of notes, titles of notes.

    Raises:
        ProtocolError: `ref` or `argument` is none.
        Cancelled: The client has given the call up.
    """
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise ProtocolError(INVALID_PARAMS, "`ref` and `argument` are objects")
    name, value = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, "`argument` has a name and a value, both strings")
    if name == "vault":
        return _values([known for known in vaults.names if known.lower().startswith(value.lower())])
    vault = _vault(vaults, params)
    if vault is None:
        return _values([])
    try:
        if ref.get("type") == "ref/resource" and name == "path":
            return _values(*_paths(vault, value, call))
        if ref.get("type") == "ref/resource" and name == "name":
            return _values([known for known in block_names(vault, call) if _begins(known, value)])
        if ref.get("type") == "ref/prompt" and _takes(ref.get("name"), name):
            return _values(_titles(vault, value, call))
    except (QuarryError, ProtocolError):
        return _values([])  # an offer, and nobody asked: the call that follows tells what is wrong
    return _values([])


def _vault(vaults: Vaults, params: Params) -> Vault | None:
    """The vault that is meant: the only one, or the one chosen before."""
    context = params.get("context")
    chosen = context.get("arguments") if isinstance(context, dict) else None
    name = chosen.get("vault") if isinstance(chosen, dict) else None
    try:
        return vaults.named(name if isinstance(name, str) else None)
    except BadArguments:
        return None


def _takes(prompt: Any, argument: str) -> bool:
    return isinstance(prompt, str) and prompt in RECIPES and RECIPES[prompt].argument == argument != "message"


def _paths(vault: Vault, value: str, call: PendingCall) -> tuple[list[str], int]:
    """Paths that *value* is a part of, and how many there are; those that begin with it first."""
    params = {"query": "", "limit": MAX_VALUES, "filters": {"paths": [value] if value else []}}
    found: wire.SearchResult = vault.ask("search", params, call)
    paths = sorted((hit.path for hit in found.hits), key=lambda path: (not _begins(path, value), path))
    return paths, found.total


def _titles(vault: Vault, value: str, call: PendingCall) -> list[str]:
    """Titles of notes that *value*, still being typed, finds."""
    params = {"query": value[:200], "limit": 20, "mode": "keyword", "typing": True}
    found: wire.SearchResult = vault.ask("search", params, call)
    titles = dict.fromkeys(markdown.clean_name(hit.title) for hit in found.hits)
    return sorted(titles, key=lambda title: not _begins(title, value))


def _begins(text: str, value: str) -> bool:
    return text.lower().startswith(value.lower())


def _values(values: list[str], total: int | None = None) -> dict[str, Any]:
    shown = values[:MAX_VALUES]
    total = max(len(values), total or 0)
    return {"completion": {"values": shown, "total": total, "hasMore": total > len(shown)}}
