"""
The excerpts of a note that most probably answer a query: a few whole sentences each, from anywhere in the note.

The passages by which a note is ranked are whole sections, and the heaviest matches in them say what it is about, not
always what is asked. Here every section of the note is divided at its headings, and each run of whole sentences below
one is compared with the words of the query:

    covered    how much of the query it and its headings contain in any form, or come near to by MaxSim
    heading    the same of its headings alone
    bm25       of its passage, relative to the best one of the note
    is_first   whether it is the first below its heading

A word counts by its idf, and less the more sections of the note have it: the subject of a note tells none apart. The
probability of a run is a softmax over the runs that do not overlap. Its weights were fitted as a conditional logit to
the judged passages of `tests/retrieval/quoted_passages.py` and to `chroma-chunks`; nothing was fitted to those held
back.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from quarry.analysis.analysis import ranking_terms
from quarry.documents.sentences import split_sentences
from quarry.index.keys import note_of
from quarry.lazy_pattern import lazy_pattern
from quarry.search.answer import Hit, Passage, RankedChunk
from quarry.search.candidates import FIELD_WEIGHTS
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.quotes import says_something
from quarry.search.signals import SCORE_DIGITS, Numbers
from quarry.search.snippet.highlighting import find_matches
from quarry.search.snippet.snippet import Snippet, make_snippet
from quarry.types import Chunk, Span

WIDTH = 240  # characters of a run, unless its first sentence is longer; see docs/decisions/023
MAX_EXCERPTS = 3  # of a note: a fourth has the answer where the others have not in 2 of 100
MAX_CHUNKS = 40  # of a note that are compared: a longer one's best by words
WEIGHTS = {"covered": 4.3, "heading": 2.5, "bm25": 3.1, "is_first": 0.6}  # half of the fitted ones: less sure elsewhere
EVERYWHERE = 0.9  # a section comes so near to a word that it has it
LEAST_RARITY = 0.02  # of a word that every section has

_HEADING = lazy_pattern(r"#{1,6}[ \t]+(.*?)[ \t#]*\Z")


class _Section(Struct, frozen=True):
    """The sentences of a chunk between two headings."""

    chunk_id: int
    chunk: Chunk
    headings: tuple[str, ...]  # in the chunk, above it
    sentences: list[Span]

    @property
    def texts(self) -> list[str]:
        """The sentences."""
        return [self.chunk.text[span.start : span.end] for span in self.sentences]


class _Run(Struct, frozen=True):
    """Neighbouring sentences of a section."""

    section: _Section
    span: Span
    score: float


def quote_excerpts(
    hit: Hit, prepared: PreparedQuery, execution: SearchExecution, width: int, count: int = MAX_EXCERPTS
) -> tuple[Passage, ...]:
    """
    At most *count* excerpts of the note of *hit*, none longer than *width*, the most probable first.

    Its own passages where nothing can be compared.

    Raises:
        IndexDamaged: The stored form of the note does not match its checksum.
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    execution.deadline.check()
    runs = _distinct(_runs(hit, prepared, execution))
    total = sum([math.exp(run.score - runs[0].score) for run in runs])
    stored = execution.reader.chunks(dict.fromkeys([run.section.chunk_id for run in runs[:count]]))
    excerpts = [
        Passage(
            stored[run.section.chunk_id],
            RankedChunk(run.section.chunk_id, hit.path, hit.score),
            _snippet(run, prepared, width),
            "",
            run.section.headings,
            math.exp(run.score - runs[0].score) / total,
        )
        for run in runs[:count]
        if run.section.chunk_id in stored
    ]
    return tuple(excerpts) or hit.passages


def _snippet(run: _Run, prepared: PreparedQuery, width: int) -> Snippet:
    """The text of *run*; of one that is longer than *width*, the part with most of the query."""
    text = run.section.chunk.text[run.span.start : run.span.end]
    if len(text) <= width:
        return Snippet(text, run.span.start, run.span.end, ())
    part = make_snippet(text, find_matches(text, prepared.highlight_terms), width)
    return Snippet(part.text, run.span.start + part.start, run.span.start + part.end, ())


def _distinct(runs: Sequence[_Run]) -> list[_Run]:
    """The best of *runs* that do not overlap, best first; among equals the first in the note."""
    chosen: list[_Run] = []
    for run in sorted(runs, key=lambda run: (-run.score, run.section.chunk_id, run.span.start)):
        if not any(
            run.section is other.section and run.span.start < other.span.end and other.span.start < run.span.end
            for other in chosen
        ):
            chosen.append(run)
    return chosen


def _runs(hit: Hit, prepared: PreparedQuery, execution: SearchExecution) -> list[_Run]:
    """Every run of sentences of the note that may be quoted, with its score."""
    words = prepared.word_idf
    if not words or not hit.chunks:
        return []
    note_id = note_of(hit.chunks[0].chunk_id)
    bm25 = dict(prepared.scorer.top_chunks_of(note_id, MAX_CHUNKS, FIELD_WEIGHTS))
    sections = _sections(hit, bm25, execution)
    if not sections:
        return []
    near, weights = _compare(words, sections, prepared, execution)
    best_bm25 = max(bm25.values(), default=0.0) or 1.0
    found = []
    for at, section in enumerate(sections):
        of_sentences, of_headings = near[at]
        heading = float(weights @ of_headings)
        is_first = True
        for start, end in _extents(section):
            covered = np.maximum(of_sentences[:, start : end + 1].max(axis=1), of_headings)
            features = {
                "covered": float(weights @ covered),
                "heading": heading,
                "bm25": bm25.get(section.chunk_id, 0.0) / best_bm25,
                "is_first": float(is_first),
            }
            score = round(sum([WEIGHTS[name] * features[name] for name in WEIGHTS]), SCORE_DIGITS)
            span = Span(section.sentences[start].start, section.sentences[end].end)
            found.append(_Run(section, span, score))
            is_first = False
    return found


def _compare(
    words: Mapping[str, float], sections: Sequence[_Section], prepared: PreparedQuery, execution: SearchExecution
) -> tuple[list[tuple[Numbers, Numbers]], Numbers]:
    """
    How near each sentence, and the headings, of each section come to each word, 0 to 1; and the weight of each word.

    Returns:
        For each section arrays of the shapes (words, sentences) and (words,); and one of the shape (words,), whose sum
        is 1.
    """
    texts = [text for section in sections for text in (*section.texts, _above(section))]
    near, lengths = np.zeros((len(words), len(texts))), np.ones(len(words))
    if execution.encoder is not None:
        compared = execution.encoder.max_similarities(words, texts)
        near, lengths = np.maximum(compared.of_words, 0.0), compared.lengths
    terms_of = [frozenset(ranking_terms(word, prepared.languages)) for word in words]
    marked = prepared.highlight_terms
    for column, text in enumerate(texts):
        keys = {key for _, _, key, _ in find_matches(text, marked)}
        for row, terms in enumerate(terms_of) if keys else ():
            if shared := len(keys & terms):
                near[row, column] = max(near[row, column], shared / len(terms))
    ends = np.cumsum([len(section.sentences) + 1 for section in sections]).tolist()
    starts = [0, *ends[:-1]]
    best = np.array([near[:, start:end].max(axis=1) for start, end in zip(starts, ends, strict=True)])
    having = (best > EVERYWHERE).sum(axis=0)
    rarity = np.log((len(sections) + 1) / (having + 0.5)) / math.log(len(sections) + 1)
    weights = np.array([*words.values()]) * lengths * np.maximum(rarity, LEAST_RARITY)
    parts = [(near[:, start : end - 1], near[:, end - 1]) for start, end in zip(starts, ends, strict=True)]
    return parts, weights / max(float(weights.sum()), 1e-9)


# --- sections and runs ---------------------------------------------------------------------------


def _sections(hit: Hit, bm25: Mapping[int, float], execution: SearchExecution) -> list[_Section]:
    """The sections of the note; of a long one, those of its best passages."""
    note = execution.reader.note(hit.path)
    if note is None:
        return []
    chunks = [*zip(note.chunk_ids, note.note.chunks, strict=True)]
    if len(chunks) > MAX_CHUNKS:
        kept = {*bm25, *[ranked.chunk_id for ranked in hit.chunks]}
        chunks = [entry for entry in chunks if entry[0] in kept]
    return [section for chunk_id, chunk in chunks for section in _divide(chunk_id, chunk)]


def _divide(chunk_id: int, chunk: Chunk) -> Iterator[_Section]:
    """The sections of *chunk* between its headings."""
    headings: tuple[str, ...] = ()
    sentences: list[Span] = []
    in_fence = False
    for span in split_sentences(chunk.text):
        text = chunk.text[span.start : span.end]
        in_fence ^= text.startswith(("```", "~~~"))
        heading = None if in_fence else _HEADING.match(text)
        if heading is None:
            sentences.append(span)
            continue
        if sentences:
            yield _Section(chunk_id, chunk, headings, sentences)
        headings = () if heading[1] in chunk.trail[-1:] else (heading[1],)
        sentences = []
    if sentences:
        yield _Section(chunk_id, chunk, headings, sentences)


def _above(section: _Section) -> str:
    """The headings of *section* but the first of its note, which is mostly the title."""
    return " ".join((*section.chunk.trail[1:], *section.headings))


def _extents(section: _Section) -> Iterator[tuple[int, int]]:
    """From each sentence worth beginning with, the longest run: places of its first and its last sentence."""
    spans, texts = section.sentences, section.texts
    tells = [says_something(text) and not text.startswith(("```", "~~~")) for text in texts]
    for start, span in enumerate(spans):
        if not tells[start]:
            continue
        end = last = start
        while last + 1 < len(spans) and spans[last + 1].end - span.start <= WIDTH:
            last += 1
            end = last if tells[last] else end
        yield start, end
