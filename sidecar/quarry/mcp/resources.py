"""
Notes, context blocks and the state of the index as resources, which a person attaches to a conversation.

`quarry://note/Folder/Name.md`, `quarry://block/NAME`, `quarry://status`; with several vaults, `?vault=NAME` behind it.
"""

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote

from quarry.errors import QuarryError
from quarry.mcp import markdown
from quarry.mcp.arguments import BadArguments
from quarry.mcp.budget import compact_json
from quarry.mcp.calls import PendingCall
from quarry.mcp.messages import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, Params, ProtocolError
from quarry.mcp.vaults import Vault, Vaults, reason_of
from quarry.mcp.versions import is_stateless
from quarry.messages import text

if TYPE_CHECKING:
    from quarry import protocol as wire

PAGE = 100  # resources; a client lists them for a person to choose from
READ_TOKENS = 25_000  # of a note that a person attaches; clients cut what is longer
NOTE, BLOCK, STATUS = "quarry://note/", "quarry://block/", "quarry://status"


class Address(NamedTuple):
    """The note or list that a resource's URI names."""

    kind: str  # "note", "block" or "status"
    name: str  # the path of a note, the name of a block
    vault: Vault


def note_uri(vaults: Vaults, vault: Vault, path: str) -> str:
    """The URI of the note at *path*."""
    return NOTE + quote(path, safe="/") + _query(vaults, vault)


def list_resources(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    A page of resources: the state of each vault and its context blocks, then its notes, newest first.

    Raises:
        ProtocolError: The cursor is none of ours.
    """
    vault, offset = _position(vaults, params.get("cursor"))
    page: wire.NoteList = _ask(vault, "notes/list", {"limit": PAGE, "offset": offset}, call)
    resources = [] if offset else [_status_resource(vaults, vault), *_block_resources(vaults, vault, call)]
    resources += [_note_resource(vaults, vault, note) for note in page.notes]
    result: dict[str, Any] = {"resources": resources}
    if cursor := _next_cursor(vaults, vault, offset + len(page.notes), page):
        result["nextCursor"] = cursor
    return result


def templates(vaults: Vaults) -> dict[str, Any]:
    """The forms that URIs have."""
    query = "{?vault}" if vaults.are_several else ""
    note = {
        "uriTemplate": f"quarry://note/{{+path}}{query}",
        "name": "note",
        "title": "Note",
        "description": "A note by its path in the vault",
        "mimeType": "documents/markdown",
    }
    block = {
        "uriTemplate": f"quarry://block/{{name}}{query}",
        "name": "block",
        "title": "Context block",
        "description": "Quotes for a query of the vault's settings",
        "mimeType": "documents/markdown",
    }
    return {"resourceTemplates": [note, block]}


def read_resource(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    The content of a resource; that of a note begins with a line that says what it is.

    Raises:
        ProtocolError: There is no such resource.
    """
    uri = params.get("uri")
    address = parsed_uri(vaults, uri, call.version)
    if address.kind == "status":
        return _contents(uri, "application/json", compact_json(_status(address.vault, call)))
    if address.kind == "block":
        blocks: wire.BlocksResult = _ask(address.vault, "blocks/read", {"name": address.name}, call, not_found=uri)
        return _contents(uri, "documents/markdown", blocks.text)
    note: wire.NoteText = _ask(
        address.vault, "note/read", {"path": address.name, "maxTokens": READ_TOKENS}, call, not_found=uri
    )
    cut = f"Cut off: the note has {note.line_count:,} lines; `read_note` reads on." if note.truncated else None
    text = markdown.document(markdown.PREFACE, markdown.whole_text(note.text), cut)
    return _contents(uri, "documents/markdown", text)


def parsed_uri(vaults: Vaults, uri: Any, version: str) -> Address:
    """
    Parse *uri*; whether the resource exists is not checked.

    Raises:
        ProtocolError: It names nothing of ours.
    """
    if not isinstance(uri, str):
        raise ProtocolError(INVALID_PARAMS, "`uri` is a string such as quarry://note/Folder/Name.md")
    place, _, query = uri.partition("?")
    try:
        names = parse_qs(query, max_num_fields=2).get("vault", [])
        vault = vaults.named(names[0] if names else None)
    except (ValueError, BadArguments) as error:
        raise not_found(uri, version, str(error)) from None
    if place == STATUS:
        return Address("status", "", vault)
    if place.startswith(NOTE) and place != NOTE:
        return Address("note", unquote(place.removeprefix(NOTE)), vault)
    if place.startswith(BLOCK) and place != BLOCK:
        return Address("block", unquote(place.removeprefix(BLOCK)), vault)
    raise not_found(uri, version, "the forms are quarry://note/PATH, quarry://block/NAME and quarry://status")


def not_found(uri: Any, version: str, why: str) -> ProtocolError:
    """The error for a resource that is not there, as the protocol's *version* has it."""
    code = INVALID_PARAMS if is_stateless(version) else RESOURCE_NOT_FOUND
    return ProtocolError(code, f"there is no resource {str(uri)[:200]!r}: {why}", {"uri": uri})


# --- parts -----------------------------------------------------------------------------------------


def _ask(vault: Vault, method: str, params: dict[str, Any], call: PendingCall, not_found: Any = None) -> Any:
    """Ask; failures become errors of the protocol, which has no others for resources."""
    try:
        return vault.ask(method, params, call)
    except QuarryError as error:
        kind, suggestion = reason_of(error)
        if not_found is not None and kind in ("note-not-found", "bad-request"):
            raise _missing(not_found, call.version, f"{error}; {suggestion}") from None
        raise ProtocolError(INTERNAL_ERROR, f"{error}; {suggestion}", {"kind": kind}) from error


_missing = not_found


def _contents(uri: Any, mime_type: str, text: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}


def _status(vault: Vault, call: PendingCall) -> dict[str, Any]:
    status: wire.IndexStatus = _ask(vault, "index/status", {}, call)
    told = {
        "vault": vault.name,
        "state": status.state,
        "notes": status.notes,
        "pending": status.pending,
        "excluded": status.excluded,
        "problems": status.problem_count,
        "model": {"name": status.model.name, "state": status.model.state},
        "missing": [text(leg.reason) for leg in status.missing],
        "message": text(status.message) if status.message else None,
    }
    return markdown.without_empty(told, "notes", "pending", "excluded", "problems")


def _status_resource(vaults: Vaults, vault: Vault) -> dict[str, Any]:
    title = f"State of the index of {vault.name}"
    uri = STATUS + _query(vaults, vault)
    return {"uri": uri, "name": "status", "title": title, "mimeType": "application/json"}


def _block_resources(vaults: Vaults, vault: Vault, call: PendingCall) -> list[dict[str, Any]]:
    return [
        {
            "uri": BLOCK + quote(name, safe="") + _query(vaults, vault),
            "name": markdown.clean_name(name),
            "title": f"Context block {markdown.clean_name(name)}",
            "mimeType": "documents/markdown",
        }
        for name in block_names(vault, call)
    ]


def block_names(vault: Vault, call: PendingCall) -> list[str]:
    """The names of the context blocks of the vault's settings."""
    result: wire.BlocksCheckResult = _ask(vault, "blocks/check", {}, call)
    return [block.name for block in result.blocks]


def _note_resource(vaults: Vaults, vault: Vault, note: "wire.NoteSummary") -> dict[str, Any]:
    return {
        "uri": note_uri(vaults, vault, note.path),
        "name": markdown.clean_name(note.path),
        "title": markdown.clean_name(note.title),
        "mimeType": "documents/markdown",
        "size": note.size_bytes,
    }


def _query(vaults: Vaults, vault: Vault) -> str:
    return f"?vault={quote(vault.name, safe='')}" if vaults.are_several else ""


def _position(vaults: Vaults, cursor: Any) -> tuple[Vault, int]:
    """The vault and the offset that *cursor* names: that of a page, `VAULT.OFFSET`."""
    all_vaults = list(vaults.by_name.values())
    if cursor is None:
        return all_vaults[0], 0
    number, _, offset = str(cursor).partition(".")
    is_ours = number.isascii() and number.isdigit() and offset.isascii() and offset.isdigit() and len(offset) < 10
    if not is_ours or len(number) > 9 or int(number) >= len(all_vaults):
        raise ProtocolError(INVALID_PARAMS, "`cursor` is not one that this server gave; leave it out to begin anew")
    return all_vaults[int(number)], int(offset)


def _next_cursor(vaults: Vaults, vault: Vault, end: int, page: "wire.NoteList") -> str | None:
    all_vaults = list(vaults.by_name.values())
    number = all_vaults.index(vault)
    if page.notes and end < page.total:
        return f"{number}.{end}"
    return f"{number + 1}.0" if number + 1 < len(all_vaults) else None
