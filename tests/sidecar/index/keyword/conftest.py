"""A plain reckoning of BM25 over columns of terms, to compare with; and a vault whose notes are edited at random."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest

from quarry.index import Reader
from quarry.index.keyword.build_from_database import NoteColumns, read_note

_TOKEN = re.compile("[^\\x00-\\x20\"'\\x7f]+")
Columns = Mapping[int, Sequence[str]]


def _bm25(columns: Columns, weights: Sequence[float], wanted: Sequence[Callable[[str], bool]]) -> dict[int, float]:
    """Id -> score of every document with a score: FTS5's bm25(), written down as its documentation has it."""
    tokens = {i: [_TOKEN.findall(column) for column in of] for i, of in columns.items()}
    field_lengths = {i: sum(map(len, of)) for i, of in tokens.items()}
    average = sum(field_lengths.values()) / len(field_lengths) if field_lengths else 0.0
    scores: dict[int, float] = Counter()
    for is_wanted in wanted:
        counts = {i: [sum(map(is_wanted, column)) for column in of] for i, of in tokens.items()}
        found = {i: f for i, of in counts.items() if (f := sum(w * c for w, c in zip(weights, of, strict=True)))}
        idf = math.log((len(tokens) - len(found) + 0.5) / (len(found) + 0.5))
        for i, f in found.items():
            term_scores = f * 2.2 / (f + 1.2 * (0.25 + 0.75 * field_lengths[i] / average))
            scores[i] += (idf if idf > 0 else 1e-6) * term_scores
    return dict(scores)


@pytest.fixture(scope="session")
def bm25() -> Callable[..., dict[int, float]]:
    return _bm25


@pytest.fixture(scope="session")
def chunk_columns() -> Callable[[Reader], Columns]:
    """The columns of every chunk."""
    return lambda reader: {chunk_id: columns for note in _notes(reader).values() for chunk_id, columns in note.chunks}


@pytest.fixture(scope="session")
def note_columns() -> Callable[[Reader], Columns]:
    """The columns of every note: those of its name, then the texts and compounds of its chunks."""

    def read(reader: Reader) -> Columns:
        return {
            note_id: [*note.names, " ".join(f"{columns[0]} {columns[3]}" for _, columns in note.chunks)]
            for note_id, note in _notes(reader).items()
        }

    return read


def _notes(reader: Reader) -> Mapping[int, NoteColumns]:
    found = {note_id: read_note(reader._db, note_id) for (note_id,) in reader._db.execute("SELECT id FROM notes")}
    return {note_id: note for note_id, note in found.items() if note is not None}
