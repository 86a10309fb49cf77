"""Builders for these tests: notes of a line each, vectors from a hash of their words, and a real index on disk."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import apsw
import numpy as np
import pytest
from builders import top_chunks

from quarry.conditions import Condition
from quarry.index import Deadline, Index, KeywordQuery, NoteIds, Reader, prepare, quantize
from quarry.index.database import select
from quarry.index.memory import SnapshotData
from quarry.index.note_rows import ContentReader
from quarry.index.postings.cache import FEW_NOTES
from quarry.index.postings.query import KeywordSearcher
from quarry.index.postings.spelling import SpellingIndex
from quarry.index.postings.stored_snapshot import TermReader
from quarry.index.reader_pool import connect_ours
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.quantize import FloatMatrix, FloatVector
from quarry.types import Chunk, FileStamp, Note, Ranking

DIM = 32

Place = tuple[str, int]  # path and chunk number
MakeNote = Callable[..., Note]
Encode = Callable[[Sequence[str]], FloatMatrix]


def _encode(texts: Sequence[str]) -> FloatMatrix:
    """Unit rows; texts that share words are near each other, a text without words is zero."""
    rows = np.zeros((len(texts), DIM), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
            row += np.random.default_rng(seed).normal(size=DIM).astype(np.float32)
        if row.any():
            row /= np.linalg.norm(row)
    return rows


def _make_note(path: str, *texts: str, heading: str = "", context: str | None = None, **fields: object) -> Note:
    title = str(fields.pop("title", path.rpartition("/")[2].removesuffix(".md")))
    chunks, start = [], 0
    for number, text in enumerate(texts):
        headings = (heading,) if heading else ()
        end = start + len(text)
        chunks.append(Chunk(number, headings, text, start, end, start, number, title if context is None else context))
        start = end
    empty = {"aliases": (), "tags": (), "properties": {}, "links": ()}
    return Note(path=path, title=title, chunks=tuple(chunks), **{**empty, **fields})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def encode() -> Encode:
    return _encode


@pytest.fixture(scope="session")
def make_note() -> MakeNote:
    return _make_note


@pytest.fixture(scope="session")
def stamp() -> Callable[..., FileStamp]:
    def make(seconds: int = 1, size_bytes: int = 1) -> FileStamp:
        return FileStamp(size_bytes, seconds * 1_000_000_000, hashlib.sha256(str(seconds).encode()).digest())

    return make


@pytest.fixture(scope="session")
def ask() -> Callable[..., KeywordQuery]:
    def make(text: str = "", *phrases: str, prefix: str | None = None) -> KeywordQuery:
        return KeywordQuery.of(text.split(), phrases, prefix)

    return make


@pytest.fixture
def vector_limits() -> VectorLimits | None:
    """Limits of `index`, for a test to override; None: the defaults."""
    return None


@pytest.fixture
def few_notes() -> int:
    """How many changed notes a search of `index` reads by itself, for a test to override."""
    return FEW_NOTES


@pytest.fixture
def index(tmp_path: Path, vector_limits: VectorLimits | None, few_notes: int) -> Iterator[Index]:
    opened = Index.open(tmp_path / "index.db", vector_limits=vector_limits, few_notes=few_notes)
    yield opened
    opened.close()


@pytest.fixture
def snapshot(index: Index, tmp_path: Path) -> Callable[[], AbstractContextManager[apsw.Connection]]:
    """A connection of its own that reads `index` as it is when the block begins."""

    @contextmanager
    def read() -> Iterator[apsw.Connection]:
        connection, _ = connect_ours(tmp_path / "index.db", writable=False, without=frozenset())
        with connection:
            select(connection, "SELECT 1 FROM meta LIMIT 1")  # only a read takes the snapshot
            yield connection
        connection.close()

    return read


@pytest.fixture(scope="session")
def store(encode: Encode, stamp: Callable[..., FileStamp]) -> Callable[..., None]:
    """Upsert a note with the vectors of its texts and its title."""

    def upsert(index: Index, note: Note, seconds: int = 1, old_path: str | None = None) -> None:
        *vectors, title = quantize(encode([*(chunk.text for chunk in note.chunks), note.title]))
        index.upsert(prepare(note, stamp(seconds), vectors, title), old_path=old_path)

    return upsert


@pytest.fixture
def put(index: Index, store: Callable[..., None], make_note: MakeNote) -> Callable[..., Note]:
    """Store a note of these texts in `index`."""

    def upsert(path: str, *texts: str, seconds: int = 1, **fields: object) -> Note:
        note = make_note(path, *texts, **fields)
        store(index, note, seconds)
        return note

    return upsert


@pytest.fixture(scope="session")
def in_time() -> Deadline:
    return Deadline.after(3600)


@pytest.fixture(scope="session")
def admit(in_time: Deadline) -> Callable[[Reader, Condition | None], NoteIds | None]:
    """The notes that a condition admits; None without one."""

    def ask(reader: Reader, condition: Condition | None) -> NoteIds | None:
        return None if condition is None else reader.matching_notes(condition, deadline=in_time)

    return ask


@pytest.fixture
def lexical(
    index: Index, ask: Callable[..., KeywordQuery], admit: Callable[..., NoteIds | None]
) -> Callable[..., list[Place]]:
    """Search by keyword in `index`; gives (path, chunk number)."""

    def search(
        text: str = "", depth: int = 30, *, phrases: Sequence[str] = (), where: Condition | None = None
    ) -> list[Place]:
        with index.reader() as reader:
            return _places(top_chunks(reader, ask(text, *phrases), admit(reader, where), depth))

    return search


@pytest.fixture(scope="session")
def by_fts5() -> Callable[[Index], AbstractContextManager[KeywordSearcher]]:
    """The newest moment of an index as FTS5 and the forward index answer for it, whatever is in memory."""

    @contextmanager
    def search(index: Index) -> Iterator[KeywordSearcher]:
        connection, _ = connect_ours(index.path, writable=False, without=frozenset())
        try:
            connection.execute("BEGIN")
            postings, notes = TermReader(connection), ContentReader(connection)
            yield KeywordSearcher(connection, postings, SpellingIndex(), SnapshotData(), notes)
        finally:
            connection.close()

    return search


@pytest.fixture
def dense(
    index: Index, admit: Callable[..., NoteIds | None], encode: Encode, in_time: Deadline
) -> Callable[..., list[Place]]:
    """Search by meaning in `index`; gives (path, chunk number)."""

    def search(text: str, depth: int = 30, *, where: Condition | None = None) -> list[Place]:
        vector: FloatVector = encode([text])[0]
        with index.reader() as reader:
            return _places(reader.dense(vector, admit(reader, where), depth, deadline=in_time))

    return search


def _places(ranking: Ranking) -> list[Place]:
    return [(candidate.path, candidate.number) for candidate in ranking]
