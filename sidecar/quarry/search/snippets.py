"""The text of a hit that is shown: snippets with marks, and as much of the passages as the token budget allows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from quarry.analysis.analysis import Languages
from quarry.documents.sentences import informative_sentences, says_something
from quarry.index import MapOfContent, StoredChunk, note_of
from quarry.index.vectors.quantize import FloatMatrix, FloatVector
from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.options import SearchOptions
from quarry.search.answer import (
    ELLIPSIS,
    SHORTEST_CUT,
    FurtherPassages,
    Hit,
    Passage,
    RankedChunk,
    RankedNote,
)
from quarry.search.execution import Ornament, SearchExecution
from quarry.search.missing_words import words_missing
from quarry.search.prepare import PreparedQuery
from quarry.search.snippet.highlighting import Mark, find_matches, highlight
from quarry.search.snippet.matcher import HighlightTerms, TermMatch
from quarry.search.snippet.snippet import Snippet, beginning, body_of, make_snippet
from quarry.types import Span

MAX_SENTENCES = 40  # of a chunk that are compared with the query; a chunk of 2,000 characters has about 20
COSINE_DIGITS = 6  # beyond that, the order of adding floats decides, not the meaning


def fit(texts: Iterable[str], max_tokens: int) -> list[str]:
    """
    The leading *texts* that fit into *max_tokens* together: the lowest-ranked text is cut first.

    The one that would overflow is cut, with `...`, when at least `SHORTEST_CUT` characters of it fit; nothing after
    it is taken, or even looked at, even if it were short enough.
    """
    fitted: list[str] = []
    room = max_tokens * CHARACTERS_PER_TOKEN
    for text in texts:
        if len(text) <= room:
            fitted.append(text)
            room -= len(text)
            continue
        if room >= SHORTEST_CUT:
            fitted.append(text[: room - len(ELLIPSIS)].rstrip() + ELLIPSIS)
        break
    return fitted


class SnippetBuilder(Struct, frozen=True):
    """Quotes the hits of one query."""

    execution: SearchExecution
    terms: HighlightTerms
    vector: FloatVector | None  # of the query; None: no sentence is near it
    known: dict[int, StoredChunk] = field(default_factory=dict)  # those that were read, by id

    def hits(
        self, shown: Sequence[RankedNote], options: SearchOptions, prepared: PreparedQuery | None
    ) -> tuple[tuple[Hit, ...], bool]:
        """
        The notes of *shown* with their passages quoted, and whether the token budget ended before they did.

        The budget is filled with the best passage of each note in order, then, if the request expands its hits, with
        the further ones. A snippet width of 0 asks for notes alone: nothing is fetched or quoted.

        Args:
            prepared: None where notes are only listed: no word is missing.
        """
        shown = self._telling_first(shown) if options.width else shown
        passages_of: defaultdict[str, list[Passage]] = defaultdict(list)
        truncated = False
        if options.width:
            ranks = range(max((len(note.chunks) for note in shown), default=0) if options.expand else 1)
            ranked = [chunk for at in ranks for note in shown for chunk in note.chunks[at : at + 1]]
            passages, truncated = self._passages(ranked, options)
            for passage in passages:
                passages_of[passage.ranked.path].append(passage)
            shown = [note for note in shown if note.path in passages_of]
        first = {path: quoted[0].chunk for path, quoted in passages_of.items()}
        note_ids = {path: note_of(chunk.chunk_id) for path, chunk in first.items()}
        reader, languages = self.execution.reader, self._languages([*first.values()])
        maps: Mapping[str, tuple[MapOfContent, ...]] = {}
        with Ornament("maps"):
            maps = reader.maps_listing([note.path for note in shown])
        missing: Mapping[int, tuple[str, ...]] = {}
        if prepared is not None and self.execution.has_keyword:
            with Ornament("missing words"):
                missing = words_missing(prepared, [*note_ids.values()], self.execution)
        hits = []
        for note in shown:
            marks: tuple[Mark, ...] = ()
            if note.path in first:
                with Ornament("marks"):
                    terms = self.terms.in_languages(languages.get(note_ids[note.path], ()))
                    marks = highlight(first[note.path].title, terms)
            hits.append(
                Hit(
                    **asdict(note),
                    passages=tuple(passages_of[note.path]),
                    title_marks=marks,
                    maps=maps.get(note.path, ()),
                    missing_words=missing.get(note_ids.get(note.path, -1), ()),
                )
            )
        return tuple(hits), truncated

    def further_passages(self, note: RankedNote, options: SearchOptions) -> FurtherPassages:
        """The passages of *note* behind its best one, with the whole token budget to themselves."""
        passages, truncated = self._passages(self._telling_first([note])[0].chunks[1:], options)
        return FurtherPassages(tuple(passages), truncated)

    def _telling_first(self, notes: Sequence[RankedNote]) -> list[RankedNote]:
        """
        *notes*, each with a passage in front that says something, if another one that does has the same words.

        The one that matches best may be the address of an image, or a heading alone.
        """
        first = self._chunks([note.chunks[0].chunk_id for note in notes])
        mute = {at: chunk.chunk.text for at, chunk in first.items() if not says_something(chunk.chunk.text)}
        return [self._with_telling(note, mute.get(note.chunks[0].chunk_id)) for note in notes]

    def _with_telling(self, note: RankedNote, mute: str | None) -> RankedNote:
        if mute is None or len(note.chunks) == 1:
            return note
        words = {key for _, _, key, _ in find_matches(mute[body_of(mute) :], self.terms)}
        for at, stored in self._chunks([chunk.chunk_id for chunk in note.chunks[1:]]).items():
            text = stored.chunk.text
            if says_something(text) and words <= {key for _, _, key, _ in find_matches(text, self.terms)}:
                return replace(note, chunks=tuple(sorted(note.chunks, key=lambda chunk: chunk.chunk_id != at)))
        return note

    def _chunks(self, chunk_ids: Sequence[int]) -> dict[int, StoredChunk]:
        self.known.update(self.execution.reader.chunks([at for at in chunk_ids if at not in self.known]))
        return {at: self.known[at] for at in chunk_ids if at in self.known}

    def _passages(self, ranked: Sequence[RankedChunk], options: SearchOptions) -> tuple[list[Passage], bool]:
        """The leading chunks of *ranked* that fit into the token budget, quoted, and whether it cut any off."""
        ids = [chunk.chunk_id for chunk in ranked]
        if options.with_text:
            stored, fitted = self._filled(ids, options.max_tokens)
            snippets = self.snippets([*stored.values()][: len(fitted)], options.width)
        else:
            stored = self._chunks(ids)
            snippets = self.snippets([*stored.values()], options.width)
            whole = [snippet.text for snippet in snippets]
            cut = zip(whole, fit(whole, options.max_tokens), strict=False)
            fitted = ["" for text, shown in cut if text == shown]  # a snippet is shown whole or not at all
        there = [chunk for chunk in ranked if chunk.chunk_id in stored]
        passages = [
            Passage(stored[chunk.chunk_id], chunk, snippet, text)
            for chunk, snippet, text in zip(there, snippets, fitted, strict=False)  # what did not fit ends the zip
        ]
        return passages, len(fitted) < len(stored) or any(passage.truncated for passage in passages[-1:])

    def _filled(self, chunk_ids: Sequence[int], max_tokens: int) -> tuple[dict[int, StoredChunk], list[str]]:
        """The chunks up to the first that does not fit into the budget, in order, and their texts as far as they do."""
        stored: dict[int, StoredChunk] = {}

        def texts() -> Iterator[str]:
            for chunk in self.execution.reader.each_chunk(chunk_ids):
                stored[chunk.chunk_id] = chunk
                yield chunk.chunk.text

        return stored, fit(texts(), max_tokens)

    def snippets(self, chunks: Sequence[StoredChunk], width: int) -> list[Snippet]:
        """One snippet per chunk: query words marked or, without any, the sentence nearest in meaning."""
        texts = [chunk.chunk.text for chunk in chunks]
        found: list[Sequence[TermMatch]] = [()] * len(texts)
        languages = self._languages(chunks)
        for at, chunk in enumerate(chunks):
            self.execution.deadline.check()
            with Ornament("marks"):
                terms = self.terms.in_languages(languages.get(note_of(chunk.chunk_id), ()))
                found[at] = find_matches(texts[at], terms)
        wordless = [at for at, matches in enumerate(found) if not matches]
        nearest: Mapping[int, Span | None] = {}
        with Ornament("nearest sentences"):
            nearest = dict(zip(wordless, self._nearest_sentences([texts[at] for at in wordless]), strict=True))
        snippets = [beginning(text, width) for text in texts]
        for at, text in enumerate(texts):
            with Ornament("snippet"):
                snippets[at] = make_snippet(text, found[at], width, nearest.get(at))
        return snippets

    def _languages(self, chunks: Sequence[StoredChunk]) -> dict[int, Languages]:
        """Note -> its languages besides English."""
        return self.execution.reader.note_languages([note_of(chunk.chunk_id) for chunk in chunks])

    def _nearest_sentences(self, texts: Sequence[str]) -> list[Span | None]:
        """For each text the sentence whose vector is nearest to the query's; None where meaning is not compared."""
        encoder = self.execution.encoder
        if encoder is None or self.vector is None or not texts:
            return [None] * len(texts)
        spans = [informative_sentences(text)[:MAX_SENTENCES] for text in texts]
        several = [(text, of_text) for text, of_text in zip(texts, spans, strict=True) if len(of_text) > 1]
        sentences = [text[at.start : at.end] for text, of_text in several for at in of_text]
        cosines = iter(_cosines(encoder.encode(sentences), self.vector))
        nearest = iter([max(of_text, key=lambda _: next(cosines)) for _, of_text in several])
        return [next(nearest) if len(of_text) > 1 else next(iter(of_text), None) for of_text in spans]


def _cosines(rows: FloatMatrix, vector: FloatVector) -> list[float]:
    """
    Cosine of each unit row with a unit vector.

    Not by a matrix product: that adds in another order on another number of threads, and a last bit decides a tie.
    """
    products = rows.astype(np.float64) * vector.astype(np.float64)
    return [round(float(cosine), COSINE_DIGITS) for cosine in products.sum(axis=1)]
