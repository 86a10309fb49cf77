"""Which text of a hit is shown? Snippets with marks, and as much of the passages as the token budget allows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from quarry.analysis.alternatives import Languages
from quarry.documents.sentences import informative_sentences
from quarry.embedding import Encoder
from quarry.index import Deadline, Reader, StoredChunk, note_of
from quarry.index.vectors.quantize import FloatMatrix, FloatVector
from quarry.options import SearchOptions
from quarry.search.answer import FurtherPassages, Hit, Passage
from quarry.search.budget import Fitted, fit
from quarry.search.ornaments import ornament
from quarry.search.ranking import RankedNote
from quarry.search.snippet.highlighting import find_matches, highlight
from quarry.search.snippet.matcher import HighlightTerms, TermMatch
from quarry.search.snippet.snippet import Snippet, beginning, make_snippet
from quarry.types import Fused, Span

MAX_SENTENCES = 40  # of a chunk that are compared with the query; a chunk of 2,000 characters has about 20
COSINE_DIGITS = 6  # beyond that, the order of adding floats decides, not the meaning


class SnippetBuilder(Struct, frozen=True):
    """Quotes the hits of one query."""

    reader: Reader
    wanted: HighlightTerms
    encoder: Encoder | None
    vector: FloatVector | None
    deadline: Deadline

    def hits(self, shown: Sequence[RankedNote], request: SearchOptions) -> tuple[tuple[Hit, ...], bool]:
        """
        The notes of *shown* with their passages quoted, and whether the token budget ended before they did.

        The budget is filled with the best passage of each note in order, then, if the request expands its hits, with
        the further ones. A snippet width of 0 asks for notes alone: nothing is fetched or quoted.
        """
        if request.width == 0:
            return tuple([Hit(note.path, note.score, note.confidence, note.retrievers, ()) for note in shown]), False
        ranks = range(max((len(note.passages) for note in shown), default=0) if request.expand else 1)
        ranked = [fused for at in ranks for note in shown for fused in note.passages[at : at + 1]]
        passages_of: defaultdict[str, list[Passage]] = defaultdict(list)
        passages, truncated = self._passages(ranked, request)
        for passage in passages:
            passages_of[passage.fused.path].append(passage)
        hits = []
        languages = self._languages([passage.chunk for passage in passages])
        for note in shown:
            quoted = passages_of.get(note.path)
            if quoted:
                wanted = self.wanted.in_languages(languages.get(note_of(quoted[0].chunk.chunk_id), ()))
                marks = ornament("marks", partial(highlight, quoted[0].chunk.title, wanted), ())
                further = len(note.passages) - len(quoted)
                hits.append(
                    Hit(
                        note.path,
                        note.score,
                        note.confidence,
                        note.retrievers,
                        tuple(quoted),
                        further,
                        marks,
                        note.shares,
                    )
                )
        return tuple(hits), truncated

    def further_passages(self, note: RankedNote, request: SearchOptions) -> FurtherPassages:
        """The passages of *note* behind its best one, with the whole token budget to themselves."""
        passages, truncated = self._passages(note.passages[1:], request)
        return FurtherPassages(tuple(passages), truncated)

    def _passages(self, ranked: Sequence[Fused], request: SearchOptions) -> tuple[list[Passage], bool]:
        """The leading chunks of *ranked* that fit into the token budget, quoted, and whether it cut any off."""
        ids = [chunk.chunk_id for chunk in ranked]
        if request.with_text:
            stored, fitted = self._filled(ids, request.max_tokens)
            snippets = self.snippets([*stored.values()][: len(fitted)], request.width)
        else:
            stored = self.reader.chunks(ids)
            snippets = self.snippets([*stored.values()], request.width)
            fitted = fit([snippet.text for snippet in snippets], request.max_tokens)
            fitted = tuple([one for one in fitted if not one.truncated])  # a snippet is shown whole or not at all
        there = [chunk for chunk in ranked if chunk.chunk_id in stored]
        passages = [
            Passage(stored[chunk.chunk_id], chunk, snippet, one.text if request.with_text else "", one.truncated)
            for chunk, snippet, one in zip(there, snippets, fitted, strict=False)  # what did not fit ends the zip
        ]
        return passages, len(fitted) < len(stored) or (bool(fitted) and fitted[-1].truncated)

    def _filled(self, chunk_ids: Sequence[int], max_tokens: int) -> tuple[dict[int, StoredChunk], tuple[Fitted, ...]]:
        """The chunks up to the first that does not fit into the budget, in order, and their texts as far as they do."""
        stored: dict[int, StoredChunk] = {}

        def texts() -> Iterator[str]:
            for chunk in self.reader.each_chunk(chunk_ids):
                stored[chunk.chunk_id] = chunk
                yield chunk.chunk.text

        return stored, fit(texts(), max_tokens)

    def snippets(self, chunks: Sequence[StoredChunk], width: int) -> list[Snippet]:
        """A snippet a chunk: query words marked or, where none stands in it, the sentence nearest in meaning."""
        texts = [chunk.chunk.text for chunk in chunks]
        found: list[Sequence[TermMatch]] = []
        languages = self._languages(chunks)
        for chunk, text in zip(chunks, texts, strict=True):
            self.deadline.check()
            wanted = self.wanted.in_languages(languages.get(note_of(chunk.chunk_id), ()))
            found.append(ornament("marks", partial(find_matches, text, wanted), ()))
        wordless = [at for at, matches in enumerate(found) if not matches]
        of_wordless = partial(self._nearest_sentences, [texts[at] for at in wordless])
        nearest = dict(zip(wordless, ornament("nearest sentences", of_wordless, [None] * len(wordless)), strict=True))
        return [
            ornament("snippet", partial(make_snippet, text, matches, width, nearest.get(at)), beginning(text, width))
            for at, (text, matches) in enumerate(zip(texts, found, strict=True))
        ]

    def _languages(self, chunks: Sequence[StoredChunk]) -> dict[int, Languages]:
        """Note -> its languages besides English."""
        return self.reader.note_languages([note_of(chunk.chunk_id) for chunk in chunks])

    def _nearest_sentences(self, texts: Sequence[str]) -> list[Span | None]:
        """For each text the sentence whose vector is nearest to the query's; None where meaning has no say."""
        if self.encoder is None or self.vector is None or not texts:
            return [None] * len(texts)
        spans = [informative_sentences(text)[:MAX_SENTENCES] for text in texts]
        several = [(text, of_text) for text, of_text in zip(texts, spans, strict=True) if len(of_text) > 1]
        sentences = [text[at.start : at.end] for text, of_text in several for at in of_text]
        cosines = iter(_cosines(self.encoder.encode(sentences), self.vector))
        nearest = iter([max(of_text, key=lambda _: next(cosines)) for _, of_text in several])
        return [next(nearest) if len(of_text) > 1 else next(iter(of_text), None) for of_text in spans]


def _cosines(rows: FloatMatrix, vector: FloatVector) -> list[float]:
    """
    Cosine of each unit row with a unit vector.

    Not by a matrix product: that adds in another order on another number of threads, and a last bit decides a tie.
    """
    products = rows.astype(np.float64) * vector.astype(np.float64)
    return [round(float(cosine), COSINE_DIGITS) for cosine in products.sum(axis=1)]
