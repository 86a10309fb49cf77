"""
Which notes come into question, and what speaks for each of them?

Every leg proposes its best, and how near each proposed note is in meaning is known whoever brought it up ("union
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
from quarry.ranking.signals import Numbers, Signals, relative, stretched
from quarry.search.question import Question
from quarry.terms.analysis import STOP_TERMS, analyse
from quarry.types import Leg

# Of the context line more than published: it says what the note is called, which is what people remember of it.
WEIGHTS = ChunkWeights(text=1.0, section=1.0, context=2.0, compounds=1.0)
NAMED = 100  # notes proposed for their names; their passages mostly propose them as well
SURROUNDINGS = 0.2  # of a note's nearness: its mean over all passages, which says what the nearest one stands among
BRIEF = 0.05  # taken off a title's cosine: few words come near to anything more easily than a passage does
NEIGHBOURED = 30  # of the passages with the best words; to look into 100 changes nDCG@10 by .0002
POOL = 100  # candidates asked of each leg; 30, as published, loses what is good in both and best in neither


class Evidence(Struct, frozen=True):
    """The candidate notes and what is known of them; arrays of one length, by ascending note."""

    note_ids: NoteIds
    signals: Signals
    nearness: Numbers  # cosine of the nearest passage or title; -inf where there is no vector
    account: float  # share of the query's possible BM25 that the best passage reaches
    lexical: Sequence[Scored]  # the passages that each leg proposed, best first
    dense: Sequence[Scored]
    nearest: NearestChunks

    @property
    def highest(self) -> float:
        """The BM25 of the best passage; 0 where there is none."""
        return self.lexical[0][1] if self.lexical else 0.0


def gather(question: Question, reader: Reader, serving: Iterable[Leg], deadline: Deadline) -> Evidence:
    """Ask the legs of *question* for their best, and the dense leg about all of them."""
    asks_words = "lexical" in serving and not question.lexical.is_empty
    dense_query = reader.dense_query(question.vector) if "dense" in serving and question.vector is not None else None
    admitted = question.admitted
    words = reader.proposed(question.lexical, admitted, POOL, deadline=deadline, weights=WEIGHTS) if asks_words else []
    named = _named(question, reader, deadline) if asks_words else set()
    dense = dense_query.top_chunks(admitted, POOL, deadline) if dense_query else []
    titled = dense_query.top_titles(admitted, POOL) if dense_query else []
    bm25 = dict(words)
    by_words = best_by_note(bm25)
    proposed = {*by_words, *named, *[chunk_id >> SLOT_BITS for chunk_id, _ in dense]}
    proposed.update([note_id for note_id, _ in titled])
    if admitted is not None and len(admitted) <= POOL:  # whoever satisfies the conditions is to be found
        proposed.update(admitted.tolist())
    elif len(words) >= POOL and len(by_words) < POOL // 2:  # passages of the same few notes took the places of others
        proposed |= reader.proposed_notes(question.lexical, admitted, POOL, deadline=deadline)
    ids = sorted(proposed)
    note_ids = np.array(ids, dtype=np.int64)

    notes = reader.note_scores(question.lexical, ids, deadline=deadline) if asks_words else {}
    beside: Mapping[int, float] = {}
    if question.pairs and bm25:
        beside = reader.phrase_scores(question.pairs, [*bm25][:NEIGHBOURED], deadline=deadline)
    nearest = dense_query.nearest_chunks(note_ids) if dense_query else NO_NEAREST_CHUNKS
    nearness, in_place = _meaning(note_ids, nearest, dense_query)
    covers, exact = _titles(note_ids, reader.note_names(sorted(named)), question)
    highest = words[0][1] if words else 0.0
    return Evidence(
        note_ids=note_ids,
        signals=Signals(
            passage=relative(_column(by_words, note_ids)),
            note=relative(_column(notes, note_ids)),
            phrase=relative(_column(best_by_note(beside), note_ids)),
            meaning=stretched(in_place),
            title=covers,
            exact=exact,
        ),
        nearness=nearness,
        account=min(1.0, highest / question.possible) if question.possible > 0 else 0.0,
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


def _named(question: Question, reader: Reader, deadline: Deadline) -> set[int]:
    """Notes whose name holds words of the query, wherever their passages stand."""
    return reader.proposed_notes(question.lexical, question.admitted, NAMED, deadline=deadline, by_name=True)


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
    nearness[with_title] = np.maximum(cosines - BRIEF, -1.0)
    nearness[with_chunk] = np.maximum(nearness[with_chunk], nearest.cosines)
    in_place = nearness.copy()
    in_place[with_chunk] += SURROUNDINGS * (nearest.means - nearness[with_chunk])
    is_known = nearness > -np.inf
    in_place[~is_known] = in_place[is_known].min() if is_known.any() else 0.0
    return nearness, in_place


# --- titles ------------------------------------------------------------------------------------


def _titles(note_ids: NoteIds, names: Sequence[NoteName], question: Question) -> tuple[Numbers, Numbers]:
    """How well each of *names* fits the query, and whether it is the query; 0 for the other notes."""
    asked = question.idf
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
