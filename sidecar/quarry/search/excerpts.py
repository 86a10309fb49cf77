"""
The excerpts of a note that most probably answer a query: a few whole sentences each, from anywhere in the note.

The passages by which a note is ranked are whole sections, and the heaviest matches in them say what it is about, not
always what is asked. Here every section of the note is divided at its headings, and each run of whole sentences below
one is compared with the words of the query:

    covered    how much of the query it and its headings contain in any form, or come near to by MaxSim
    sentence   the same of its best sentence alone
    heading    the same of its headings alone
    bm25       of its passage, relative to the best one of the note
    is_first   whether it is the first below its heading

A word counts by its idf, and less the more sections of the note have it: the subject of a note tells none apart. The
probability of a run is a softmax over the runs that do not overlap. Its weights were fitted as a conditional logit to
the judged passages of `tests/retrieval/quoted_passages.py` and to `chroma-chunks`, but for `sentence`, which was chosen
on the former; nothing was fitted to those held back. A run goes on in code, a table or a list up to `BLOCK` characters.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from quarry.analysis.analysis import ranking_terms
from quarry.documents.sentences import says_something, split_sentences
from quarry.index.keys import note_of
from quarry.lazy_pattern import lazy_pattern
from quarry.search.answer import Hit, Passage, RankedChunk
from quarry.search.candidates import FIELD_WEIGHTS
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import SCORE_DIGITS
from quarry.search.snippet.highlighting import find_matches
from quarry.search.snippet.snippet import Snippet, beginning, make_snippet

WIDTH = 280  # characters of a run, unless its first sentence is longer; see docs/decisions/023
BLOCK = 440  # the same, where it goes on in a list, a table or code
MAX_EXCERPTS = 3  # of a note: a fourth has the answer where the others have not in 2 of 100
MAX_CHUNKS = 40  # of a note that are compared: a longer one's best by words
# Half of the fitted ones, as they are less sure elsewhere.
WEIGHTS = {"covered": 2.5, "sentence": 1.3, "heading": 2.5, "bm25": 3.1, "is_first": 0.6}
EVERYWHERE = 0.9  # a section comes so near to a word that it has it
LEAST_RARITY = 0.02  # of a word that every section has

_FENCES = ("```", "~~~")
_HEADING = lazy_pattern(r"#{1,6}[ \t](.*)\Z")
_IN_BLOCK = lazy_pattern(r"(?:>[ \t]*)*(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|\||```|~~~)")


class _Sentence(NamedTuple):
    start: int  # in the chunk
    text: str
    is_code: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class _Section(NamedTuple):
    """The sentences of a chunk between two headings."""

    chunk_id: int
    above: str  # its headings but the first of the note, which is mostly the title
    headings: tuple[str, ...]  # in the chunk, above it
    sentences: list[_Sentence]


class _Run(NamedTuple):
    """Neighbouring sentences of a section; smaller is better, and among equals what comes first in the note."""

    cost: float
    chunk_id: int
    start: int
    end: int
    headings: tuple[str, ...]


def quote_excerpts(hit: Hit, prepared: PreparedQuery, execution: SearchExecution, width: int) -> Hit:
    """
    *hit* with at most `MAX_EXCERPTS` excerpts of its note, none longer than *width*, the most probable first.

    It is unchanged where nothing can be compared.

    Raises:
        IndexDamaged: The stored form of the note does not match its checksum.
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    execution.deadline.check()
    runs: list[_Run] = []
    for run in sorted(_runs(hit, prepared, execution)):
        if not any(run.chunk_id == one.chunk_id and run.start < one.end and one.start < run.end for one in runs):
            runs.append(run)
    worths = np.exp([runs[0].cost - run.cost for run in runs]) if runs else np.zeros(0)
    stored = execution.reader.chunks([run.chunk_id for run in runs[:MAX_EXCERPTS]])
    excerpts, highlight_terms = [], prepared.highlight_terms
    for run, share in zip(runs[:MAX_EXCERPTS], (worths / worths.sum()).tolist(), strict=False):
        text = stored[run.chunk_id].text[run.start : run.end]
        matches = find_matches(text, highlight_terms)
        cut = make_snippet(text, matches, width) if len(text) > width else beginning(text, width)
        snippet = Snippet(cut.text, run.start + cut.start, run.start + cut.end, ())
        ranked = RankedChunk(run.chunk_id, hit.path, hit.score)
        excerpts.append(Passage(stored[run.chunk_id], ranked, snippet, "", run.headings, share))
    return replace(hit, passages=tuple(excerpts) or hit.passages)


def _runs(hit: Hit, prepared: PreparedQuery, execution: SearchExecution) -> Iterator[_Run]:
    """Every run of sentences of the note that may be quoted."""
    bm25 = dict(prepared.scorer.top_chunks_of(note_of(hit.chunks[0].chunk_id), MAX_CHUNKS, FIELD_WEIGHTS))
    sections, words = _sections(hit, bm25, execution), prepared.word_idf
    if not sections or not words:
        return
    texts = [text for section in sections for text in (*[one.text for one in section.sentences], section.above)]
    near, lengths = np.zeros((len(words), len(texts))), np.ones(len(words))  # how near each text comes to each word
    if execution.encoder is not None:
        compared = execution.encoder.max_similarities(words, texts)
        near, lengths = np.maximum(compared.of_words, 0.0), compared.lengths
    highlight_terms = prepared.highlight_terms  # once: what finds them is made for each
    terms_of = [frozenset(ranking_terms(word, prepared.languages)) for word in words]
    for column, text in enumerate(texts):
        keys = {key for _, _, key, _ in find_matches(text, highlight_terms)}
        for row, terms in enumerate(terms_of) if keys else ():
            near[row, column] = max(near[row, column], len(keys & terms) / max(len(terms), 1))
    parts = np.split(near, np.cumsum([len(section.sentences) + 1 for section in sections])[:-1], axis=1)
    having = sum([part.max(axis=1) > EVERYWHERE for part in parts], start=np.zeros(len(words)))
    rarity = np.log((len(parts) + 1) / (having + 0.5)) / math.log(len(parts) + 1)
    weights = np.array([*words.values()]) * lengths * np.maximum(rarity, LEAST_RARITY)
    weights /= max(float(weights.sum()), 1e-9)
    best_bm25 = max(bm25.values(), default=0.0) or 1.0
    for section, part in zip(sections, parts, strict=True):
        alone, is_first = weights @ part, 1.0
        common = WEIGHTS["heading"] * float(alone[-1])
        common += WEIGHTS["bm25"] * bm25.get(section.chunk_id, 0.0) / best_bm25
        for first, last in _extents(section.sentences):
            covered = float(weights @ np.maximum(part[:, first : last + 1].max(axis=1), part[:, -1]))
            score = common + WEIGHTS["covered"] * covered + WEIGHTS["is_first"] * is_first
            cost = -round(score + WEIGHTS["sentence"] * float(alone[first : last + 1].max()), SCORE_DIGITS)
            start, end = section.sentences[first].start, section.sentences[last].end
            yield _Run(cost, section.chunk_id, start, end, section.headings)
            is_first = 0.0


# --- sections and runs ---------------------------------------------------------------------------


def _sections(hit: Hit, bm25: Mapping[int, float], execution: SearchExecution) -> list[_Section]:
    """The sections of the note between its headings; of a long one, those of its best passages."""
    note = execution.reader.note(hit.path)
    chunks = [*zip(note.chunk_ids, note.note.chunks, strict=True)] if note else []
    kept = {*bm25, *[ranked.chunk_id for ranked in hit.chunks]}
    sections: list[_Section] = []
    for chunk_id, chunk in [one for one in chunks if len(chunks) <= MAX_CHUNKS or one[0] in kept]:
        sections.append(_Section(chunk_id, " ".join(chunk.trail[1:]), (), []))
        for sentence in _sentences(chunk.text):
            if found := None if sentence.is_code else _HEADING.match(sentence.text):
                heading = found[1].lstrip().rstrip(" \t#")
                inner = () if heading in chunk.trail[-1:] else (heading,)
                sections.append(_Section(chunk_id, " ".join((*chunk.trail[1:], *inner)), inner, []))
            else:
                sections[-1].sentences.append(sentence)
    return [section for section in sections if section.sentences]


def _sentences(text: str) -> Iterator[_Sentence]:
    """The sentences of *text*; code between fences and a table are one each, unless they are longer than `BLOCK`."""
    blocks: list[list[_Sentence]] = []
    in_fence = False
    for span in split_sentences(text):
        sentence = _Sentence(span.start, text[span.start : span.end], in_fence)
        if in_fence or (sentence.text.startswith("|") and blocks and blocks[-1][-1].text.startswith("|")):
            blocks[-1].append(sentence)
        else:
            blocks.append([sentence])
        in_fence ^= sentence.text.startswith(_FENCES)
    for first, *others in blocks:
        whole = _Sentence(first.start, text[first.start : (others or [first])[-1].end], first.text.startswith(_FENCES))
        yield from (whole,) if len(whole.text) <= BLOCK else (first, *others)


def _extents(sentences: Sequence[_Sentence]) -> Iterator[tuple[int, int]]:
    """From each sentence worth beginning with, the longest run: places of its first and its last sentence."""
    telling = [at for at, one in enumerate(sentences) if says_something(one.text, headings=True)]
    for first in telling:
        start = sentences[first].start
        last = max([at for at in telling if at > first and sentences[at].end <= start + WIDTH], default=first)
        for at, one in enumerate(sentences[last + 1 :], last + 1):
            if not (one.is_code or _IN_BLOCK.match(one.text)) or one.end > start + BLOCK:
                break
            last = at if at in telling else last
        yield first, last
