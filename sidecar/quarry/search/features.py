"""
Which notes are candidates, and what speaks for each of them?

Every retriever proposes its best, and how near each proposed note is in meaning is known whoever brought it up ("union
scoring"), as is what the whole note says. A passage beyond the best hundred by its words gains nothing from them that
would change its note's place (.0003 nDCG@10), so that is not asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from quarry.index import ChunkWeights, Deadline, DenseQuery, NearestChunks, NoteIds, NoteName, Reader, Scored
from quarry.index.ids import SLOT_BITS
from quarry.index.vector.query import NO_NEAREST_CHUNKS
from quarry.ranking.signals import Numbers, Signals, max_normalize, min_max_normalize
from quarry.search.prepare import PreparedQuery
from quarry.terms.analysis import STOP_TERMS, analyse
from quarry.types import Retriever

# Of the context line more than published: it says what the note is called, which is what people remember of it.
FIELD_WEIGHTS = ChunkWeights(text=1.0, section=1.0, context=2.0, compounds=1.0)
NAME_POOL = 100  # notes proposed for their names; their passages mostly propose them as well
NOTE_MEAN_WEIGHT = 0.2  # of a note's cosine: its mean over all passages, which says what the nearest one stands among
TITLE_COSINE_PENALTY = 0.05  # few words come near to anything more easily than a passage does
PROXIMITY_POOL = 30  # of the passages with the best words; to look into 100 changes nDCG@10 by .0002
POOL = 100  # candidates asked of each retriever; 30, as published, loses what is good in both and best in neither


class CandidateFeatures(Struct, frozen=True):
    """The candidate notes and what is known of them; arrays of one length, by ascending note."""

    note_ids: NoteIds
    signals: Signals
    max_cosine: Numbers  # cosine of the nearest passage or title; -inf where there is no vector
    bm25_coverage: float  # share of the query's possible BM25 that the best passage reaches
    lexical: Sequence[Scored]  # the passages that each retriever proposed, best first
    dense: Sequence[Scored]
    nearest: NearestChunks

    @property
    def highest(self) -> float:
        """The BM25 of the best passage; 0 where there is none."""
        return self.lexical[0][1] if self.lexical else 0.0


def extract_features(
    prepared: PreparedQuery, reader: Reader, retrievers: Iterable[Retriever], deadline: Deadline
) -> CandidateFeatures:
    """Ask the retrievers of *prepared* for their best, and the dense retriever about all of them."""
    asks_words = "lexical" in retrievers and not prepared.lexical.is_empty
    dense_query = reader.dense_query(prepared.vector) if "dense" in retrievers and prepared.vector is not None else None
    admitted = prepared.admitted
    words = (
        reader.proposed(prepared.lexical, admitted, POOL, deadline=deadline, weights=FIELD_WEIGHTS)
        if asks_words
        else []
    )
    named = _named(prepared, reader, deadline) if asks_words else set()
    dense = dense_query.top_chunks(admitted, POOL, deadline) if dense_query else []
    titled = dense_query.top_titles(admitted, POOL) if dense_query else []
    bm25 = dict(words)
    by_words = best_by_note(bm25)
    proposed = {*by_words, *named, *[chunk_id >> SLOT_BITS for chunk_id, _ in dense]}
    proposed.update([note_id for note_id, _ in titled])
    if admitted is not None and len(admitted) <= POOL:  # whoever satisfies the conditions is to be found
        proposed.update(admitted.tolist())
    elif len(words) >= POOL and len(by_words) < POOL // 2:  # passages of the same few notes took the places of others
        proposed |= reader.proposed_notes(prepared.lexical, admitted, POOL, deadline=deadline)
    ids = sorted(proposed)
    note_ids = np.array(ids, dtype=np.int64)

    notes = reader.note_scores(prepared.lexical, ids, deadline=deadline) if asks_words else {}
    beside: Mapping[int, float] = {}
    if prepared.pairs and bm25:
        beside = reader.phrase_scores(prepared.pairs, [*bm25][:PROXIMITY_POOL], deadline=deadline)
    nearest = dense_query.nearest_chunks(note_ids) if dense_query else NO_NEAREST_CHUNKS
    nearness, in_place = _meaning(note_ids, nearest, dense_query)
    covers, exact = _titles(note_ids, reader.note_names(sorted(named)), prepared)
    highest = words[0][1] if words else 0.0
    return CandidateFeatures(
        note_ids=note_ids,
        signals=Signals(
            passage=max_normalize(_column(by_words, note_ids)),
            note=max_normalize(_column(notes, note_ids)),
            phrase=max_normalize(_column(best_by_note(beside), note_ids)),
            meaning=min_max_normalize(in_place),
            title=covers,
            exact=exact,
        ),
        max_cosine=nearness,
        bm25_coverage=min(1.0, highest / prepared.max_bm25) if prepared.max_bm25 > 0 else 0.0,
        lexical=words,
        dense=dense,
        nearest=nearest,
    )


def best_by_note(scores: Mapping[int, float]) -> dict[int, float]:
    """Note -> the score of the best of its chunks, none negative."""
    best: dict[int, float] = {}
    for chunk_id, score in scores.items():
        note_id = chunk_id >> SLOT_BITS
        if score > best.setdefault(note_id, 0.0):
            best[note_id] = score
    return best


def _named(prepared: PreparedQuery, reader: Reader, deadline: Deadline) -> set[int]:
    """Notes whose name holds words of the query, wherever their passages stand."""
    return reader.proposed_notes(prepared.lexical, prepared.admitted, NAME_POOL, deadline=deadline, by_name=True)


def _column(values: Mapping[int, float], note_ids: NoteIds) -> Numbers:
    """What is known of each note, 0 where nothing is; none of *values* is of another note."""
    column = np.zeros(len(note_ids))
    at = note_ids.searchsorted(np.fromiter(values, np.int64, len(values)))
    column[at] = np.fromiter(values.values(), np.float64, len(values))
    return column


def _meaning(note_ids: NoteIds, nearest: NearestChunks, dense_query: DenseQuery | None) -> tuple[Numbers, Numbers]:
    """
    How near each note is, -inf where it has no vector, and how near where it stands.

    For the latter a note without a vector is as near as the farthest.
    """
    if dense_query is None:
        return np.full(len(note_ids), -np.inf), np.zeros(len(note_ids))
    titled, cosines = dense_query.title_cosines(note_ids)
    with_chunk, with_title = np.searchsorted(note_ids, nearest.note_ids), np.searchsorted(note_ids, titled)
    nearness = np.full(len(note_ids), -np.inf)
    nearness[with_title] = np.maximum(cosines - TITLE_COSINE_PENALTY, -1.0)
    nearness[with_chunk] = np.maximum(nearness[with_chunk], nearest.cosines)
    in_place = nearness.copy()
    in_place[with_chunk] += NOTE_MEAN_WEIGHT * (nearest.means - nearness[with_chunk])
    is_known = nearness > -np.inf
    in_place[~is_known] = in_place[is_known].min() if is_known.any() else 0.0
    return nearness, in_place


# --- titles ------------------------------------------------------------------------------------


def _titles(note_ids: NoteIds, names: Sequence[NoteName], prepared: PreparedQuery) -> tuple[Numbers, Numbers]:
    """How well each of *names* fits the query, and whether it is the query; 0 for the other notes."""
    asked = prepared.idf
    total = sum(asked.values())
    fits, exact = np.zeros(len(note_ids)), np.zeros(len(note_ids))
    if total <= 0:
        return fits, exact
    terms = frozenset(asked)
    found = [(name.note_id, *_fit(_terms_of(name), terms, asked, total)) for name in names]
    at = note_ids.searchsorted([note_id for note_id, _, _ in found])
    fits[at], exact[at] = [fit for _, fit, _ in found], [is_exact for _, _, is_exact in found]
    return fits, exact


def _fit(
    called: Iterable[frozenset[str]], wanted: frozenset[str], asked: Mapping[str, float], total: float
) -> tuple[float, bool]:
    """
    Share of the query that a name covers times share of the name that the query covers, and whether both are whole.

    Args:
        called: The terms of each thing that the note is called; the best counts.
        wanted: The query's terms, with their idf in *asked*, *total* all together.
    """
    best, is_exact = 0.0, False
    for terms in called:
        shared = terms & wanted
        if not shared:
            continue
        count = len(shared)
        if count == 1:  # as of most names
            [term] = shared
            covered = asked[term] / total
        else:  # in the query's order, so that the sum is always the same
            covered = sum([idf for term, idf in asked.items() if term in shared]) / total
        fit = covered * count / len(terms)
        if fit > best:
            best = fit
        if count == len(terms) == len(wanted):
            is_exact = True
    return best, is_exact


@lru_cache(maxsize=50_000)  # the names of a large vault; about 20 MB
def _terms_of(name: NoteName) -> tuple[frozenset[str], ...]:
    """For each different thing the note is called its terms without those that only join others, unless it has none."""
    found = []
    for text in dict.fromkeys((name.title, *name.aliases, name.file_name)):
        every = frozenset(analyse(text).words.split())
        found.append(every - STOP_TERMS or every)
    return tuple(dict.fromkeys(found))
