"""
Quotes for a model to read: which notes, within a budget, and written so that nothing a note says passes for ours.

Each quote stands behind `> `, under the path, heading and line of its note. A fence or a tag of a note closes nothing
that a reader of the block may have opened around it. No time and no score stands in the text: equal states of the index
give equal bytes.
"""

import hashlib
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from quarry import protocol as wire
from quarry.agents.conversations import ShownPassages
from quarry.documents.decoding import note_line
from quarry.documents.sentences import says_something, split_sentences
from quarry.indexing.freshness import Freshness
from quarry.limits import CHARACTERS_PER_TOKEN, MAX_LIMIT, UNFINISHED
from quarry.messages import message
from quarry.options import PromptOptions
from quarry.redaction.sanitize import inert, one_line, printable
from quarry.redaction.scrub import scrub_text
from quarry.search import Answer, Hit, Passage
from quarry.search.answer import ELLIPSIS, estimate_tokens
from quarry.search.quotes import Quotable, Quote, choose_quotes, quote_lengths
from quarry.search.snippet.snippet import Snippet
from quarry.server.encode.answers import named_property
from quarry.server.encode.state import freshness, missing_retrievers
from quarry.vault.paths import nfc

SEPARATOR = "\n\n"
PASSAGE_HASH_BYTES = 16
TELLING = 24  # characters of a sentence that is known again: `See below.` is in many places
SHOWN_BEFORE = 12  # more hits where those of a conversation are not quoted again: a subject of which much was said
MAX_NAMED = 120  # characters of a subject that no note is about: a longer one takes the room of quotes
QUOTE_CHARACTERS = 500  # of a passage in a context block, with the dots of one that was cut


class Quoted(Struct, frozen=True):
    """A passage as it may stand in the text, in each of its lengths."""

    hit: Hit
    passage: Passage
    source: wire.Source
    sentences: tuple[str, ...]  # hashes, by which a conversation knows it again
    quotable: Quotable
    titles: tuple[str, str]  # with which each of the blocks begins: the path of the note, and its headings
    blocks: tuple[str, ...]  # one for each length: path, headings and line, and the quote


def search_options(params: wire.ContextParams) -> PromptOptions:
    """The search behind a context block: its passages are what may be quoted; the budget is filled from these."""
    limit = min(MAX_LIMIT, params.limit + len(params.exclude) + (SHOWN_BEFORE if params.conversation else 0))
    return PromptOptions(
        query=params.query,
        least_confidence=params.min_confidence,
        limit=limit,
        snippet_width=QUOTE_CHARACTERS - len(f" {ELLIPSIS}"),
        max_tokens=limit * QUOTE_CHARACTERS,
        filters=params.filters,
        expand_small_results=False,
    )


def context_result(
    answer: Answer, index: Freshness, params: wire.ContextParams, shown: ShownPassages | None = None
) -> wire.ContextResult:
    """
    The reply to `context`: quotes chosen by confidence per token, those of the most confident note first.

    A passage that is among *shown* is not quoted, and one that is quoted is added to them.
    """
    excluded = {nfc(path) for path in params.exclude}
    likely = quotable(answer, params.min_confidence)
    wanted = [one for one in likely if one.source.path not in excluded]
    candidates = [one for one in wanted if not _is_shown(one, shown)]
    before = [one.source for one in wanted if _is_shown(one, shown)]
    notes = [*dict.fromkeys([one.source.path for one in candidates])][: params.limit]
    candidates = [one for one in candidates if one.source.path in notes]
    remark = _unknown_side(answer)
    room = params.max_tokens * CHARACTERS_PER_TOKEN + len(SEPARATOR)  # which stands behind each block but the last
    quotes = choose_quotes([one.quotable for one in candidates], room - len(remark), len(candidates))
    chosen = in_note_order(candidates, quotes)
    text = written(chosen) + (remark if chosen else "")
    if shown:
        shown.spend(estimate_tokens(text))
        for one, _ in chosen:
            for sentence in one.sentences:
                shown.add(one.source.path, sentence)
    return wire.ContextResult(
        text=text,
        sources=[one.source for one, _ in chosen],
        tokens=estimate_tokens(text),
        confidence=max([hit.confidence for hit in likely_hits(answer, 0.0)], default=0.0),
        abstained=None if quotes else _reason(likely, candidates, index),
        missing=missing_retrievers(answer.missing),
        index=freshness(index),
        quoted_before=before[: params.limit],
        left_tokens=None,
    )


def likely_hits(answer: Answer, min_confidence: float) -> list[Hit]:
    """
    The hits that may answer, most confident first.

    A query without words only lists notes, whose confidence is unknown: these are what was asked for.
    """
    # The least far from what was asked are no answer: better no context than a wrong one.
    hits = () if answer.relaxed and answer.relaxed.step == "meaning" else answer.hits
    listed = [hit for hit in hits if not hit.retrievers]
    ranked = [hit for hit in hits if hit.retrievers and hit.confidence >= min_confidence]
    compared = [hit for hit in answer.hits if hit.path in answer.compared and hit not in ranked]
    return listed + sorted([*ranked, *compared], key=lambda hit: -hit.confidence)


def quotable(answer: Answer, min_confidence: float) -> list[Quoted]:
    """What may be quoted, most confident first: every passage of the likely hits that says something by itself."""
    likely = [(hit, passage) for hit in likely_hits(answer, min_confidence) for passage in hit.passages]
    every = [
        _quoted(hit, passage) for hit, passage in likely if says_something(passage.chunk.chunk.text, headings=True)
    ]
    return sorted(every, key=lambda one: -1.0 if one.quotable.confidence is None else -one.quotable.confidence)


def in_note_order(candidates: Sequence[Quoted], quotes: Sequence[Quote]) -> list[tuple[Quoted, int]]:
    """
    What *quotes* quote of *candidates*, with its length: the surest note first, each from its beginning on.

    Quotes that follow each other directly in a note are one.
    """
    paths = [one.source.path for one in candidates]
    chosen = [(candidates[quote.passage], quote.length) for quote in quotes]

    def place(one: tuple[Quoted, int]) -> tuple[float, int, int, int]:
        quote = one[0]
        confidence = 1.0 if quote.quotable.confidence is None else quote.source.confidence  # of one only listed
        return -confidence, paths.index(quote.source.path), quote.source.line, quote.passage.snippet.start

    joined: list[tuple[Quoted, int]] = []
    for one in sorted(chosen, key=place):
        both = _joined(joined[-1], one) if joined else None
        joined[-1:] = [both] if both else [*joined[-1:], one]
    return joined


def _joined(first: tuple[Quoted, int], second: tuple[Quoted, int]) -> tuple[Quoted, int] | None:
    """Two quotes as one, with its length; None unless *second* follows *first* in its chunk, which is quoted whole."""
    (before, cut), (after, length) = first, second
    chunk, (start, end) = before.passage.chunk, (before.passage.snippet.start, before.passage.snippet.end)
    further = after.passage.snippet
    if cut or chunk != after.passage.chunk or further.start < end or chunk.chunk.text[end : further.start].strip():
        return None
    snippet = Snippet(chunk.chunk.text[start : further.end], start, further.end, ())
    share = before.passage.share + after.passage.share
    both = _quoted(before.hit, replace(before.passage, snippet=snippet, share=share))
    both = replace(both, sentences=before.sentences + after.sentences)  # each is known again by itself
    kept = len(both.quotable.text) - after.quotable.lengths[0] + after.quotable.lengths[length]
    return (both, both.quotable.lengths.index(kept)) if kept in both.quotable.lengths else None


def written(chosen: Sequence[tuple[Quoted, int]]) -> str:
    """The text of quotes, each in one of its lengths; a further one of a note repeats neither path nor headings."""
    blocks: list[str] = []
    before = ("", "")
    for one, length in chosen:
        block = one.blocks[length]
        if one.titles[0] == before[0]:
            block = block.removeprefix("".join(before if one.titles == before else before[:1])).lstrip()
        blocks.append(block)
        before = one.titles
    return SEPARATOR.join(blocks)


def _quoted(hit: Hit, passage: Passage) -> Quoted:
    """*passage* of *hit* as it may be quoted."""
    source = _source(hit, passage)
    trail = " › ".join(source.heading_path)
    path = f"**{inert(one_line(scrub_text(source.path)))}**"
    headings = f" › {inert(one_line(trail))}" if trail else ""
    project = f", project {inert(one_line(source.project))}" if source.project else ""
    text = inert(printable(scrub_text(passage.snippet.text)).strip())
    goes_on = passage.snippet.end < len(passage.chunk.chunk.text.rstrip())
    lengths = quote_lengths(text)
    quotes = [text[:length] + (f" {ELLIPSIS}" if goes_on or length < len(text) else "") for length in lengths]
    blocks = tuple(f"{path}{headings} (line {source.line + 1}{project})\n\n{_behind_signs(quote)}" for quote in quotes)
    sizes = tuple(len(block) + len(SEPARATOR) for block in blocks)
    confidence = hit.confidence * passage.share if hit.retrievers else None
    hashes = _hashes_of(passage.snippet.text)
    return Quoted(hit, passage, source, hashes, Quotable(text, confidence, lengths, sizes), (path, headings), blocks)


def _unknown_side(answer: Answer) -> str:
    """The sentence below the quotes that names the side of a comparison which no note is about; "" without a name."""
    subject = inert(one_line(scrub_text(answer.unknown_side)))
    is_name = 0 < len(subject) <= MAX_NAMED
    return f"{SEPARATOR}{message('compared.unknown', subject=subject)}" if is_name else ""


def _reason(likely: Sequence[Quoted], candidates: Sequence[Quoted], index: Freshness) -> wire.Abstention:
    """Why nothing is quoted."""
    if candidates:
        return "budget"
    if likely:
        return "all-seen"
    return "indexing" if index.state in UNFINISHED or index.done < index.total else "low-confidence"


def _is_shown(one: Quoted, shown: ShownPassages | None) -> bool:
    return shown is not None and any(shown.has(one.source.path, sentence) for sentence in one.sentences)


def _hashes_of(text: str) -> tuple[str, ...]:
    """A hash of each sentence of *text* that says enough to be known again; of the whole where none does."""
    sentences = [" ".join(text[span.start : span.end].split()) for span in split_sentences(text)]
    telling = [sentence for sentence in sentences if len(sentence) >= TELLING] or [" ".join(text.split())]
    return tuple(
        [
            hashlib.blake2b(one.encode("utf-8", "surrogatepass"), digest_size=PASSAGE_HASH_BYTES).hexdigest()
            for one in telling
        ]
    )


def _source(hit: Hit, passage: Passage) -> wire.Source:
    chunk = passage.chunk.chunk
    return wire.Source(
        path=nfc(hit.path),
        project=named_property(passage.chunk, "project"),
        heading_path=[scrub_text(heading) for heading in (*chunk.trail, *passage.headings)],
        line=note_line(chunk, passage.snippet.start),
        confidence=hit.confidence,
    )


def _behind_signs(quote: str) -> str:
    """*quote* with `> ` before each line."""
    return "\n".join(f"> {line}".rstrip() for line in quote.split("\n"))
