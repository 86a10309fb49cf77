"""
Where terms stand side by side, read from the forward index: phrases of a query, and neighbouring words.

Postings say which notes hold all terms of a phrase; what is stored of these is then searched for it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from quarry.analysis.analysis import phrase_alternatives
from quarry.index.database import Deadline
from quarry.index.keys import NoteIds, id_range, note_of, slot_of
from quarry.index.note_rows import ContentReader
from quarry.index.postings.bm25 import (
    CHUNK_WEIGHTS,
    DIGITS,
    NOTE_WEIGHTS,
    Floats,
    SparseScores,
    idf,
    sparse_scores,
    term_scores,
)
from quarry.index.postings.fields import (
    ALIASES,
    CHUNK_FIELDS,
    IN_ORDER,
    MAX_TERMS,
    NAME_FIELDS,
    NAMES_IN_ORDER,
    TEXT,
    chunks_in_order,
    occurrences_by_field,
    spaced,
    stands_in_text,
)
from quarry.index.postings.scorer import ScoreScope, TermScorer, name_weights
from quarry.index.postings.segment import DocOrdinals
from quarry.index.postings.snapshot import PostingsSnapshot


class PhraseOccurrences(Struct, frozen=True, eq=False):
    """Every place where a phrase stands."""

    chunks: DocOrdinals  # that hold it in one field, ascending
    chunk_frequencies: Floats  # how often in each field; shape (chunks, CHUNK_FIELDS)
    names: DocOrdinals  # ascending
    name_frequencies: Floats  # shape (names, NAME_FIELDS)
    note_ids: NoteIds  # that hold it in their text, over a border of chunks or not, title or aliases


def find_phrase(
    notes: ContentReader, scorer: TermScorer, phrase: str, deadline: Deadline, among: NoteIds | None = None
) -> PhraseOccurrences:
    """
    Every occurrence of *phrase*, its terms with one space between two; raises as `ContentReader`.

    Args:
        among: The notes to look in; None: all.
    """
    words = phrase.split(" ")
    wanted = [" ".join(terms).encode() for terms in phrase_alternatives(words) if all(map(scorer.is_held, terms))]
    chunks: dict[int, list[int]] = {}
    names: dict[int, list[int]] = {}
    holding: list[int] = []
    for note_id, terms in notes.terms(_notes_with_terms(scorer, words, among), deadline):
        first, is_found = id_range(note_id)[0], False
        together = [phrase for phrase in wanted if phrase in terms.line]
        line = spaced(terms.line) if together else b""
        for field, count in [each for phrase in together for each in occurrences_by_field(phrase, line)]:
            if field < NAME_FIELDS:
                if field < NAMES_IN_ORDER:
                    names.setdefault(note_id, [0] * NAME_FIELDS)[field] = count
                    is_found |= field <= ALIASES
                continue
            number, field = divmod(field - NAME_FIELDS, CHUNK_FIELDS)
            if field < IN_ORDER:
                chunks.setdefault(first + terms.slot(number), [0] * CHUNK_FIELDS)[field] = count
                is_found |= field == TEXT
        if is_found or any(stands_in_text(phrase, terms.line) for phrase in wanted):
            holding.append(note_id)
    return PhraseOccurrences(
        *_by_ordinal(scorer.chunks, chunks, CHUNK_FIELDS),
        *_by_ordinal(scorer.names, names, NAME_FIELDS),
        np.array(holding, np.int64),
    )


def phrase_chunk_scores(scorer: TermScorer, found: PhraseOccurrences, weights: Sequence[float]) -> SparseScores:
    """The scores of chunks for a phrase, as for one term; *weights* of the fields."""
    chunks = scorer.chunks
    frequencies = (found.chunk_frequencies @ np.array(weights)).round(DIGITS)
    return sparse_scores(found.chunks, frequencies, np.array([len(found.chunks)]), chunks.length_norms, chunks.total)


def phrase_note_scores(scorer: TermScorer, found: PhraseOccurrences, scope: ScoreScope) -> SparseScores:
    """The scores of notes for a phrase, as for one term."""
    total = np.zeros(scorer.names.size)
    total[found.names] = found.name_frequencies @ np.array(name_weights(scope))
    if scope == "note":
        in_text = found.chunk_frequencies[:, TEXT] * NOTE_WEIGHTS.body
        total += np.bincount(scorer.note_of_chunk[found.chunks], in_text, len(total))
    held = total.nonzero()[0]
    frequencies = total[held].round(DIGITS)
    return sparse_scores(held, frequencies, np.array([len(held)]), scorer.note_length_norms, scorer.names.total)


def proximity_scores(
    notes: ContentReader,
    scorer: TermScorer,
    phrases: Sequence[Sequence[str]],
    chunk_ids: Iterable[int],
    deadline: Deadline,
) -> dict[int, float]:
    """
    BM25 of these chunks where each of *phrases* counts as one term; chunks that hold none are left out.

    How many chunks of the index hold a phrase, which BM25 weighs it by, is estimated: as many as hold its rarest term,
    times the share of these chunks in which its terms, being there, stand side by side. With the true number nDCG@10 is
    the same (.7864, no judged set more than .0006 higher).

    Raises:
        DeadlineExceeded, Cancelled, IndexDamaged: As `ContentReader`.
    """
    asked = np.array(sorted({*chunk_ids}), np.int64)
    ordinals = scorer.chunks.ordinals_of(asked)
    if (ordinals < 0).any():
        asked, ordinals = asked[ordinals >= 0], ordinals[ordinals >= 0]
    wanted = [phrase for phrase in phrases if phrase][:MAX_TERMS]
    terms = dict.fromkeys([term for phrase in wanted for term in phrase])
    stands = {term: scorer.is_in_order(term, ordinals) for term in terms}
    holding = [np.logical_and.reduce([stands[term] for term in phrase]).nonzero()[0].tolist() for phrase in wanted]
    wanted_places = {at for places in holding for at in places}
    texts = _texts_in_order(notes, asked, wanted_places, deadline)
    norms, scores = scorer.chunks.length_norms.take(ordinals), np.zeros(len(asked))
    weights = np.array(astuple(CHUNK_WEIGHTS)[:IN_ORDER])
    for phrase, places in zip(wanted, holding, strict=True):
        found = _frequencies_in_order(scorer, phrase, places, texts)
        if found:
            at = sorted(found)
            frequencies = np.array([found[place] for place in at])
            rarest = min([scorer.chunks.frequency(term) for term in phrase])
            of_phrase = idf(rarest * len(found) / len(places), scorer.chunks.total)
            scores[at] += term_scores(frequencies @ weights, norms[at], 1.0) * of_phrase
    return {chunk_id: score for chunk_id, score in zip(asked.tolist(), scores.tolist(), strict=True) if score}


def _frequencies_in_order(
    scorer: TermScorer, phrase: Sequence[str], places: Sequence[int], texts: Mapping[int, bytes]
) -> dict[int, list[float]]:
    """How often *phrase* stands in each field of the *texts* at those of *places* that hold it."""
    found: dict[int, list[float]] = {}
    for terms in phrase_alternatives(phrase) if places else ():
        if not all(map(scorer.is_held, terms)):
            continue
        together = " ".join(terms).encode()
        for at in places:
            if together in texts[at]:
                for field, count in occurrences_by_field(together, texts[at]):
                    found.setdefault(at, [0.0] * IN_ORDER)[field] = count
    return found


def _texts_in_order(
    notes: ContentReader, chunk_ids: NDArray[np.int64], wanted: Iterable[int], deadline: Deadline
) -> dict[int, bytes]:
    """The terms of the *wanted* places in *chunk_ids*, as `chunks_in_order` gives them."""
    slots_of: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for at in wanted:
        chunk_id = int(chunk_ids[at])
        slots_of[note_of(chunk_id)].append((at, slot_of(chunk_id)))
    texts: dict[int, bytes] = {}
    for note_id, terms in notes.terms(sorted(slots_of), deadline):
        places, slots = zip(*slots_of[note_id], strict=True)
        texts.update(zip(places, chunks_in_order(terms.line, [*map(terms.number, slots)]), strict=True))
    return texts


def _notes_with_terms(scorer: TermScorer, terms: Sequence[str], among: NoteIds | None) -> list[int]:
    """The notes, of *among* if it is given, that hold all of *terms* anywhere; ascending by id."""
    held = np.ones(scorer.names.size, np.bool_)
    for term in dict.fromkeys(terms):
        mask = np.zeros(scorer.names.size, np.bool_)
        mask[scorer.note_of_chunk[scorer.chunks.postings(term)[0]]] = True
        mask[scorer.names.postings(term)[0]] = True
        held &= mask
    ids = np.sort(scorer.names.ids[held])
    found: list[int] = (ids if among is None else np.intersect1d(ids, among, assume_unique=True)).tolist()
    return found


def _by_ordinal(
    snapshot: PostingsSnapshot, found: Mapping[int, Sequence[int]], fields: int
) -> tuple[DocOrdinals, Floats]:
    """Document ordinals, ascending, and frequencies by field, for ids of documents and theirs."""
    ordinals = snapshot.ordinals_of(np.array([*found], np.int64))
    frequencies: Floats = np.array([*found.values()], np.float64).reshape(-1, fields)
    order = ordinals.argsort(kind="stable")
    return ordinals[order], frequencies[order]
