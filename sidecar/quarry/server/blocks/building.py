"""What does a block say? Asks the engine, and quotes what is worth its tokens, written as `context` writes it."""

import hashlib
from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace as with_changes

from quarry import __version__
from quarry.block_settings import ContextBlock
from quarry.engine import Engine
from quarry.limits import CHARACTERS_PER_TOKEN, SUBJECT_CONFIDENCE
from quarry.options import PromptOptions
from quarry.redaction.sanitize import inert, one_line
from quarry.redaction.scrub import scrub_text
from quarry.search.answer import ELLIPSIS
from quarry.search.quotes import choose_quotes
from quarry.server.blocks.block_store import Likely, StoredQuote
from quarry.server.encode.context import QUOTE_CHARACTERS, SEPARATOR, Quoted, likely_hits, quotable
from quarry.settings import Settings

MAX_NOTES = 20  # whose best passages fill the largest block of use, 6,000 tokens, twice
NO_TOKEN_LIMIT = 10**9  # the budget is filled by choice, not in order
MAX_QUOTES = 100
NO_SNIPPETS = 0  # characters: notes alone, at a twentieth of the cost


class LikelyNotes(Struct, frozen=True):
    """The notes that may answer a block's query, and the retrievers that could not be asked."""

    notes: list[Likely]
    missing: list[str]


def key_of(block: ContextBlock, settings: Settings) -> str:
    """A hash of all that decides what *block* says, besides the index and the clock."""
    decides = (
        block.query,
        block.max_tokens,
        settings.keyword_weight,
        settings.dense_weight,
        settings.fusion,
        settings.exclude_status,
        (settings.rrf_k, settings.rrf_text_weight, settings.rrf_section_weight, settings.rrf_context_weight),
        settings.skip_sections,
        __version__,
    )
    return hashlib.sha256(repr(decides).encode("utf-8", "surrogatepass")).hexdigest()


def likely_notes(engine: Engine, block: ContextBlock, is_cancelled: Callable[[], bool]) -> LikelyNotes:
    """
    The notes that *block* is, or would be, built from. Quotes nothing.

    Raises:
        BadQuery, Cancelled, DeadlineExceeded, IndexUnavailable, IndexDamaged: As `Engine.search`.
    """
    answer = engine.search(with_changes(_request(block), snippet_width=NO_SNIPPETS), is_cancelled)
    hits = likely_hits(answer, SUBJECT_CONFIDENCE)
    with engine.reader() as reader:  # behind the search: a note that changes in between is found changed the next time
        hashes = reader.content_hashes([hit.path for hit in hits])
    notes = [Likely(hit.path, hit.confidence, hashes.get(hit.path, b"").hex()) for hit in hits]
    return LikelyNotes(notes, sorted(answer.missing))


def quotes_of(engine: Engine, block: ContextBlock, is_cancelled: Callable[[], bool]) -> list[StoredQuote]:
    """The quotes of *block*, most confident first. Raises as `likely_notes`."""
    passages = quotable(engine.search(_request(block), is_cancelled), SUBJECT_CONFIDENCE)
    room = block.max_tokens * CHARACTERS_PER_TOKEN - len(heading_of(block.name))
    chosen = choose_quotes([passage.quotable for passage in passages], room, MAX_QUOTES)
    return [_kept(passages[at.passage], at.length) for at in chosen]


def heading_of(name: str) -> str:
    """The line above the quotes of the block called *name*, with what separates it from them."""
    return f"## {inert(one_line(scrub_text(name)))}{SEPARATOR}"


# --- steps -------------------------------------------------------------------------------------


class _BlockOptions(PromptOptions, frozen=True, kw_only=True):
    """The search of a block: its author means the times in its query."""

    reads_times: ClassVar[bool] = True


def _request(block: ContextBlock) -> _BlockOptions:
    return _BlockOptions(
        query=block.query,
        limit=MAX_NOTES,
        snippet_width=QUOTE_CHARACTERS - len(ELLIPSIS),
        max_tokens=NO_TOKEN_LIMIT,
        expand_small_results=False,
        least_confidence=SUBJECT_CONFIDENCE,
    )


def _kept(passage: Quoted, length: int) -> StoredQuote:
    return StoredQuote(passage.blocks[length], passage.sentences, passage.source)
