"""The answer to a search: hits with their passages, and what was done to find them."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from quarry.index import MapOfContent, StoredChunk
from quarry.messages import Description, Message, Sentence
from quarry.options import Retriever, SortOrder
from quarry.search.budget import estimate_tokens
from quarry.search.snippet.highlighting import Mark
from quarry.search.snippet.snippet import Snippet
from quarry.types import Fused, Span

Step = Literal["beginnings", "any-passage", "without-filters", "meaning"]
"""How a query that found nothing was relaxed, in the order in which the steps are tried."""


class Correction(Struct, frozen=True):
    """A word that no note holds, and the word that was searched for instead."""

    typed: str
    used: str


class Relaxed(Struct, frozen=True):
    """The part of a query that was dropped to find anything at all."""

    step: Step
    reason: str  # what was not found, as a sentence
    effect: str  # what is shown instead, as a sentence
    told: Message  # both, by code

    @property
    def message(self) -> str:
        """Both sentences, to be shown above the hits."""
        return f"{self.reason} {self.effect}"


Weakness = Literal["no-words", "unlikely"]
"""
Why an answer is weak: no note holds a word of the query, and what is shown is merely nearest in meaning; or the notes
that hold some of its words are unlikely to answer.
"""


class Passage(Struct, frozen=True):
    """A chunk that matches, with the part of it that is shown."""

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
    """A note that matches, its best passages first."""

    path: str
    score: float
    confidence: float  # the probability that it answers, 0 to 1
    retrievers: frozenset[Retriever]  # that found it
    passages: tuple[Passage, ...]
    further_passages: int = 0  # that match as well and are not quoted
    title_marks: tuple[Mark, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)  # signal -> what it adds to the score; empty with `rrf`
    maps: tuple[MapOfContent, ...] = ()  # that link to it
    missing_words: tuple[str, ...] = ()  # of the query, as searched for, that the note does not hold


class FurtherPassages(Struct, frozen=True):
    """The passages of one hit after its best one."""

    passages: tuple[Passage, ...]
    truncated: bool  # the token budget ended first


class Extract(Struct, frozen=True):
    """A sentence of the first hit, and the probability that it answers the question."""

    path: str
    chunk: StoredChunk
    sentence: Span  # in the chunk's text
    confidence: float

    @property
    def text(self) -> str:
        """The sentence, as it stands in the note."""
        return self.chunk.chunk.text[self.sentence.start : self.sentence.end]


class Answer(Struct, frozen=True):
    """The hits of a search, best first, and how they were found."""

    hits: tuple[Hit, ...]
    total: int  # notes that hold a word of the query or were proposed for their meaning
    retrievers: tuple[Retriever, ...]  # that served
    missing: Mapping[Retriever, Sentence]  # retriever -> why it was wanted and could not serve
    truncated: bool  # the token budget ended first
    understood: Description = Description()  # the query in words
    corrections: tuple[Correction, ...] = ()
    unknown_words: tuple[str, ...] = ()  # of the query, that no note holds, where notes hold others
    relaxed: Relaxed | None = None
    weakness: Weakness | None = None
    extract: Extract | None = None  # where it was asked for and is likely to answer
    listed: bool = False  # nothing to rank by: the newest notes that satisfy the conditions, whose scores are times
    reachable: int = 0  # how many notes the pages hold together
    sort: SortOrder = "relevance"  # the order of the hits: by relevance as well where no note was worth sorting

    @property
    def confidence(self) -> float:
        """The probability that the first hit answers, 0 to 1; 0 where nothing is found, or notes are only listed."""
        return self.hits[0].confidence if self.hits else 0.0

    @property
    def tokens(self) -> int:
        """An estimate for all passages returned."""
        return sum(estimate_tokens(p.text or p.snippet.text) for hit in self.hits for p in hit.passages)
