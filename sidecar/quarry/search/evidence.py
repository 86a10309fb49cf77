"""
Which notes come into question, and what speaks for each of them?

Every leg proposes its best, and how near each proposed note is in meaning is known whoever brought it up ("union
scoring"), as is what the whole note says. A passage beyond the best hundred by its words gains nothing from them that
would change its note's place (.0003 nDCG@10), so that is not asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quarry.index import ChunkWeights, Deadline, NoteName, Reader, note_of
from quarry.ranking.signals import Numbers, Signals, relative, stretched
from quarry.search.question import Question
from quarry.terms.analysis import STOP_TERMS, analyse
from quarry.types import Leg, Ranking

# Of the context line more than published: it says what the note is called, which is what people remember of it.
WEIGHTS = ChunkWeights(text=1.0, section=1.0, context=2.0, compounds=1.0)
NAMED = 100  # notes proposed for their names; their passages mostly propose them as well
SURROUNDINGS = 0.2  # of a note's nearness: its mean over all passages, which says what the nearest one stands among
BRIEF = 0.05  # taken off a title's cosine: few words come near to anything more easily than a passage does
POOL = 100  # candidates asked of each leg; 30, as published, loses what is good in both and best in neither


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidate notes and what is known of them; arrays and lists are in the same order."""

    names: Sequence[NoteName]
    signals: Signals
    account: float  # share of the query's possible BM25 that the best passage reaches
    lexical: Ranking  # the passages that each leg proposed
    dense: Ranking
    cosines: Mapping[int, float]  # by chunk, where known
    bm25: Mapping[int, float]
    nearness: Mapping[int, float]  # note -> cosine of its nearest passage or title, where it has a vector


def gather(question: Question, reader: Reader, serving: Iterable[Leg], deadline: Deadline) -> Evidence:
    """Ask the legs of *question* for their best, and the dense leg about all of them."""
    asks_words = "lexical" in serving and not question.lexical.is_empty
    vector = question.vector if "dense" in serving else None
    admitted = question.admitted
    lexical = reader.lexical(question.lexical, admitted, POOL, deadline=deadline, weights=WEIGHTS) if asks_words else ()
    named = _named(question, reader, deadline) if asks_words else set()
    dense = reader.dense(vector, admitted, POOL, deadline=deadline) if vector is not None else ()
    titled = reader.nearest_titles(vector, admitted, POOL) if vector is not None else {}
    note_ids = {note_of(candidate.chunk_id) for candidate in (*lexical, *dense)} | named | titled.keys()
    if admitted is not None and len(admitted) <= POOL:  # whoever satisfies the conditions is to be found
        note_ids |= set(admitted.tolist())
    elif asks_words and _is_crowded(lexical):
        whole = reader.lexical_notes(question.lexical, admitted, POOL, deadline=deadline)
        note_ids |= {note_id for note_id, _, _ in whole}
    names = reader.note_names(sorted(note_ids))
    ids = [name.note_id for name in names]

    nearest = reader.nearest_chunks(vector, ids) if vector is not None else {}
    titles = reader.title_cosines(vector, ids) if vector is not None else {}
    bm25 = {candidate.chunk_id: candidate.score for candidate in lexical}
    passages = _best_by_note(bm25)
    notes = reader.note_scores(question.lexical, ids, deadline=deadline) if asks_words else {}
    phrases = _best_by_note(reader.phrase_scores(question.pairs, sorted(bm25))) if question.pairs and bm25 else {}
    nearness = {
        i: max(nearest[i].cosine if i in nearest else -1.0, titles.get(i, -1.0) - BRIEF) for i in nearest | titles
    }
    in_place = {
        i: near + SURROUNDINGS * (nearest[i].mean - near if i in nearest else 0) for i, near in nearness.items()
    }
    covers, exact = _titles(names, named, question)
    highest = max(passages.values(), default=0.0)
    return Evidence(
        names=names,
        signals=Signals(
            passage=relative(_column(passages, ids)),
            note=relative(_column(notes, ids)),
            phrase=relative(_column(phrases, ids)),
            meaning=stretched(_column(in_place, ids, min(in_place.values(), default=0.0))),
            title=covers,
            exact=exact,
        ),
        account=min(1.0, highest / question.possible) if question.possible > 0 else 0.0,
        lexical=lexical,
        dense=dense,
        cosines={c.chunk_id: c.score for c in dense} | {near.chunk_id: near.cosine for near in nearest.values()},
        bm25=bm25,
        nearness=nearness,
    )


def _is_crowded(lexical: Ranking) -> bool:
    """Whether passages of the same few notes took the places of others."""
    return len(lexical) >= POOL and len({note_of(candidate.chunk_id) for candidate in lexical}) < POOL // 2


def _named(question: Question, reader: Reader, deadline: Deadline) -> set[int]:
    """Notes whose name holds words of the query, wherever their passages stand."""
    found = reader.lexical_notes(question.lexical, question.admitted, NAMED, deadline=deadline, by_name=True)
    return {note_id for note_id, _, _ in found}


def _column(values: Mapping[int, float], ids: Sequence[int], lacking: float = 0.0) -> Numbers:
    return np.array([values.get(note_id, lacking) for note_id in ids], dtype=np.float64)


def _best_by_note(scores: Mapping[int, float]) -> dict[int, float]:
    best: dict[int, float] = {}
    for chunk_id, score in scores.items():
        note_id = note_of(chunk_id)
        best[note_id] = max(score, best.get(note_id, 0.0))
    return best


# --- titles ------------------------------------------------------------------------------------


def _titles(names: Sequence[NoteName], named: set[int], question: Question) -> tuple[Numbers, Numbers]:
    """How well the name of each of the *named* fits the query, and whether it is the query; 0 for the others."""
    asked = question.idf
    total = sum(asked.values())
    fits = np.zeros(len(names))
    exact = np.zeros(len(names))
    if total <= 0:
        return fits, exact
    for at, name in enumerate(names):
        if name.note_id not in named:
            continue
        for text in (name.title, *name.aliases, name.file_name):
            terms = _terms_of(text)
            if not terms.isdisjoint(asked):
                fit, is_exact = _fit(terms, asked, total)
                fits[at] = max(fits[at], fit)
                exact[at] = max(exact[at], is_exact)
    return fits, exact


def _fit(terms: frozenset[str], asked: Mapping[str, float], total: float) -> tuple[float, float]:
    """Share of the query that a name covers times share of the name that the query covers; 1 where both are whole."""
    shared = [term for term in asked if term in terms]  # in the query's order, so that the sum is always the same
    covered = sum(asked[term] for term in shared) / total
    return covered * len(shared) / len(terms), float(len(shared) == len(terms) == len(asked))


@lru_cache(maxsize=50_000)  # the names of a large vault; about 20 MB
def _terms_of(name: str) -> frozenset[str]:
    """The terms of a name without those that only join others, unless it has no other."""
    every = frozenset(analyse(name).words.split())
    return every - STOP_TERMS or every
