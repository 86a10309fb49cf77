"""What a search gives: notes with the passages that answer, and what was done to find them."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from quarry.index import StoredChunk
from quarry.ranking.budget import estimate_tokens
from quarry.text.snippet import Mark, Snippet
from quarry.types import Fused, Retriever

Step = Literal["beginnings", "any-passage", "without-filters", "meaning"]
"""How a query that found nothing was relaxed; in the order in which it is tried."""


class Correction(Struct, frozen=True):
    """A word that no note has, and the one that was looked for instead."""

    typed: str
    used: str


class Relaxed(Struct, frozen=True):
    """What was given up to find anything at all."""

    step: Step
    message: str  # one sentence for a person


class Passage(Struct, frozen=True):
    """A chunk that answers, with the part of it worth showing."""

    chunk: StoredChunk
    fused: Fused
    snippet: Snippet
    text: str  # as much of the chunk as the budget allowed; "" when only the snippet was asked for
    truncated: bool

    @property
    def tokens(self) -> int:
        """An estimate for the whole chunk."""
        return estimate_tokens(self.chunk.chunk.text)


class Hit(Struct, frozen=True):
    """A note that answers, its best passages first."""

    path: str
    score: float
    retrievers: frozenset[Retriever]  # which found it
    passages: tuple[Passage, ...]
    further_passages: int = 0  # that answer, too, and are not quoted
    title_marks: tuple[Mark, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)  # signal -> what it adds to the score; empty with `rrf`


class FurtherPassages(Struct, frozen=True):
    """The passages of one hit behind its best one."""

    passages: tuple[Passage, ...]
    truncated: bool  # the token budget ended first


class Answer(Struct, frozen=True):
    """What a search gives."""

    hits: tuple[Hit, ...]
    total: int  # notes that hold a word of the query or were proposed for their meaning
    retrievers: tuple[Retriever, ...]  # which served
    missing: Mapping[Retriever, str]  # which were wanted and could not: retriever -> why
    truncated: bool  # the token budget ended first
    understood: str = ""  # the query in words
    corrections: tuple[Correction, ...] = ()
    relaxed: Relaxed | None = None

    @property
    def tokens(self) -> int:
        """An estimate for everything returned."""
        return sum(estimate_tokens(p.text or p.snippet.text) for hit in self.hits for p in hit.passages)
