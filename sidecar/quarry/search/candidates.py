"""
Collects candidate notes and the values of their signals.

Every retriever proposes its best. A proposed note is then scored by all of them, whichever proposed it ("union
scoring"), by the text of the whole note, and by its names. A passage that the keyword retriever does not rank among its
best hundred gets no score from it, which changes nDCG@10 by .0003.

    column of `Candidates`   shape         from
    note_ids                        (notes,)      all proposals, ascending, so that `searchsorted` joins by id
    signals.passage, bm25           (notes,)      BM25 of the best passage, by the keyword retriever
    signals.note                    (notes,)      BM25 of the whole note
    signals.phrase                  (notes,)      BM25 of neighbouring words, in the best 30 passages
    signals.meaning                 (notes,)      cosine of the nearest passage or title, and the mean of all passages
    signals.title, exact_title      (notes,)      how well its names match; 0 unless proposed by name or a best passage
    signals.max_sim                 (notes,)      0 here; `rank_by_signals` fills it in for the first notes
    max_cosine, static_cosine       (notes,)      cosine of the nearest passage or title, by the vectors that rank, and
                                                  by static vectors
    keyword, dense                  (chunks,)     ids and scores of what each retriever proposed, best first
    nearest                         (near notes,) nearest passage of each note that has a vector, ascending by note

Where the query is one identifier, `search/identifiers.py` then says which notes are named so.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.analysis.analysis import (
    Languages,
    phrase_alternatives,
    phrase_terms,
    split_alternatives,
    stop_terms,
)
from quarry.analysis.compounds import is_camel_case, part_terms
from quarry.analysis.languages import ENGLISH
from quarry.analysis.normalize import language_of_term
from quarry.analysis.tokenizer import ascii_words
from quarry.index import ChunkWeights, DenseQuery, NearestChunks, NoteIds, NoteName, Scored
from quarry.index.keys import notes_of
from quarry.index.vectors.vector_query import NO_NEAREST_CHUNKS
from quarry.options import Retriever
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import Numbers, Signals, max_normalize, min_max_normalize

# Of the context line more than published: it says what the note is called, which is what people remember of it.
FIELD_WEIGHTS = ChunkWeights(text=1.0, section=1.0, context=2.0, compounds=1.0)
POOL = 100  # candidates asked of each retriever; 30, as published, loses what is good in both and best in neither
NAME_POOL = 100  # notes proposed for their names; their passages mostly propose them as well
SPLIT_NAME_POOL = 30  # passages with the best words, whose notes may be called so in one word: `getStaleFiles`
SPLIT_NAME_MIN = 2  # words of the query in it: `git` alone does not mean `GitHub`
PROXIMITY_POOL = 30  # passages with the best words that are searched for pairs; 100 change nDCG@10 by .0002
NOTE_MEAN_WEIGHT = 0.2  # of a note's cosine: its mean over all passages, the company of the nearest one
# Of the meaning, where contextual vectors answer; the rest is what static ones say. See docs/QUALITY.md.
CONTEXTUAL_SHARE = 0.5
NO_SPREAD = 1e-9  # of cosines that are alike but for the last digits
TITLE_COSINE_PENALTY = 0.05  # few words come near to anything more easily than a passage does


class RankedChunks(NamedTuple):
    """The chunks that one retriever proposes, best first; arrays of one length."""

    chunk_ids: NDArray[np.int64]
    scores: Numbers

    @classmethod
    def from_scored(cls, scored: Sequence[Scored]) -> "RankedChunks":
        """*scored* as arrays."""
        if not scored:
            return NO_CHUNKS
        chunk_ids, scores = zip(*scored, strict=True)
        return cls(np.array(chunk_ids, dtype=np.int64), np.array(scores, dtype=np.float64))

    def best_by_note(self, note_ids: NoteIds) -> Numbers:
        """For each of *note_ids* the score of its best chunk here, at least 0; the chunks are of no other notes."""
        best = np.zeros(len(note_ids))
        np.maximum.at(best, note_ids.searchsorted(notes_of(self.chunk_ids)), self.scores)
        return best


NO_CHUNKS = RankedChunks(np.empty(0, np.int64), np.empty(0))


class Identified(Struct, frozen=True):
    """How much of the identifier that the query is a candidate contains, 0 to 1, and where; each of shape (notes,)."""

    named: Numbers  # by their title, an alias, the file name or a heading
    code: Numbers  # by one of these or by a code span
    held: Numbers  # by these or anywhere in the text

    def at(self, chosen: NDArray[np.intp]) -> "Identified":
        """How much of the identifier the candidates at these positions contain."""
        return Identified(self.named[chosen], self.code[chosen], self.held[chosen])


class Candidates(Struct, frozen=True):
    """
    The candidate notes and their columns; see the table above.

    *signals* are what a score is made of; the others decide which candidates are found, how much each signal counts,
    and which passages are shown.
    """

    nonzero_retrievers: frozenset[Retriever]  # that found anything: words that no note contains are no evidence
    note_ids: NoteIds
    signals: Signals
    max_cosine: Numbers  # -inf where there is no vector
    static_cosine: Numbers
    bm25: Numbers  # 0 where no passage contains a word
    bm25_coverage: float  # share of the query's `attainable_bm25` that the best passage reaches
    keyword: RankedChunks
    dense: RankedChunks
    nearest: NearestChunks
    identified: Identified | None = None  # where the query is an identifier


def collect_candidates(prepared: PreparedQuery, execution: SearchExecution, also: Iterable[int] = ()) -> Candidates:
    """
    Collect the candidates that the retrievers propose, and score each candidate by every retriever.

    Args:
        also: Notes that are candidates whether they are proposed or not.
    """
    reader, deadline = execution.reader, execution.deadline
    keywords, admitted = prepared.scorer, prepared.admitted
    has_words = execution.has_keyword and not prepared.keyword_query.is_empty
    dense_query = prepared.dense.ranking

    keyword = dense = NO_CHUNKS
    named: set[int] = set()
    titled: Sequence[Scored] = ()
    if has_words:
        keyword = RankedChunks.from_scored(keywords.top_chunks(admitted, POOL, FIELD_WEIGHTS))
        named = keywords.top_note_ids(admitted, NAME_POOL, by_name=True)
    if dense_query:
        dense = RankedChunks.from_scored(dense_query.top_chunks(admitted, POOL, deadline))
        titled = dense_query.top_titles(admitted, POOL)
    if prepared.dense.is_contextual and (static := prepared.dense.static):  # each model misses what the other finds
        chunks = RankedChunks.from_scored(static.top_chunks(admitted, POOL, deadline))
        titled = [*titled, *static.top_titles(admitted, POOL)]
        also = {*also, *notes_of(chunks.chunk_ids).tolist()}
    with_passage = set(notes_of(keyword.chunk_ids).tolist())
    proposed = with_passage.union(named, notes_of(dense.chunk_ids).tolist(), [note_id for note_id, _ in titled], also)
    if admitted is not None and len(admitted) <= POOL:  # each of so few notes is a candidate
        proposed.update(admitted.tolist())
    elif len(keyword.scores) >= POOL and len(with_passage) < POOL // 2:  # passages of few notes took others' places
        proposed |= keywords.top_note_ids(admitted, POOL)
    named.update(notes_of(keyword.chunk_ids[:SPLIT_NAME_POOL]).tolist())
    ids = sorted(proposed)
    note_ids = np.array(ids, dtype=np.int64)

    whole_notes = keywords.note_scores(ids) if has_words else {}
    pairs: Mapping[int, float] = {}
    if prepared.pairs and len(keyword.scores):
        best_chunks = keyword.chunk_ids[:PROXIMITY_POOL].tolist()
        pairs = reader.keywords.proximity_scores(prepared.pairs, best_chunks, deadline=deadline)
    nearest = dense_query.nearest_chunks(note_ids) if dense_query else NO_NEAREST_CHUNKS
    max_cosine, cosine = _cosines(note_ids, nearest, dense_query)
    static_cosine, meaning = max_cosine, min_max_normalize(cosine)
    if prepared.dense.is_contextual:
        static = prepared.dense.static
        static_nearest = static.nearest_chunks(note_ids) if static else NO_NEAREST_CHUNKS
        contextual_cosine = cosine
        static_cosine, cosine = _cosines(note_ids, static_nearest, static)
        meaning = CONTEXTUAL_SHARE * standardized(contextual_cosine) + (1 - CONTEXTUAL_SHARE) * standardized(cosine)
        meaning = min_max_normalize(meaning)
    title, exact_title = _match_names(note_ids, reader.note_names(sorted(named)), prepared.idf)
    bm25 = keyword.best_by_note(note_ids)
    attainable = prepared.attainable_bm25
    nonzero: dict[Retriever, bool] = {
        "keyword": bool(len(keyword.chunk_ids) or named),
        "dense": dense_query is not None,
    }
    return Candidates(
        nonzero_retrievers=frozenset([retriever for retriever, is_nonzero in nonzero.items() if is_nonzero]),
        note_ids=note_ids,
        signals=Signals(
            passage=max_normalize(bm25),
            note=max_normalize(_column(whole_notes, note_ids)),
            phrase=max_normalize(RankedChunks.from_scored([*pairs.items()]).best_by_note(note_ids)),
            meaning=meaning,
            title=title,
            exact_title=exact_title,
            max_sim=np.zeros(len(note_ids)),
        ),
        max_cosine=max_cosine,
        static_cosine=static_cosine,
        bm25=bm25,
        bm25_coverage=min(1.0, float(bm25.max(initial=0.0)) / attainable) if attainable > 0 else 0.0,
        keyword=keyword,
        dense=dense,
        nearest=nearest,
    )


def _column(values: Mapping[int, float], note_ids: NoteIds) -> Numbers:
    """The value of each of *note_ids*, 0 where there is none; no value belongs to another note."""
    column = np.zeros(len(note_ids))
    if values:
        at = note_ids.searchsorted(np.fromiter(values, np.int64, len(values)))
        column[at] = np.fromiter(values.values(), np.float64, len(values))
    return column


def _cosines(note_ids: NoteIds, nearest: NearestChunks, dense_query: DenseQuery | None) -> tuple[Numbers, Numbers]:
    """
    The cosine of each note's nearest passage or title, and that moved towards the mean over all its passages.

    A note without a vector has -inf of the former, and of the latter the least that another note has.
    """
    if dense_query is None:
        return np.full(len(note_ids), -np.inf), np.zeros(len(note_ids))
    titled, cosines = dense_query.title_cosines(note_ids)
    with_chunk, with_title = note_ids.searchsorted(nearest.note_ids), note_ids.searchsorted(titled)
    max_cosine = np.full(len(note_ids), -np.inf)
    max_cosine[with_title] = np.maximum(cosines - TITLE_COSINE_PENALTY, -1.0)
    max_cosine[with_chunk] = np.maximum(max_cosine[with_chunk], nearest.cosines)
    with_mean = max_cosine.copy()
    with_mean[with_chunk] += NOTE_MEAN_WEIGHT * (nearest.means - max_cosine[with_chunk])
    is_known = max_cosine > -np.inf
    if not is_known.all():
        with_mean[~is_known] = with_mean[is_known].min() if is_known.any() else 0.0
    return max_cosine, with_mean


def standardized(cosines: Numbers) -> Numbers:
    """
    *cosines* by their distance from their mean, in standard deviations; all 0 where they are alike.

    By their extremes alone, a model whose cosines are close together would count as much by noise as another by what
    it knows.
    """
    spread = cosines.std() if len(cosines) else 0.0
    return (cosines - cosines.mean()) / spread if spread > NO_SPREAD else np.zeros(len(cosines))


# --- names -------------------------------------------------------------------------------------


def _match_names(note_ids: NoteIds, names: Sequence[NoteName], idf: Mapping[str, float]) -> tuple[Numbers, Numbers]:
    """
    How well the best name of each note matches the query, and whether one is the query; 0 for notes not in *names*.

    The match of a name is the share of the query that it covers, by idf, times the share of its terms that are the
    query's.

    Args:
        idf: Of each term of the query, in its order.
    """
    matches, exact = np.zeros(len(note_ids)), np.zeros(len(note_ids))
    term_of = {alternative: term for term in idf for alternative in split_alternatives(term)}
    wanted, wanted_count, total = frozenset(term_of), len(idf), sum(idf.values())
    if total <= 0 or not names:
        return matches, exact
    shares: dict[frozenset[str], tuple[float, int]] = {}  # by shared terms, as names repeat: share of the query, count
    best_of: dict[int, tuple[float, bool]] = {}
    for name in names:
        best, is_exact = 0.0, False
        for terms, is_split in _terms_of_names(name.every, name.languages):
            shared = wanted.intersection(terms)
            if not shared or (is_split and len(shared) < SPLIT_NAME_MIN):
                continue
            known = shares.get(shared)
            if known is None:  # in the query's order, so that the sum is always the same
                covered = {term_of[alternative] for alternative in shared}
                known = shares[shared] = sum([idf[term] for term in idf if term in covered]) / total, len(covered)
            share, count = known
            name_count = len(terms)
            match = share * count / name_count
            if match > best:
                best = match
            is_exact = is_exact or count == name_count == wanted_count
        best_of[name.note_id] = best, is_exact
    at = note_ids.searchsorted([*best_of])
    matches[at], exact[at] = zip(*best_of.values(), strict=True)
    return matches, exact


@lru_cache(maxsize=20_000)  # the names of a large vault; about 12 MB
def _terms_of_names(names: tuple[str, ...], languages: Languages) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """
    The different terms of each of a note's *names*, in each language, without stop words unless it has no other.

    A name such as `getStaleFiles` comes again, split into its parts. None comes twice.

    Returns:
        Terms, and whether words were split for them.
    """
    found: list[tuple[tuple[str, ...], bool]] = []
    for terms in dict.fromkeys([phrase_terms(text, languages) for text in names]):  # of title and file name, mostly one
        for every in map(set, phrase_alternatives(terms) if languages else filter(None, [terms])):
            kept = _without_stop_terms(every) if languages else every - stop_terms(ENGLISH)
            found.append((tuple(map(intern, sorted(kept or every))), False))  # names share most of their terms
    for text in filter(is_camel_case, names):
        split = {term for word in ascii_words(text) for term in part_terms(word) or phrase_terms(word)}
        found.append((tuple(map(intern, sorted(split - stop_terms(ENGLISH) or split))), True))
    return tuple(dict.fromkeys(found))


def _without_stop_terms(terms: set[str]) -> set[str]:
    return {term for term in terms if term not in stop_terms(language_of_term(term))}
