"""
Quotes for a model to read: which notes, within a budget, and written so that nothing a note says passes for ours.

Each quote stands behind `> `, under the path, heading and line of its note. A fence or a tag of a note closes nothing
that a reader of the block may have opened around it. No time and no score stands in the text: equal states of the index
give equal bytes.
"""

import hashlib
from collections.abc import Sequence

from msgspec import Struct

from quarry import protocol as wire
from quarry.agents.conversations import ShownPassages
from quarry.documents.decoding import note_line
from quarry.indexing.freshness import Freshness
from quarry.limits import CHARACTERS_PER_TOKEN, MAX_LIMIT, UNFINISHED
from quarry.options import PromptOptions, SearchOptions
from quarry.redaction.sanitize import inert, one_line, printable
from quarry.redaction.scrub import scrub_text
from quarry.search import Answer, Hit, Passage
from quarry.search.answer import ELLIPSIS, estimate_tokens
from quarry.search.quotes import Quotable, choose_quotes, quote_lengths, says_something
from quarry.server.encode.answers import named_property
from quarry.server.encode.state import freshness, missing_retrievers
from quarry.vault.paths import nfc

SEPARATOR = "\n\n"
PASSAGE_HASH_BYTES = 16
SHOWN_BEFORE = 12  # more hits where those of a conversation are not quoted again: a subject of which much was said
QUOTE_CHARACTERS = 500  # of a passage in a context block, with the dots of one that was cut


class Quoted(Struct, frozen=True):
    """A passage as it may stand in the text, in each of its lengths."""

    source: wire.Source
    passage: str  # a hash of its whole text, by which a conversation knows it again
    quotable: Quotable
    blocks: tuple[str, ...]  # one for each length: path and heading, and the quote


def search_options(params: wire.ContextParams) -> SearchOptions:
    """The search behind a context block: its snippets are what may be quoted; the budget is filled from these."""
    limit = min(MAX_LIMIT, params.limit + len(params.exclude) + (SHOWN_BEFORE if params.conversation else 0))
    return PromptOptions(
        query=params.query,
        limit=limit,
        snippet_width=QUOTE_CHARACTERS - len(ELLIPSIS),
        max_tokens=limit * QUOTE_CHARACTERS,
        filters=params.filters,
        expand_small_results=False,
    )


def context_result(
    answer: Answer, index: Freshness, params: wire.ContextParams, shown: ShownPassages | None = None
) -> wire.ContextResult:
    """
    The reply to `context`: at most one quote a note, those chosen by confidence per token, most confident first.

    A passage that is among *shown* is not quoted, and one that is quoted is added to them.
    """
    excluded = {nfc(path) for path in params.exclude}
    likely = [hit for hit in likely_hits(answer, params.min_confidence) if is_quotable(hit.passages[0])]
    candidates = [one for hit in likely if nfc(hit.path) not in excluded if not _is_shown(one := quoted(hit), shown)]
    room = params.max_tokens * CHARACTERS_PER_TOKEN + len(SEPARATOR)  # which stands behind each block but the last
    quotes = choose_quotes([one.quotable for one in candidates], room, params.limit)
    text = SEPARATOR.join(candidates[quote.passage].blocks[quote.length] for quote in quotes)
    if shown:
        for one in [candidates[quote.passage] for quote in quotes]:
            shown.add(one.source.path, one.passage)
    return wire.ContextResult(
        text=text,
        sources=[candidates[quote.passage].source for quote in quotes],
        tokens=estimate_tokens(text),
        abstained=None if quotes else _reason(likely, candidates, index),
        missing=missing_retrievers(answer.missing),
        index=freshness(index),
    )


def likely_hits(answer: Answer, min_confidence: float) -> list[Hit]:
    """
    The hits that may answer, most confident first.

    A query without words only lists notes, whose confidence is unknown: these are what was asked for.
    """
    if answer.relaxed and answer.relaxed.step == "meaning":
        return []  # the least far from what was asked: better no context than a wrong one
    listed = [hit for hit in answer.hits if not hit.retrievers]
    ranked = [hit for hit in answer.hits if hit.retrievers and hit.confidence >= min_confidence]
    return listed + sorted(ranked, key=lambda hit: -hit.confidence)


def is_quotable(passage: Passage) -> bool:
    """Whether the passage says something by itself; its note may well be what was searched for."""
    return says_something(passage.chunk.chunk.text)


def quoted(hit: Hit, at: int = 0, share: float = 1.0) -> Quoted:
    """Passage *at* of *hit* as it may be quoted; it answers with *share* of the confidence of its note."""
    passage, source = hit.passages[at], _source(hit, hit.passages[at])
    trail = " › ".join(source.heading_path)
    title = f"**{inert(one_line(scrub_text(source.path)))}**" + (f" › {inert(one_line(trail))}" if trail else "")
    project = f", project {inert(one_line(source.project))}" if source.project else ""
    text = inert(printable(scrub_text(passage.snippet.text)).strip())
    goes_on = passage.snippet.end < len(passage.chunk.chunk.text.rstrip())
    lengths = quote_lengths(text)
    quotes = [text[:length] + (ELLIPSIS if goes_on or length < len(text) else "") for length in lengths]
    blocks = tuple(f"{title} (line {source.line + 1}{project})\n\n{_behind_signs(quote)}" for quote in quotes)
    sizes = tuple(len(block) + len(SEPARATOR) for block in blocks)
    confidence = hit.confidence * share if hit.retrievers else None
    return Quoted(source, _hash_of(passage), Quotable(text, confidence, lengths, sizes), blocks)


def _reason(likely: Sequence[Hit], candidates: Sequence[Quoted], index: Freshness) -> wire.Abstention:
    """Why nothing is quoted."""
    if candidates:
        return "budget"
    if likely:
        return "all-seen"
    return "indexing" if index.state in UNFINISHED or index.done < index.total else "low-confidence"


def _is_shown(one: Quoted, shown: ShownPassages | None) -> bool:
    return shown is not None and shown.has(one.source.path, one.passage)


def _hash_of(passage: Passage) -> str:
    text = passage.chunk.chunk.text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=PASSAGE_HASH_BYTES).hexdigest()


def _source(hit: Hit, passage: Passage) -> wire.Source:
    chunk = passage.chunk.chunk
    return wire.Source(
        path=nfc(hit.path),
        project=named_property(passage.chunk, "project"),
        heading_path=[scrub_text(heading) for heading in chunk.trail],
        line=note_line(chunk, passage.snippet.start),
        confidence=hit.confidence,
    )


def _behind_signs(quote: str) -> str:
    """*quote* with `> ` before each line."""
    return "\n".join(f"> {line}".rstrip() for line in quote.split("\n"))
