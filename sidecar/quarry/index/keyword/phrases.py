"""
Where terms stand side by side, read from the forward index: phrases of a query, and neighbouring words.

Postings say which notes hold all terms of a phrase; their terms are then searched for it as text.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import apsw
import numpy as np
from msgspec import Struct
from msgspec.structs import astuple
from numpy.typing import NDArray

from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.ids import id_list, id_range, note_of
from quarry.index.keyword.bm25 import CHUNK_WEIGHTS, DIGITS, NOTE_WEIGHTS, Floats, SparseScores, idf, sparse_scores
from quarry.index.keyword.bm25 import term_scores
from quarry.index.keyword.forward import (
    CHUNK_COLUMNS,
    IN_ORDER,
    NAME_COLUMNS,
    NAMES_IN_ORDER,
    TEXT,
    ChunkColumns,
    NameColumns,
    occurrences,
)
from quarry.index.keyword.query import MAX_TERMS
from quarry.index.keyword.segment import DocOrdinals
from quarry.index.keyword.snapshot import PostingsSnapshot
from quarry.index.keyword.snapshot_scorer import ScoreScope, SnapshotScorer, name_weights
from quarry.index.note_codec import open_packed, terms_line

READ_AT_ONCE = 64  # notes between two looks at the deadline

_BODIES = "SELECT note_id, body FROM bodies WHERE note_id IN (SELECT value FROM json_each(?)) ORDER BY note_id"


class NoteReading(Struct, frozen=True):
    """The terms of a note, with the ids of its chunks."""

    note_id: int
    names: NameColumns
    chunk_ids: Sequence[int]
    chunks: Sequence[ChunkColumns]


class PhraseOccurrences(Struct, frozen=True, eq=False):
    """Where a phrase stands, and how often in each column; without occurrences nothing."""

    chunks: DocOrdinals  # ascending
    chunk_frequencies: Floats  # shape (chunks, CHUNK_COLUMNS)
    names: DocOrdinals  # ascending
    name_frequencies: Floats  # shape (names, NAME_COLUMNS)


def read_notes(
    connection: apsw.Connection, note_ids: Sequence[int], deadline: Deadline, phrase: str = ""
) -> Iterator[NoteReading]:
    """
    The terms of these notes, ascending by id; ids that are not there are left out.

    Args:
        phrase: Terms with one space between two; notes without it are left out, unless it stands over the border of
            two columns.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        IndexDamaged: What is stored of a note is not as it was written.
    """
    wanted = phrase.encode()
    for first in range(0, len(note_ids), READ_AT_ONCE):
        deadline.check()
        for note_id, body in select(connection, _BODIES, (id_list(note_ids[first : first + READ_AT_ONCE]),)):
            if wanted and wanted not in terms_line(body):
                continue
            packed = open_packed(body)
            terms, (start, _) = packed.terms(), id_range(note_id)
            yield NoteReading(note_id, terms.names, [start + slot for slot in packed.slots], terms.chunks)


def find_phrase(
    connection: apsw.Connection, scorer: SnapshotScorer, phrase: str, deadline: Deadline
) -> PhraseOccurrences:
    """Every occurrence of *phrase*, its terms with one space between two, in one column; raises as `read_notes`."""
    terms = [*dict.fromkeys(phrase.split(" "))]
    in_chunks = _with_all_terms(scorer.chunks, terms)
    in_names = _with_all_terms(scorer.names, terms)
    notes = np.union1d(scorer.note_of_chunk[in_chunks], in_names)
    note_ids: list[int] = np.sort(scorer.names.ids[notes]).tolist()
    chunk_ids, chunk_rows, name_ids, name_rows = [], [], [], []
    for note in read_notes(connection, note_ids, deadline, phrase):
        for chunk_id, columns in zip(note.chunk_ids, note.chunks, strict=True):
            counts = _frequencies(phrase, columns, IN_ORDER)
            if any(counts):
                chunk_ids.append(chunk_id)
                chunk_rows.append(counts)
        counts = _frequencies(phrase, note.names, NAMES_IN_ORDER)
        if any(counts):
            name_ids.append(note.note_id)
            name_rows.append(counts)
    return PhraseOccurrences(
        *_by_ordinal(scorer.chunks, chunk_ids, chunk_rows, CHUNK_COLUMNS),
        *_by_ordinal(scorer.names, name_ids, name_rows, NAME_COLUMNS),
    )


def phrase_chunk_scores(scorer: SnapshotScorer, found: PhraseOccurrences, weights: Sequence[float]) -> SparseScores:
    """The scores of chunks for a phrase, as for one term; *weights* of the columns."""
    chunks = scorer.chunks
    frequencies = np.round(found.chunk_frequencies @ np.array(weights), DIGITS)
    return sparse_scores(
        found.chunks, frequencies, np.array([len(found.chunks)]), chunks.length_norms, chunks.total
    )


def phrase_note_scores(scorer: SnapshotScorer, found: PhraseOccurrences, scope: ScoreScope) -> SparseScores:
    """The scores of notes for a phrase, as for one term."""
    total = np.zeros(scorer.names.size)
    total[found.names] = found.name_frequencies @ np.array(name_weights(scope))
    if scope == "note":
        in_text = found.chunk_frequencies[:, TEXT] * NOTE_WEIGHTS.body
        total += np.bincount(scorer.note_of_chunk[found.chunks], in_text, len(total))
    held = np.flatnonzero(total)
    frequencies = np.round(total[held], DIGITS)
    return sparse_scores(held, frequencies, np.array([len(held)]), scorer.note_length_norms, scorer.names.total)


def proximity_scores(
    connection: apsw.Connection,
    scorer: SnapshotScorer,
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
        DeadlineExceeded, Cancelled, IndexDamaged: As `read_notes`.
    """
    wanted = [" ".join(phrase) for phrase in phrases if phrase][:MAX_TERMS]
    asked = {*chunk_ids}
    columns: dict[int, tuple[str, str, str]] = {}
    for note in read_notes(connection, sorted({note_of(chunk_id) for chunk_id in asked}), deadline):
        for chunk_id, chunk in zip(note.chunk_ids, note.chunks, strict=True):
            if chunk_id in asked:
                columns[chunk_id] = chunk[IN_ORDER]
    ids = sorted(columns)
    ordinals = scorer.chunks.ordinals_of(np.array(ids, np.int64))
    norms = scorer.chunks.length_norms.take(ordinals)
    weights, scores = astuple(CHUNK_WEIGHTS)[IN_ORDER], np.zeros(len(ids))
    texts = [columns[chunk_id] for chunk_id in ids]
    joined = [f" {text}  {section}  {context} " for text, section, context in texts]
    for phrase in wanted:
        terms, padded = phrase.split(" "), f" {phrase} "
        holding: Sequence[int] = range(len(ids))
        for term in terms:
            holding = [at for at in holding if f" {term} " in joined[at]]
        found = [at for at in holding if padded in joined[at]]
        if not found:
            continue
        rarest = min([scorer.chunk_frequency(term) for term in terms])
        places = np.array(found)
        counts = np.array([[occurrences(phrase, column) for column in texts[at]] for at in found])
        frequencies = counts @ np.array(weights)
        of_phrase = idf(rarest * len(found) / len(holding), scorer.chunks.total)
        scores[places] += term_scores(frequencies, norms[places], 1.0) * of_phrase
    return {chunk_id: score for chunk_id, score in zip(ids, scores.tolist(), strict=True) if score}


def _with_all_terms(snapshot: PostingsSnapshot, terms: Sequence[str]) -> DocOrdinals:
    """The documents that hold all of *terms*, ascending; the rarest term is looked at first."""
    ordered = sorted(terms, key=snapshot.frequency)
    if not ordered or not snapshot.frequency(ordered[0]):
        return np.zeros(0, np.intp)
    postings = (snapshot.postings(term)[0] for term in ordered)
    return reduce(lambda held, more: held[np.isin(held, more, assume_unique=True)], postings)


def _frequencies(phrase: str, columns: Sequence[str], in_order: slice) -> list[int]:
    counts = [0] * len(columns)
    counts[in_order] = [occurrences(phrase, column) for column in columns[in_order]]
    return counts


def _by_ordinal(
    snapshot: PostingsSnapshot, ids: Sequence[int], rows: Sequence[Sequence[int]], columns: int
) -> tuple[DocOrdinals, Floats]:
    ordinals = snapshot.ordinals_of(np.array(ids, np.int64))
    frequencies: NDArray[np.float64] = np.array(rows, np.float64).reshape(-1, columns)
    order = np.argsort(ordinals, kind="stable")
    return ordinals[order], frequencies[order]
