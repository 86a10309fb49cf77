"""`tools/call`: from the name and the arguments of a tool to its result, or to an error that a model can act on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quarry.client.client import RequestFailed
from quarry.errors import QuarryError
from quarry.mcp import capturing, reading, searching
from quarry.mcp.arguments import BadArguments, checked, nearest
from quarry.mcp.budget import Rendered, compact_json
from quarry.mcp.calls import PendingCall
from quarry.mcp.messages import INVALID_PARAMS, Params, ProtocolError
from quarry.mcp.tools import CAPTURE, input_schema, tool_names
from quarry.mcp.vaults import Vault, Vaults, reason_of
from quarry.mcp.versions import has_structured_results
from quarry.redaction.sanitize import printable

Tool = Callable[[Vault, Mapping[str, Any], PendingCall], Rendered]

_TOOLS: Mapping[str, Tool] = {
    "search": searching.search,
    "read_note": reading.read_note,
    "list_notes": reading.list_notes,
    "get_context": searching.get_context,
    "find_related": searching.find_related,
    "explain_result": searching.explain_result,
    CAPTURE: capturing.capture,
}


def call_tool(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    The result of a tool; failures are results too, as the model is to read them.

    Raises:
        ProtocolError: There is no such tool.
        Cancelled: The client has given the call up.
    """
    name = params.get("name")
    names = tool_names(with_capture=vaults.may_capture)
    if not isinstance(name, str) or name not in names:
        raise _unknown_tool(name, names)
    try:
        asked = checked(input_schema(name, vaults.names), _without_only_vault(params.get("arguments", {}), vaults))
        vault = vaults.named(asked.get("vault"))
        return _result(_TOOLS[name](vault, asked, call), call.version)
    except BadArguments as error:
        return failure(str(error), "bad-arguments", error.suggestion)
    except QuarryError as error:
        kind, suggestion = reason_of(error)
        return failure(str(error), kind, suggestion, error.position if isinstance(error, RequestFailed) else None)


def failure(message: str, kind: str, suggestion: str, position: int | None = None) -> dict[str, Any]:
    """
    The result of a tool that failed. Text and structured result are equal: of errors, clients pass on the text.

    Args:
        position: UTF-16 offset into the query, where one can be named.
    """
    told = {"error": printable(message), "kind": kind, "suggestion": printable(suggestion)}
    content = {**told, "position": position} if position is not None else told
    text = {"type": "text", "text": compact_json(content)}
    return {"content": [text], "structuredContent": content, "isError": True}


def _result(rendered: Rendered, version: str) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": rendered.text}]}
    if has_structured_results(version):
        result["structuredContent"] = rendered.structured
    return result


def _without_only_vault(arguments: Any, vaults: Vaults) -> Any:
    """*arguments* without the name of the only vault, which none needs and some clients send all the same."""
    if isinstance(arguments, dict) and not vaults.are_several and isinstance(arguments.get("vault"), str):
        vaults.named(arguments["vault"])
        return {name: value for name, value in arguments.items() if name != "vault"}
    return {} if arguments is None else arguments


def _unknown_tool(name: Any, names: Sequence[str]) -> ProtocolError:
    meant = nearest(name, names) if isinstance(name, str) else None
    offer = f"; did you mean {meant!r}?" if meant else f"; there are {', '.join(names)}"
    return ProtocolError(INVALID_PARAMS, f"there is no tool {str(name)[:60]!r}{offer}")
