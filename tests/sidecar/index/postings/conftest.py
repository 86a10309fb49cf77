"""A plain reckoning of BM25 over fields of terms, to compare with."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from quarry.index import Reader
from quarry.index.keys import id_range
from quarry.index.postings.fields import NoteTerms, note_terms

Fields = Mapping[int, Sequence[str]]
Wanted = Callable[[str], int]
"""How often a term or a phrase stands in a field."""


def _bm25(fields: Fields, weights: Sequence[float], wanted: Sequence[Wanted]) -> dict[int, float]:
    """Id -> score of every document with a score: BM25 as FTS5's documentation writes it down."""
    lengths = {i: sum(len(field.split()) for field in of) for i, of in fields.items()}
    average = sum(lengths.values()) / len(lengths) if lengths else 0.0
    scores: dict[int, float] = Counter()
    for count in wanted:
        counts = {
            i: [count(field) if w else 0 for w, field in zip(weights, of, strict=True)] for i, of in fields.items()
        }
        found = {i: f for i, of in counts.items() if (f := sum(w * c for w, c in zip(weights, of, strict=True)))}
        idf = math.log((len(fields) - len(found) + 0.5) / (len(found) + 0.5))
        for i, f in found.items():
            score = f * 2.2 / (f + 1.2 * (0.25 + 0.75 * lengths[i] / average))
            scores[i] += (idf if idf > 0 else 1e-6) * score
    return dict(scores)


@pytest.fixture(scope="session")
def bm25() -> Callable[..., dict[int, float]]:
    return _bm25


def _analysed(reader: Reader) -> Iterator[tuple[int, Sequence[int], NoteTerms]]:
    """Id, ids of chunks and terms of every note, by analysing it anew."""
    ids = {path: note_id for note_id, path in reader._db.execute("SELECT id, path FROM notes")}
    for path, note_id in ids.items():
        stored = reader.note(path)
        assert stored is not None
        yield note_id, stored.chunk_ids, note_terms(stored.note)


@pytest.fixture(scope="session")
def chunk_fields() -> Callable[[Reader], Fields]:
    """The fields of every chunk."""
    return lambda reader: {
        chunk_id: fields
        for _, chunk_ids, terms in _analysed(reader)
        for chunk_id, fields in zip(chunk_ids, terms.chunks, strict=True)
    }


@pytest.fixture(scope="session")
def note_fields() -> Callable[[Reader], Fields]:
    """The fields of every note: those of its names, then the text of each of its chunks, their compounds and parts."""

    def fields_of(terms: NoteTerms) -> Sequence[str]:
        texts, _, _, compounds, parts = zip(*terms.chunks, strict=True) if terms.chunks else [()] * 5
        return (*terms.names, "\n".join(texts), " ".join(compounds), " ".join(parts))

    return lambda reader: {note_id: fields_of(terms) for note_id, _, terms in _analysed(reader)}


@pytest.fixture(scope="session")
def in_memory() -> Callable[[Reader], bool]:
    """Whether postings in memory answer for a reader; otherwise FTS5 and the forward index do."""
    return lambda reader: reader.keywords.has_postings


@pytest.fixture(scope="session")
def chunk_ids() -> Callable[..., list[int]]:
    """The ids of all chunks, or of those of one note in its order."""

    def read(reader: Reader, note_id: int | None = None) -> list[int]:
        first, last = (0, 1 << 62) if note_id is None else id_range(note_id)
        sql = "SELECT id FROM chunk_rows WHERE id BETWEEN ? AND ? ORDER BY id >> 11, number"
        return [row[0] for row in reader._db.execute(sql, (first, last))]

    return read
