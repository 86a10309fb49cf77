"""The tools that find: `search`, `find_related`, `explain_result`, `get_context`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quarry.client.replies import lacks_words_under_filters
from quarry.errors import BadRequest
from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.mcp import markdown
from quarry.mcp.arguments import BadArguments
from quarry.mcp.budget import Rendered, fitted, shortened, size_of
from quarry.mcp.calls import PendingCall
from quarry.mcp.markdown import clean, clean_name
from quarry.mcp.places import hit_id, split_place
from quarry.mcp.vaults import WAIT_MS, Vault
from quarry.mcp.versions import has_structured_results

if TYPE_CHECKING:
    from quarry import protocol as wire

Arguments = Mapping[str, Any]

BROADER = "Try broader terms, fewer filters, or `list_notes`"
MOST_PASSAGE_TOKENS = 100_000  # of the wire: what is sent is fitted to the budget here, where all of it is counted
LEAST_CONTEXT_TOKENS = 50  # as on the wire
ABSTENTIONS = {
    "low-confidence": "No note is likely to answer this; `search` shows the nearest",
    "all-seen": "All notes that answer this were left out as asked",
    "indexing": "Nothing is found, but the index is not complete yet; ask again in a moment",
    "budget": "Not one quote fits into max_tokens; raise it",
}


def search(vault: Vault, asked: Arguments, call: PendingCall) -> Rendered:
    """Hits with their best passages, or short ones to choose from."""
    is_scan = asked["detail"] == "scan"
    params = {
        "query": _with_type(asked["query"], asked["type"]),
        "limit": asked["limit"],
        "offset": asked["offset"],
        "sort": asked["sort"],
        "mode": asked["mode"],
        "detail": asked["detail"],
        "maxTokens": MOST_PASSAGE_TOKENS,
        "waitMs": WAIT_MS,
        "expandSmallResults": False,
        "filters": _filters(asked["folder"], asked["tag"]),
    }
    result: wire.SearchResult = vault.ask("search", params, call)
    hits = [(_scanned if is_scan else _full)(hit) for hit in result.hits]
    name = "snippet" if is_scan else "text"
    message = _search_message(result)
    about = {"total": result.total, "understood": clean_name(result.understood)}

    def rendered(shown: int, width: int) -> Rendered:
        cut = [{**hit, name: shortened(hit[name], width)} for hit in hits[:shown]]
        said = markdown.sentences([message, _left_out(len(hits) - shown)])
        blocks = [_hit_block(hit, place, name) for place, hit in enumerate(cut, start=1)]
        structured = markdown.without_empty({"results": cut, **about, "message": said}, "results", "total")
        return Rendered(structured, markdown.document(said, (cut and markdown.PREFACE) or None, *blocks))

    return _fit(rendered, [hit[name] for hit in hits], asked["max_tokens"], call)


def find_related(vault: Vault, asked: Arguments, call: PendingCall) -> Rendered:
    """The notes most like a note, a passage or a text."""
    path, line = asked["path"], asked["line"]
    if path is not None:
        place = split_place(path)
        path, line = place.note, line or place.line
    params = {"path": path, "line": line - 1 if line else None, "text": asked["text"], "limit": asked["limit"]}
    params["waitMs"] = WAIT_MS
    result: wire.RelatedResult = vault.ask("related", params, call)
    notes = [_related(note) for note in result.notes]
    nothing = None if notes else "No similar notes"
    message = markdown.sentences([nothing, *markdown.state_of(result.index, result.missing)])

    def rendered(shown: int, width: int) -> Rendered:
        cut = [{**note, "text": shortened(note["text"], width)} for note in notes[:shown]]
        said = markdown.sentences([message, _left_out(len(notes) - shown)])
        blocks = [_hit_block(note, place, "text") for place, note in enumerate(cut, start=1)]
        structured = markdown.without_empty({"results": cut, "message": said}, "results")
        return Rendered(structured, markdown.document(said, (cut and markdown.PREFACE) or None, *blocks))

    return _fit(rendered, [note["text"] for note in notes], asked["max_tokens"], call)


def explain_result(vault: Vault, asked: Arguments, call: PendingCall) -> Rendered:
    """Why a note is or is not among the hits."""
    path = split_place(asked["path"]).note
    params = {"query": asked["query"], "path": path, "limit": asked["limit"], "mode": asked["mode"]}
    result: wire.ExplainResult = vault.ask("explain", params, call)
    message = clean_name(result.message)
    structured = {
        "state": result.state,
        "message": message,
        "path": clean_name(result.path),
        "understood": clean_name(result.understood),
        "rank": result.rank,
        "total": result.total,
        "confidence": _rounded(result.confidence),
        "signals": {one.name: round(float(one.share), 3) for one in result.signals},
        "words_found": [clean_name(word) for word in result.words_found],
        "words_lacking": [clean_name(word) for word in result.words_lacking],
    }
    told = markdown.without_empty(structured, "state", "message", "total")
    lines = [f"- {name.replace('_', ' ')}: {_listed(value)}" for name, value in told.items() if name != "message"]
    return Rendered(told, markdown.document(message, "\n".join(lines)))


def get_context(vault: Vault, asked: Arguments, call: PendingCall) -> Rendered:
    """
    Quotes that bear on a topic, or those of a context block; none where none is likely to.

    Raises:
        BadArguments: Neither `topic` nor `block` is given, or both.
    """
    if (asked["topic"] is None) == (asked["block"] is None):
        given = "both are given" if asked["topic"] is not None else "neither is given"
        raise BadArguments(f"`topic` or `block` says what to quote; {given}", "send one of the two")
    room = asked["max_tokens"] * CHARACTERS_PER_TOKEN
    with_structured = has_structured_results(call.version)
    tokens = asked["max_tokens"]
    while True:
        found = _context(vault, asked, max(LEAST_CONTEXT_TOKENS, tokens), call)
        size = size_of(found, with_structured=with_structured)
        if size <= room or not found.structured["text"]:
            return found
        if tokens <= LEAST_CONTEXT_TOKENS:
            return _no_context(ABSTENTIONS["budget"])
        tokens = min(tokens - 1, tokens * room // size)  # places and sentences are sent as well as quotes


def _context(vault: Vault, asked: Arguments, tokens: int, call: PendingCall) -> Rendered:
    if asked["block"] is not None:
        return _block(vault, asked["block"], tokens, call)
    params = {
        "query": asked["topic"],
        "maxTokens": tokens,
        "minConfidence": asked["min_confidence"],
        "waitMs": WAIT_MS,
        "exclude": asked["exclude"] or [],
    }
    result: wire.ContextResult = vault.ask("context", params, call)
    abstained = ABSTENTIONS.get(result.abstained, result.abstained) if result.abstained else None
    message = markdown.sentences([abstained, *markdown.state_of(result.index, result.missing)])
    sources = [_source(source) for source in result.sources]
    structured = {"text": result.text, "sources": sources, "tokens": result.tokens, "message": message}
    told = markdown.without_empty(structured, "text", "sources", "tokens")
    return Rendered(told, markdown.document(message, result.text and markdown.PREFACE, result.text))


def _block(vault: Vault, name: str, tokens: int, call: PendingCall) -> Rendered:
    result: wire.BlocksResult = vault.ask("blocks/read", {"name": name, "maxTokens": tokens, "waitMs": WAIT_MS}, call)
    sources = [_source(source) for block in result.blocks for source in block.sources]
    nothing = None if result.text else ABSTENTIONS["low-confidence"]
    problems = [clean_name(problem.message) for problem in result.problems if problem.name in (name, None)]
    message = markdown.sentences([nothing, *problems, *markdown.state_of(result.index)])
    structured = {"text": result.text, "sources": sources, "tokens": result.tokens, "message": message}
    told = markdown.without_empty(structured, "text", "sources", "tokens")
    return Rendered(told, markdown.document(message, result.text))


def _no_context(message: str) -> Rendered:
    said = markdown.sentences([message]) or ""
    return Rendered({"text": "", "sources": [], "tokens": 0, "message": said}, said)


# --- parts -----------------------------------------------------------------------------------------


def _fit(render: Any, texts: Sequence[str], max_tokens: int, call: PendingCall) -> Rendered:
    longest = max(map(len, texts), default=0)
    with_structured = has_structured_results(call.version)
    return fitted(render, len(texts), longest, max_tokens, with_structured=with_structured)


def _full(hit: "wire.Hit") -> dict[str, Any]:
    passage = hit.passages[0]
    about = {
        "id": hit_id(hit.path, passage.line),
        "file_path": clean_name(hit.path),
        "title": clean_name(hit.title),
        "kind": "" if hit.kind == "note" else hit.kind,
        "section": markdown.section(passage.heading_path),
        "project": clean_name(hit.project or ""),
        "line": passage.line + 1,
        "score": _rounded(hit.score),
        "confidence": _rounded(hit.confidence),
        "why": hit.why,
        "maps": [clean_name(each.path) for each in hit.maps],
        "text": clean(passage.text or passage.snippet),
    }
    return markdown.without_empty(about, "title", "section", "score", "confidence", "text")


def _scanned(hit: "wire.Hit") -> dict[str, Any]:
    passage = hit.passages[0]
    about = {
        "id": hit_id(hit.path, passage.line),
        "title": clean_name(hit.title),
        "kind": "" if hit.kind == "note" else hit.kind,
        "score": _rounded(hit.score),
        "confidence": _rounded(hit.confidence),
        "type": clean_name(hit.type or ""),
        "domain": clean_name(hit.domain or ""),
        "project": clean_name(hit.project or ""),
        "tags": [clean_name(tag) for tag in hit.tags],
        "snippet": clean_name(passage.snippet),
        "tokenEstimate": passage.tokens,
    }
    return markdown.without_empty(about, "title", "score", "confidence", "tags", "snippet")


def _related(note: "wire.RelatedNote") -> dict[str, Any]:
    return {
        "id": hit_id(note.path, note.line),
        "file_path": clean_name(note.path),
        "title": clean_name(note.title),
        "section": markdown.section(note.heading_path),
        "line": note.line + 1,
        "score": _rounded(note.score),
        "linked": note.linked,
        "text": clean(note.snippet),
    }


def _source(source: "wire.Source") -> dict[str, Any]:
    about = {
        "path": clean_name(source.path),
        "project": clean_name(source.project or ""),
        "section": markdown.section(source.heading_path),
        "line": source.line + 1,
        "confidence": _rounded(source.confidence),
    }
    return markdown.without_empty(about, "section", "confidence")


def _hit_block(hit: Mapping[str, Any], place: int, text: str) -> str:
    """A hit as Markdown: where it stands, how sure it is, and its quote."""
    told = [
        hit["title"],
        hit.get("section"),
        f"project {hit['project']}" if hit.get("project") else None,
        markdown.percent(hit["confidence"]) if hit.get("confidence") else None,
        ", ".join(filter(None, [hit.get("type"), hit.get("domain"), *(f"#{tag}" for tag in hit.get("tags", ()))])),
        f"{hit['tokenEstimate']} tokens" if "tokenEstimate" in hit else None,
        "linked" if hit.get("linked") else None,
        f"listed in {', '.join(hit['maps'])}" if hit.get("maps") else None,
    ]
    return f"{markdown.title_line(hit['id'], *told, place=place)}\n{markdown.quoted(hit[text])}"


def _weakness(result: "wire.SearchResult") -> str | None:
    if result.weakness is None:
        return None
    kind = "no-words-filtered" if lacks_words_under_filters(result) else result.weakness
    return markdown.WEAKNESSES.get(kind, kind)


def _search_message(result: "wire.SearchResult") -> str | None:
    """The remarks on how the hits were found: corrections, relaxation, a stale index."""
    corrected = [f"{clean_name(one.typed)} was searched as {clean_name(one.used)}" for one in result.corrections]
    lacking = ", ".join(map(clean_name, result.unknown_words))
    return markdown.sentences(
        [
            None if result.hits else f"No notes match. {BROADER}",
            _weakness(result),
            "; ".join(corrected),
            f"No note contains {lacking}" if lacking else None,
            clean_name(result.relaxed.message) if result.relaxed else None,
            "The query has no words to rank by; these are the newest that satisfy it" if result.listed else None,
            *markdown.state_of(result.index, result.missing),
        ]
    )


def _left_out(count: int) -> str | None:
    return f"{count} more did not fit into max_tokens" if count > 0 else None


def _filters(folder: str | None, tag: str | None) -> dict[str, list[str]]:
    return {"folders": [folder] if folder else [], "tags": [tag.removeprefix("#")] if tag else []}


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


def _rounded(value: Any) -> float | None:
    return None if value is None else round(float(value), 3)


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
