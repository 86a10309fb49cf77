"""
Quotes for a model to read: which notes, within a budget, and written so that nothing a note says passes for ours.

Each quote stands behind `> `, under the path, heading and line of its note. A fence or a tag of a note closes nothing
that a reader of the block may have opened around it. No time and no score stands in the text: equal states of the index
give equal bytes.
"""

from collections.abc import Collection, Sequence

from quarry.indexing.freshness import Freshness
from quarry.interfaces import protocol as wire
from quarry.interfaces.sanitize import inert, one_line, printable, scrubbed
from quarry.interfaces.translate.state import freshness, missing_legs
from quarry.ranking.budget import CHARACTERS_PER_TOKEN, ELLIPSIS, estimate_tokens
from quarry.search import Answer, Hit
from quarry.text.offsets import note_line
from quarry.vault.paths import nfc

UNFINISHED = frozenset({"starting", "scanning", "indexing", "embedding"})
SEPARATOR = "\n\n"


def context_result(answer: Answer, index: Freshness, params: wire.ContextParams) -> wire.ContextResult:
    """
    The reply to `context`: one quote a note, those of the highest confidence first, within the budget.

    A quote that does not fit is left out, and a shorter one behind it may still be taken.
    """
    excluded = {nfc(path) for path in params.exclude}
    likely = _likely(answer, params.min_confidence)
    candidates = [hit for hit in likely if nfc(hit.path) not in excluded][: params.limit]
    blocks: list[str] = []
    sources: list[wire.Source] = []
    room = params.max_tokens * CHARACTERS_PER_TOKEN
    for hit in candidates:
        source = _source(hit)
        block = _quote_block(hit, source)
        if len(block) > room:
            continue
        room -= len(block) + len(SEPARATOR)
        blocks.append(block)
        sources.append(source)
    text = SEPARATOR.join(blocks)
    return wire.ContextResult(
        text=text,
        sources=sources,
        tokens=estimate_tokens(text),
        abstained=None if blocks else _reason(likely, candidates, index),
        missing=missing_legs(answer.missing),
        index=freshness(index),
    )


def _likely(answer: Answer, min_confidence: float) -> list[Hit]:
    """
    The hits that may answer, most confident first.

    A query without words only lists notes, whose confidence is unknown: these are what was asked for.
    """
    if answer.relaxed and answer.relaxed.step == "meaning":
        return []  # the least far from what was asked: better no context than a wrong one
    listed = [hit for hit in answer.hits if not hit.retrievers]
    ranked = [hit for hit in answer.hits if hit.retrievers and hit.confidence >= min_confidence]
    return listed + sorted(ranked, key=lambda hit: -hit.confidence)


def _reason(likely: Sequence[Hit], candidates: Collection[Hit], index: Freshness) -> wire.Abstention:
    """Why nothing is quoted."""
    if candidates:
        return "budget"
    if likely:
        return "all-seen"
    return "indexing" if index.state in UNFINISHED or index.done < index.total else "low-confidence"


def _source(hit: Hit) -> wire.Source:
    passage = hit.passages[0]
    chunk = passage.chunk.chunk
    return wire.Source(
        path=nfc(hit.path),
        heading_path=[scrubbed(heading) for heading in chunk.heading_path],
        line=note_line(chunk, passage.snippet.start),
        confidence=hit.confidence,
    )


def _quote_block(hit: Hit, source: wire.Source) -> str:
    passage = hit.passages[0]
    trail = " › ".join(source.heading_path)
    title = f"**{inert(one_line(scrubbed(source.path)))}**" + (f" › {inert(one_line(trail))}" if trail else "")
    quote = inert(printable(scrubbed(passage.snippet.text)).strip())
    if passage.snippet.end < len(passage.chunk.chunk.text.rstrip()):
        quote += ELLIPSIS
    return f"{title} (line {source.line + 1})\n\n" + "\n".join(f"> {line}".rstrip() for line in quote.split("\n"))
