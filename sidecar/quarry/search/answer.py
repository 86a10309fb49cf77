"""The answer to a search: hits with their passages, and what was done to find them."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from msgspec import Struct

from quarry.index import MapOfContent, StoredChunk
from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.messages import Message, message
from quarry.options import Retriever, SortOrder
from quarry.search.snippet.highlighting import Mark
from quarry.search.snippet.snippet import Snippet
from quarry.types import Clause, Span

SHORTEST_CUT = 300  # characters; a shorter piece of a chunk is not worth reading
ELLIPSIS = "..."

Step = Literal["beginnings", "any-passage", "as-words", "meaning"]
"""How a query that found nothing was relaxed, in the order in which the steps are tried."""


Weakness = Literal["no-words", "unlikely"]
"""
Why an answer is weak: no note contains a word of the query, and the hits are merely nearest in meaning; or the notes
that contain some of its words are unlikely to answer.
"""


def estimate_tokens(text: str) -> int:
    """Tokens of *text*, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class RetrieverScores(NamedTuple):
    """Rank and score of a chunk in each retriever; None where the retriever did not propose it."""

    keyword_rank: int | None = None  # from 1
    dense_rank: int | None = None
    keyword_score: float | None = None
    dense_score: float | None = None


class RankedChunk(Struct, frozen=True):
    """A chunk that may be shown of a ranked note."""

    chunk_id: int
    path: str
    score: float  # of its place in the ranking
    scores: RetrieverScores = RetrieverScores()


class RankedNote(Struct, frozen=True):
    """A note at its place in a ranking, the reasons for the place, and the chunks that may be shown of it."""

    path: str
    score: float
    retrievers: frozenset[Retriever]  # that found it
    shares: Mapping[str, float]  # signal -> what it adds to the score; empty where ranks alone decided
    chunks: tuple[RankedChunk, ...]  # best first
    confidence: float = 0.0  # the probability that it answers; 0 where there is no query to answer
    word_coverage: float = 0.0  # share of the query's words that its best passages contain


class Correction(Struct, frozen=True):
    """A word that no note contains, and the word that was searched for instead."""

    typed: str
    used: str
    is_beside: bool = False  # hardly any note contains the word: both were searched for


class Relaxed(Struct, frozen=True):
    """The part of a query that was dropped to find anything at all."""

    step: Step
    messages: tuple[Message, ...]  # what was not found, and what is shown instead


class Passage(Struct, frozen=True):
    """A chunk that matches, with the part of it that is shown."""

    chunk: StoredChunk
    ranked: RankedChunk
    snippet: Snippet
    text: str  # as much of the chunk as the budget allowed; "" when only the snippet was asked for
    headings: tuple[str, ...] = ()  # inside the chunk, above the snippet
    share: float = 1.0  # the probability that it answers, if its note does

    @property
    def truncated(self) -> bool:
        """Whether the budget allowed a part of the text alone."""
        return self.text not in ("", self.chunk.chunk.text)

    @property
    def tokens(self) -> int:
        """An estimate for the whole chunk."""
        return estimate_tokens(self.chunk.chunk.text)


class Hit(RankedNote, frozen=True, kw_only=True):
    """A ranked note as it is shown."""

    passages: tuple[Passage, ...]  # its leading chunks, quoted
    title_marks: tuple[Mark, ...] = ()
    maps: tuple[MapOfContent, ...] = ()  # that link to it
    missing_words: tuple[str, ...] = ()  # of the query, as searched for, that the note does not contain

    @property
    def further_passages(self) -> int:
        """How many match as well and are not quoted."""
        return len(self.chunks) - len(self.passages)


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
        """The sentence, as it is in the note."""
        return self.chunk.chunk.text[self.sentence.start : self.sentence.end]


class UnmetFilter(Struct, frozen=True):
    """The filter because of which nothing was found."""

    clause: int  # its place among the clauses of the query
    message: Message


class Answer(Struct, frozen=True):
    """The hits of a search, best first, and how they were found."""

    hits: tuple[Hit, ...]
    total: int  # notes that contain every word of the query; see `count_notes`
    retrievers: tuple[Retriever, ...]  # that served
    missing: Mapping[Retriever, Message]  # retriever -> why it was wanted and could not serve
    truncated: bool  # the token budget ended first
    understood: Message = message("understood.all")  # the query in words
    is_question: bool = False  # whether the query asks something
    clauses: tuple[Clause, ...] = ()  # its parts that are more than words
    corrections: tuple[Correction, ...] = ()
    unknown_words: tuple[str, ...] = ()  # of the query, that no note contains, where notes contain others
    relaxed: Relaxed | None = None
    unmet: UnmetFilter | None = None  # where nothing was found because of it
    weakness: Weakness | None = None
    extract: Extract | None = None  # where it was asked for and is likely to answer
    compared: frozenset[str] = frozenset()  # paths of the notes about either subject of a comparison, to be quoted
    unknown_side: str = ""  # the subject of a comparison that no note is about, where one is about the other
    listed: bool = False  # nothing to rank by: the newest notes that satisfy the conditions, whose scores are times
    reachable: int = 0  # how many notes all pages together have
    sort: SortOrder = "relevance"  # the order of the hits: by relevance as well where no note was worth sorting

    @property
    def confidence(self) -> float:
        """The probability that the first hit answers, 0 to 1; 0 where nothing is found, or notes are only listed."""
        return self.hits[0].confidence if self.hits else 0.0

    @property
    def tokens(self) -> int:
        """An estimate for all passages returned."""
        return sum(estimate_tokens(p.text or p.snippet.text) for hit in self.hits for p in hit.passages)
