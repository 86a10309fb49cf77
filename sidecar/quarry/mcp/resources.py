"""
Notes, context blocks and the state of the index as resources, which a person attaches to a conversation.

`quarry://note/Folder/Name.md`, `quarry://block/NAME`, `quarry://status`; with several vaults, `?vault=NAME` behind it.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, quote, unquote

from quarry import protocol as wire
from quarry.errors import QuarryError
from quarry.mcp import quoting
from quarry.mcp.quoting import clean_name, compact_json
from quarry.mcp.vaults import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    STATELESS_VERSION,
    PendingCall,
    ProtocolError,
    Vault,
    Vaults,
)
from quarry.server.failures import presentation_of

Params = Mapping[str, Any]

PAGE = 100  # resources; a client lists them for a person to choose from
READ_TOKENS = 25_000  # of a note that a person attaches; clients cut what is longer
NOTE, BLOCK, STATUS = "quarry://note/", "quarry://block/", "quarry://status"
MARKDOWN, JSON = "text/markdown", "application/json"
RESOURCE_NOT_FOUND = -32002  # up to 2025-11-25; later revisions have `INVALID_PARAMS`


def list_resources(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    A page of resources: the state of each vault and its context blocks, then its notes, newest first.

    Raises:
        ProtocolError: The cursor is not one that this server gave.
    """
    all_vaults = list(vaults.by_name.values())
    number, offset = _position(params.get("cursor"), len(all_vaults))
    vault = all_vaults[number]
    query = f"?vault={quote(vault.name, safe='')}" if vaults.are_several else ""
    page: wire.NoteList = _ask(vault, "notes/list", {"limit": PAGE, "offset": offset}, call)
    resources: list[dict[str, Any]] = []
    if not offset:
        resources.append(_resource(STATUS + query, "status", f"State of the index of {vault.name}", JSON))
        for name in block_names(vault, call):
            uri = BLOCK + quote(name, safe="") + query
            resources.append(_resource(uri, name, f"Context block {name}", MARKDOWN))
    for note in page.notes:
        uri = NOTE + quote(note.path, safe="/") + query
        resources.append({**_resource(uri, note.path, note.title, MARKDOWN), "size": note.size_bytes})
    result: dict[str, Any] = {"resources": resources}
    end = offset + len(page.notes)
    if page.notes and end < page.total:
        result["nextCursor"] = f"{number}.{end}"
    elif number + 1 < len(all_vaults):
        result["nextCursor"] = f"{number + 1}.0"
    return result


def list_templates(vaults: Vaults, _params: Params, _call: PendingCall) -> dict[str, Any]:
    """The forms that URIs have."""
    query = "{?vault}" if vaults.are_several else ""
    templates = [
        ("{+path}", "note", "Note", NOTE, "A note by its path in the vault"),
        ("{name}", "block", "Context block", BLOCK, "Quotes for a query of the vault's settings"),
    ]
    return {
        "resourceTemplates": [
            {
                "uriTemplate": f"{prefix}{variable}{query}",
                "name": name,
                "title": title,
                "description": description,
                "mimeType": MARKDOWN,
            }
            for variable, name, title, prefix, description in templates
        ]
    }


def read_resource(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    The content of a resource; that of a note begins with a line that says what it is.

    Raises:
        ProtocolError: There is no such resource.
    """
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise ProtocolError("`uri` is a string such as quarry://note/Folder/Name.md")
    address, _, query = uri.partition("?")
    try:
        names = parse_qs(query, max_num_fields=2).get("vault", [None])
    except ValueError as error:
        raise _not_found(uri, call, str(error)) from None
    vault = vaults.named(names[0])
    if address == STATUS:
        return _contents(uri, JSON, compact_json(_status(vault, call)))
    if address.startswith(BLOCK) and address != BLOCK:
        block = {"name": unquote(address.removeprefix(BLOCK))}
        blocks: wire.BlocksResult = _ask(vault, "blocks/read", block, call, uri)
        return _contents(uri, MARKDOWN, blocks.text)
    if address.startswith(NOTE) and address != NOTE:
        path = {"path": unquote(address.removeprefix(NOTE)), "maxTokens": READ_TOKENS}
        note: wire.NoteText = _ask(vault, "note/read", path, call, uri)
        cut = f"Cut off: the note has {note.line_count:,} lines; `read_note` reads on." if note.truncated else None
        return _contents(uri, MARKDOWN, quoting.document(quoting.PREFACE, quoting.whole_text(note.text), cut))
    raise _not_found(uri, call, "the forms are quarry://note/PATH, quarry://block/NAME and quarry://status")


def block_names(vault: Vault, call: PendingCall) -> list[str]:
    """The names of the context blocks of the vault's settings."""
    result: wire.BlocksCheckResult = _ask(vault, "blocks/check", {}, call)
    return [block.name for block in result.blocks]


# --- parts -----------------------------------------------------------------------------------------


def _resource(uri: str, name: str, title: str, mime_type: str) -> dict[str, Any]:
    return {"uri": uri, "name": clean_name(name), "title": clean_name(title), "mimeType": mime_type}


def _contents(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}


def _status(vault: Vault, call: PendingCall) -> dict[str, Any]:
    status: wire.IndexStatus = _ask(vault, "index/status", {}, call)
    about = {
        "vault": vault.name,
        **quoting.fields(status, "state", "notes", "pending", "excluded", "message"),
        "problems": status.problem_count,
        "model": quoting.fields(status.model, "name", "state"),
        "missing": [clean_name(str(retriever.reason)) for retriever in status.missing],
    }
    return quoting.without_empty(about, "notes", "pending", "excluded", "problems")


def _ask(vault: Vault, method: str, params: dict[str, Any], call: PendingCall, uri: str | None = None) -> Any:
    """Ask; failures become errors of the protocol, which has no others for resources."""
    try:
        return vault.ask(method, params, call)
    except QuarryError as error:
        form = presentation_of(error)
        if uri is not None and form.kind in ("note-not-found", "bad-request"):
            raise _not_found(uri, call, f"{error}; {form.next}") from None
        raise ProtocolError(f"{error}; {form.next}", INTERNAL_ERROR, {"kind": form.kind}) from error


def _not_found(uri: str, call: PendingCall, reason: str) -> ProtocolError:
    code = INVALID_PARAMS if call.version >= STATELESS_VERSION else RESOURCE_NOT_FOUND
    return ProtocolError(f"there is no resource {uri[:200]!r}: {reason}", code, {"uri": uri})


def _position(cursor: Any, vault_count: int) -> tuple[int, int]:
    """The number of the vault and the offset that *cursor* names, which is `NUMBER.OFFSET`."""
    number, _, offset = ("0.0" if cursor is None else str(cursor)).partition(".")
    is_valid = all(part.isascii() and part.isdigit() and len(part) < 10 for part in (number, offset))
    if not is_valid or int(number) >= vault_count:
        raise ProtocolError("`cursor` is not one that this server gave; leave it out to begin anew")
    return int(number), int(offset)
