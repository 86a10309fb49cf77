"""The tools that search: `search`, `get_context`, `find_related`, `explain_result`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct

from quarry import protocol as wire
from quarry.errors import BadRequest
from quarry.limits import CHARACTERS_PER_TOKEN, MAX_TEXT_CHARS, MAX_TOKENS, MIN_TOKENS
from quarry.mcp import quoting
from quarry.mcp.note_tools import MOST_TOKENS, Line, PathTitleOrId, Text, Tokens, passage_uri, split_uri
from quarry.mcp.quoting import (
    Rendered,
    clean,
    clean_name,
    document,
    fields,
    fitted,
    sentences,
    shortened,
    without_empty,
)
from quarry.mcp.vaults import WAIT_MS, BadArguments, PendingCall, Vault
from quarry.messages import Message, message
from quarry.messages import sentences as message_sentences
from quarry.options import Mode
from quarry.protocol.base import Option, limitations, options_of

Limit = Annotated[int, Meta(ge=1, le=50)]

BROADER = "Try broader terms, fewer filters, or `list_notes`"
MAX_PLACES = 8  # of what was quoted before, that are named
DEFAULTS = {"limit": 5, "max_tokens": 2000, "detail": "full"}  # an agent reads all it is given: few and short first
MOST = {"limit": 50, "offset": 1000, "max_tokens": MOST_TOKENS}


def _argument(option: Option) -> tuple[str, Any, Any]:
    """The argument of `search` for an *option* that the wire declares; its range may be narrower here."""
    default = DEFAULTS.get(option.name, option.default)
    if option.choices:
        return option.name, Literal[option.choices], default
    return option.name, Annotated[option.type, Meta(ge=option.least, le=MOST.get(option.name, option.most))], default


OPTIONS = tuple(options_of(wire.SearchOptions, "mcp"))
FILTERS = [(name, Text | None, None) for name in ("folder", "tag", "type")]
Search = defstruct("Search", [("query", Text), *map(_argument, OPTIONS), *FILTERS], forbid_unknown_fields=True)


class GetContext(Struct, forbid_unknown_fields=True):
    """Arguments of `get_context`."""

    topic: Text | None = None
    max_tokens: Tokens = 2000
    min_confidence: Annotated[float, Meta(ge=0, le=1)] | None = None
    exclude: Annotated[list[Text], Meta(max_length=50, description="Paths seen before")] | None = None
    block: Annotated[Text, Meta(description="Instead of topic: a context block of the vault")] | None = None


class FindRelated(Struct, forbid_unknown_fields=True):
    """Arguments of `find_related`."""

    path: PathTitleOrId | None = None
    line: Line | None = None
    text: Annotated[str, Meta(max_length=MAX_TEXT_CHARS, description="Instead of path")] | None = None
    limit: Limit = 5
    max_tokens: Tokens = 2000


class ExplainResult(Struct, forbid_unknown_fields=True):
    """Arguments of `explain_result`."""

    query: Text
    path: PathTitleOrId
    limit: Limit = 5
    mode: Mode = "hybrid"


def search(vault: Vault, asked: Any, call: PendingCall) -> Rendered:
    """Hits with their best passages, or short ones to choose from."""
    params = {
        **{option.wire_name: getattr(asked, option.name) for option in OPTIONS},
        "query": _with_type(asked.query, asked.type),
        "maxTokens": MAX_TOKENS,  # what is sent is fitted to the budget here, where all of it is counted
        "waitMs": WAIT_MS,
        "expandSmallResults": False,
        "filters": {
            "folders": [asked.folder] if asked.folder else [],
            "tags": [asked.tag.removeprefix("#")] if asked.tag else [],
        },
    }
    result: wire.SearchResult = vault.ask("search", params, call)
    is_scan = asked.detail == "scan"
    hits = [(_scanned_hit if is_scan else _full_hit)(hit) for hit in result.hits]
    about = {"total": result.total, "understood": clean_name(str(result.understood))}
    absent = result.absent if isinstance(result, wire.TierSearchResult) else []
    remarks = [*_remarks(result), *(clean_name(str(tier.message)) for tier in absent)]
    return _listing(hits, "snippet" if is_scan else "text", about, remarks, asked.max_tokens)


def find_related(vault: Vault, asked: FindRelated, call: PendingCall) -> Rendered:
    """The notes most like a note, a passage or a text."""
    path, line = split_uri(asked.path) if asked.path is not None else (None, None)
    line = asked.line or line
    params = {
        "path": path,
        "line": line - 1 if line else None,
        "text": asked.text,
        "limit": asked.limit,
        "waitMs": WAIT_MS,
    }
    result: wire.RelatedResult = vault.ask("related", params, call)
    notes = [
        {
            "id": passage_uri(note.path, note.line),
            "file_path": clean_name(note.path),
            **fields(note, "title", "score", "linked"),
            **_place(note),
            "text": clean(note.snippet),
        }
        for note in result.notes
    ]
    remarks = [None if notes else "No similar notes", *limitations(result.index, result.missing)]
    return _listing(notes, "text", {}, remarks, asked.max_tokens)


def explain_result(vault: Vault, asked: ExplainResult, call: PendingCall) -> Rendered:
    """Why a note is or is not among the hits."""
    params = {"query": asked.query, "path": split_uri(asked.path).note, "limit": asked.limit, "mode": asked.mode}
    result: wire.ExplainResult = vault.ask("explain", params, call)
    about: dict[str, Any] = {"state": result.state, "message": clean_name(message_sentences(result.messages))}
    about |= fields(result, "path", "understood", "rank", "total", "confidence")
    about["signals"] = {one.name: round(one.share, 3) for one in result.signals}
    about |= fields(result, "words_found", "words_lacking")
    structured = without_empty(about, "state", "message", "total")
    lines = [f"- {name.replace('_', ' ')}: {_in_words(value)}" for name, value in structured.items()]
    del lines[1]  # the message, which is above them
    return Rendered(structured, document(about["message"], "\n".join(lines)))


def get_context(vault: Vault, asked: GetContext, call: PendingCall) -> Rendered:
    """
    Quotes that bear on a topic, or those of a context block; empty where no note is likely to answer.

    What the conversation was quoted before is named instead. The quotes are recorded once it is known that they fit.

    Raises:
        BadArguments: Neither `topic` nor `block` is given, or both.
    """
    if (asked.topic is None) == (asked.block is None):
        given = "both are given" if asked.topic is not None else "neither is given"
        raise BadArguments(f"`topic` or `block` says what to quote; {given}", "send one of the two")
    room = asked.max_tokens * CHARACTERS_PER_TOKEN
    tokens = asked.max_tokens
    while True:
        found = _context(vault, asked, max(MIN_TOKENS, tokens), call, is_trial=True)
        if not found.structured["text"]:
            return found
        if found.size <= room:
            return _context(vault, asked, max(MIN_TOKENS, tokens), call, is_trial=False) if call.conversation else found
        if tokens <= MIN_TOKENS:
            return _quotes("", [], 0, [message("abstained.budget")])
        tokens = min(tokens - 1, tokens * room // found.size)  # sources and sentences are sent as well as quotes


def _context(vault: Vault, asked: GetContext, tokens: int, call: PendingCall, *, is_trial: bool) -> Rendered:
    params: dict[str, Any] = {"maxTokens": tokens, "waitMs": WAIT_MS}
    params |= {"conversation": call.conversation, "dryRun": is_trial}
    if asked.block is not None:
        params |= {"name": asked.block}
        blocks: wire.BlocksResult = vault.ask("blocks/read", params, call)
        problems = [clean_name(one.message) for one in blocks.problems if one.name in (asked.block, None)]
        before = _named_before(blocks.quoted_before)
        none = before or (None if blocks.text else message("abstained.low-confidence"))
        remarks = [none, *problems, *limitations(blocks.index)]
        sources = [source for block in blocks.blocks for source in block.sources]
        return _quotes(blocks.text, sources, blocks.tokens, remarks, preface=None)
    params |= {"query": asked.topic, "minConfidence": asked.min_confidence, "exclude": asked.exclude or []}
    result: wire.ContextResult = vault.ask("context", params, call)
    abstained = message(f"abstained.{result.abstained}") if result.abstained else None
    remarks = [abstained, _named_before(result.quoted_before), *limitations(result.index, result.missing)]
    return _quotes(result.text, result.sources, result.tokens, remarks)


# --- parts -----------------------------------------------------------------------------------------


def _named_before(sources: Sequence[wire.Source]) -> str | None:
    """Where to find what the conversation was quoted before."""
    ids = ", ".join([clean_name(passage_uri(source.path, source.line)) for source in sources[:MAX_PLACES]])
    return f"Quoted before in this conversation, for `read_note`: {ids}" if ids else None


def _quotes(
    text: str,
    sources: Sequence[wire.Source],
    tokens: int,
    remarks: Sequence[str | Message | None],
    preface: str | None = quoting.PREFACE,
) -> Rendered:
    """The result of `get_context`; the text of a block has a preface of its own."""
    described = [
        without_empty({**fields(source, "path", "project", "confidence"), **_place(source)}, "section", "confidence")
        for source in sources
    ]
    message = sentences(remarks)
    structured = {"text": text, "sources": described, "tokens": tokens, "message": message}
    shown = without_empty(structured, "text", "sources", "tokens")
    return Rendered(shown, document(message, text and preface, text))


def _listing(
    hits: Sequence[Mapping[str, Any]],
    text: str,
    about: Mapping[str, Any],
    remarks: Sequence[str | Message | None],
    max_tokens: int,
) -> Rendered:
    """*hits* within the budget: their *text* is cut first, then the last of them are left out."""

    def rendered(shown: int, width: int) -> Rendered:
        cut = [{**hit, text: shortened(hit[text], width)} for hit in hits[:shown]]
        left_out = f"{len(hits) - shown} more did not fit into max_tokens" if shown < len(hits) else None
        message = sentences([sentences(remarks), left_out])
        blocks = [_hit_block(hit, rank, text) for rank, hit in enumerate(cut, start=1)]
        structured = without_empty({"results": cut, **about, "message": message}, "results", "total")
        return Rendered(structured, document(message, quoting.PREFACE if cut else None, *blocks))

    return fitted(rendered, [hit[text] for hit in hits], max_tokens)


def _full_hit(hit: wire.Hit) -> dict[str, Any]:
    passage = hit.passages[0]
    about = {
        "id": passage_uri(hit.path, passage.line),
        "vault": _vault_of(hit),
        "file_path": clean_name(hit.path),
        **fields(hit, "title", "project", "score", "confidence", "matched_by"),
        **_place(passage),
        "kind": "" if hit.kind == "note" else hit.kind,
        "maps": [clean_name(each.path) for each in hit.maps],
        "text": clean(passage.text or passage.snippet),
    }
    return without_empty(about, "title", "section", "score", "confidence", "text")


def _scanned_hit(hit: wire.Hit) -> dict[str, Any]:
    passage = hit.passages[0]
    about = {
        "id": passage_uri(hit.path, passage.line),
        "vault": _vault_of(hit),
        **fields(hit, "title", "score", "confidence", "type", "domain", "project", "tags"),
        "kind": "" if hit.kind == "note" else hit.kind,
        "snippet": clean_name(passage.snippet),
        "tokenEstimate": passage.tokens,
    }
    return without_empty(about, "title", "score", "confidence", "tags", "snippet")


def _vault_of(hit: wire.Hit) -> str:
    """The name to pass as `vault`; empty where there is nothing to choose."""
    return clean_name(hit.origin.name) if isinstance(hit, wire.TierHit) else ""


def _hit_block(hit: Mapping[str, Any], rank: int, text: str) -> str:
    """A hit as Markdown: its place, its confidence, and its quote."""
    parts = [
        hit["title"],
        hit.get("section") if hit.get("section") != hit["title"] else None,
        f"vault {hit['vault']}" if hit.get("vault") else None,
        f"project {hit['project']}" if hit.get("project") else None,
        f"confidence {hit['confidence']:.2f}" if hit.get("confidence") else None,
        ", ".join(filter(None, [hit.get("type"), hit.get("domain"), *(f"#{tag}" for tag in hit.get("tags", ()))])),
        f"{hit['tokenEstimate']} tokens" if "tokenEstimate" in hit else None,
        "linked" if hit.get("linked") else None,
        f"listed in {', '.join(hit['maps'])}" if hit.get("maps") else None,
    ]
    return f"{quoting.title_line(hit['id'], *parts, rank=rank)}\n{quoting.quoted(hit[text])}"


def _place(passage: wire.Passage | wire.RelatedNote | wire.Source) -> dict[str, Any]:
    return {"section": quoting.section(passage.heading_path), "line": passage.line + 1}


def _remarks(result: wire.SearchResult) -> list[str | Message | None]:
    """How the hits were found: corrections, relaxation, a stale index."""
    return [
        None if result.hits else f"No notes match. {BROADER}",
        *(clean_name(str(remark)) for remark in result.remarks),
        "The query has no words to rank by; these are the newest that satisfy it" if result.listed else None,
        *limitations(result.index, result.missing),
    ]


def _with_type(query: str, kind: str | None) -> str:
    """
    *query* with a condition on the type, which the wire's filters do not have.

    Raises:
        BadRequest: It cannot be written in a query.
    """
    if not kind:
        return query
    if '"' in kind:
        raise BadRequest(f"`type` is {kind!r}; it takes a value without quotes")
    return f'({query}) type:"{kind}"' if " OR " in query else f'{query} type:"{kind}"'.strip()


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
