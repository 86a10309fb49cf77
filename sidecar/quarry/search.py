"""
A query's way: parsed, asked of both legs under the same filters, fused, grouped by note, cut to a budget, quoted.

Pure but for the index it reads and the encoder it asks; the same query on the same index gives the same answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from quarry.embedding import Encoder
from quarry.index import Deadline, Reader, StoredChunk
from quarry.index.vectors import FloatMatrix, FloatVector
from quarry.ranking.budget import estimate_tokens, fit
from quarry.ranking.fusion import DEPTH, fuse
from quarry.ranking.grouping import GUARD_CHUNKS, Group, group_by_note, guarded_limit
from quarry.text.query import parse_query
from quarry.text.snippet import Snippet, make_snippet, telling_sentences
from quarry.types import Fused, Leg, Query, SearchMode, SearchRequest, Span

ALL_LEGS: tuple[Leg, ...] = get_args(Leg)
MAX_SENTENCES = 40  # of a chunk that are compared with the query; a chunk of 2,000 characters has about 20
COSINE_DIGITS = 6  # beyond that, the order of adding floats decides, not the meaning


@dataclass(frozen=True, slots=True)
class Passage:
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


@dataclass(frozen=True, slots=True)
class Hit:
    """A note that answers, its best passages first."""

    path: str
    score: float
    passages: tuple[Passage, ...]

    @property
    def legs(self) -> frozenset[Leg]:
        """The legs that found any of its passages."""
        lexical = any(passage.fused.lexical_rank is not None for passage in self.passages)
        dense = any(passage.fused.dense_rank is not None for passage in self.passages)
        found: tuple[tuple[Leg, bool], ...] = (("lexical", lexical), ("dense", dense))
        return frozenset(leg for leg, is_found in found if is_found)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gives."""

    hits: tuple[Hit, ...]
    total: int  # notes among the candidates
    legs: tuple[Leg, ...]  # which served
    missing: Mapping[Leg, str]  # which were wanted and could not: leg -> why
    truncated: bool  # the token budget ended first

    @property
    def tokens(self) -> int:
        """An estimate for everything returned."""
        return sum(estimate_tokens(p.text or p.snippet.text) for hit in self.hits for p in hit.passages)


@dataclass(frozen=True, slots=True)
class Legs:
    """What can serve a search now."""

    reader: Reader
    encoder: Encoder | None
    missing: Mapping[Leg, str]  # leg -> why it cannot serve

    def serving(self, mode: SearchMode) -> tuple[Leg, ...]:
        """The legs to ask for *mode*; where the wanted one is missing, the other stands in for it."""
        able = tuple(leg for leg in ALL_LEGS if leg not in self.missing)
        return tuple(leg for leg in able if _is_wanted(leg, mode)) or able


def search(request: SearchRequest, legs: Legs, weights: Mapping[Leg, float], deadline: Deadline) -> Answer:
    """
    Answer *request*.

    Raises:
        BadQuery: The query cannot be read.
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    query = parse_query(request.query, request.scope)
    serving = legs.serving(request.mode)
    missing = {leg: why for leg, why in legs.missing.items() if _is_wanted(leg, request.mode)}
    if not query.has_text:
        return _browse(request, query, legs.reader)

    depth = max(DEPTH, request.limit)
    matching = _matching_chunks(query, serving, legs) if request.guard else GUARD_CHUNKS
    if matching < GUARD_CHUNKS:
        depth = GUARD_CHUNKS
    vector = _embed(query, legs.encoder) if "dense" in serving else None
    lexical = legs.reader.lexical(query, depth, deadline=deadline) if "lexical" in serving else ()
    dense = legs.reader.dense(vector, query, depth, deadline=deadline) if vector is not None else ()
    fused = fuse(lexical, dense, weights)
    groups = group_by_note(fused)
    shown = groups[: guarded_limit(request.limit, len(groups), matching)]
    deadline.check()  # quoting costs as much as ranking, and whoever types has cancelled by now
    quoting = _Quoting(query, legs.reader, legs.encoder, vector, request.snippet_width)
    hits, truncated = _quote(fused, shown, quoting, request)
    return Answer(hits, len(groups), serving, missing, truncated)


# --- steps -----------------------------------------------------------------------------------------


def _is_wanted(leg: Leg, mode: SearchMode) -> bool:
    return mode == "hybrid" or (leg == "lexical") == (mode == "keyword")


def _matching_chunks(query: Query, serving: Sequence[Leg], legs: Legs) -> int:
    """
    How many chunks match, counted no further than `GUARD_CHUNKS`.

    Every chunk is somewhere near in meaning, so where the dense leg serves, all that the filters admit do; but a
    phrase must stand in a chunk whoever found it.
    """
    insists = bool(query.phrases) and "lexical" not in legs.missing
    if "dense" in serving and not insists:
        return legs.reader.count_in_scope(query.scope, GUARD_CHUNKS)
    return legs.reader.count_matching(query, GUARD_CHUNKS)


def _embed(query: Query, encoder: Encoder | None) -> FloatVector | None:
    """The query's unit vector; None when no word of it is known to the model."""
    if encoder is None:
        return None
    vector = encoder.encode([query.text])[0]
    return vector if vector.any() else None


def _browse(request: SearchRequest, query: Query, reader: Reader) -> Answer:
    """Filters and nothing to rank by: the newest notes they admit."""
    newest = reader.browse(query.scope, request.limit, excluded=query.excluded)
    fused = [Fused(c.chunk_id, c.path, c.number, c.score, None, None, None, None) for c in newest.ranking]
    groups = group_by_note(fused)
    hits, truncated = _quote(fused, groups, _Quoting(query, reader, None, None, request.snippet_width), request)
    return Answer(hits, newest.total, (), {}, truncated)


@dataclass
class _Quoting:
    """Makes snippets for one query."""

    query: Query
    reader: Reader
    encoder: Encoder | None
    vector: FloatVector | None
    width: int

    def snippets(self, chunks: Sequence[StoredChunk]) -> list[Snippet]:
        """A snippet a chunk: query words marked or, where none stands in it, the sentence nearest in meaning."""
        by_word = [self._snippet(chunk, None) for chunk in chunks]
        wordless = [n for n, snippet in enumerate(by_word) if not snippet.marks]
        nearest = self._nearest_sentences([chunks[n].chunk.text for n in wordless])
        for n, sentence in zip(wordless, nearest, strict=True):
            if sentence is not None:
                by_word[n] = self._snippet(chunks[n], sentence)
        return by_word

    def _snippet(self, chunk: StoredChunk, sentence: Span | None) -> Snippet:
        phrases = self.query.phrases
        return make_snippet(
            chunk.chunk.text, words=self._is_query_word, phrases=phrases, width=self.width, sentence=sentence
        )

    def _is_query_word(self, word: str) -> bool:
        return self.reader.stem(word) in self._stems

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(self.reader.stem(term) for term in self.query.terms)

    def _nearest_sentences(self, texts: Sequence[str]) -> list[Span | None]:
        """For each text the sentence whose vector is nearest to the query's; None where meaning has no say."""
        if self.encoder is None or self.vector is None or not texts:
            return [None] * len(texts)
        spans = [telling_sentences(text)[:MAX_SENTENCES] for text in texts]
        sentences = [
            text[span.start : span.end] for text, of_text in zip(texts, spans, strict=True) for span in of_text
        ]
        cosines = iter(_cosines(self.encoder.encode(sentences), self.vector))
        return [max(of_text, key=lambda _: next(cosines), default=None) for of_text in spans]


def _cosines(rows: FloatMatrix, vector: FloatVector) -> list[float]:
    """
    Cosine of each unit row with a unit vector.

    Not by a matrix product: that adds in another order on another number of threads, and a last bit decides a tie.
    """
    products = rows.astype(np.float64) * vector.astype(np.float64)
    return [round(float(cosine), COSINE_DIGITS) for cosine in products.sum(axis=1)]


def _quote(
    fused: Sequence[Fused], groups: Sequence[Group], quoting: _Quoting, request: SearchRequest
) -> tuple[tuple[Hit, ...], bool]:
    """Turn *groups* into hits: fetch, quote, and fill the token budget in the order of *fused*."""
    shown = {chunk.chunk_id for group in groups for chunk in group.chunks}
    ranked = [chunk for chunk in fused if chunk.chunk_id in shown]
    stored = quoting.reader.chunks([chunk.chunk_id for chunk in ranked])
    snippets = quoting.snippets([stored[chunk.chunk_id] for chunk in ranked])
    texts = [
        stored[c.chunk_id].chunk.text if request.with_text else s.text for c, s in zip(ranked, snippets, strict=True)
    ]
    fitted = fit(texts, request.max_tokens)
    if not request.with_text and fitted and fitted[-1].truncated:
        fitted = fitted[:-1]  # a snippet's marks are offsets into it: it is shown whole or not at all
    passages_of: dict[str, list[Passage]] = {}
    for chunk, snippet, fit_text in zip(ranked, snippets, fitted, strict=False):  # what did not fit ends the zip
        text = fit_text.text if request.with_text else ""
        passage = Passage(stored[chunk.chunk_id], chunk, snippet, text, fit_text.truncated)
        passages_of.setdefault(chunk.path, []).append(passage)
    hits = tuple(Hit(g.path, g.score, tuple(passages_of[g.path])) for g in groups if g.path in passages_of)
    return hits, len(fitted) < len(texts) or any(fit_text.truncated for fit_text in fitted)
