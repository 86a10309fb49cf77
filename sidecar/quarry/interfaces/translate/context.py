"""Quotes for a model to read, so that nothing a note says can pass for anything but a quote."""

from quarry.interfaces import protocol as wire
from quarry.interfaces.sanitize import one_line, printable, scrubbed
from quarry.interfaces.translate.hits import headings
from quarry.interfaces.translate.status import missing_legs
from quarry.ranking.budget import CHARACTERS_PER_TOKEN, estimate_tokens
from quarry.search import Answer, Hit
from quarry.vault.paths import nfc


def context_result(answer: Answer, max_tokens: int) -> wire.ContextResult:
    """
    The reply to `context`: one quote a note, each under its path and heading, within *max_tokens*.

    Quotes stand behind `> `, so that nothing a note says can pass for anything but a quote. Nothing is quoted that is
    only the least far from what was asked: better no context than a wrong one.
    """
    speaks_of_it = answer.relaxed is None or answer.relaxed.step != "meaning"
    blocks: list[str] = []
    sources: list[wire.Source] = []
    room = max_tokens * CHARACTERS_PER_TOKEN
    for hit in answer.hits if speaks_of_it else ():
        block = _quote_block(hit)
        room -= len(block) + 2
        if room < 0:
            break
        blocks.append(block)
        chunk = hit.passages[0].chunk.chunk
        sources.append(wire.Source(path=nfc(hit.path), heading_path=headings(chunk.heading_path), line=chunk.line))
    text = "\n\n".join(blocks)
    return wire.ContextResult(
        text=text, sources=sources, tokens=estimate_tokens(text), missing=missing_legs(answer.missing)
    )


def _quote_block(hit: Hit) -> str:
    passage = hit.passages[0]
    trail = " › ".join(headings(passage.chunk.chunk.heading_path))
    title = f"**{one_line(scrubbed(nfc(hit.path)))}**" + (f" › {one_line(trail)}" if trail else "")
    quote = printable(scrubbed(passage.snippet.text)).strip()
    return f"{title}\n\n" + "\n".join(f"> {line}".rstrip() for line in quote.split("\n"))
