"""A reader of the candidates of a query alone answers as the reader of the whole index does."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from quarry.engine import Engine
from quarry.errors import IndexDamaged
from quarry.index import CHUNK_WEIGHTS, KeywordQuery, NoteIds, PreparedNote, Reader
from quarry.index.database import NO_DEADLINE, select
from quarry.index.keys import id_range, notes_of
from quarry.index.note_rows import note_rows
from quarry.index.partial_reader import partial_reader
from quarry.index.postings.collection_statistics import CollectionStatistics, Frequencies
from quarry.index.postings.fields import QueryTerm
from quarry.index.postings.query import _standing_in
from quarry.index.postings.scorer import TermScorer
from quarry.index.postings.spelling import TermsByLength
from quarry.options import Fusion, SearchOptions
from quarry.search import Answer, SearchExecution, search
from quarry.search.candidates import FIELD_WEIGHTS, NAME_POOL, POOL
from quarry.search.pipeline import parse_request
from quarry.search.prepare import prepare_query

QUERIES = [
    line.split("\t")[1]
    for line in (Path(__file__).parents[2] / "retrieval" / "queries.tsv").read_text("utf-8").splitlines()[1::4]
]


def stored(reader: Reader, note_ids: NoteIds) -> list[tuple[int, PreparedNote]]:
    """The notes in their stored form, each with its id."""
    rows, found = note_rows(reader._db, note_ids.tolist()), []
    for note_id in note_ids.tolist():
        row, ids = rows[note_id], id_range(note_id)
        [about] = select(reader._db, "SELECT name_length, languages, is_map FROM notes WHERE id = ?", (note_id,))
        tags = select(reader._db, "SELECT position, tag, tag_key FROM tags WHERE note_id = ?", (note_id,))
        chunks = select(
            reader._db,
            "SELECT length, note_length, vector FROM chunk_rows LEFT JOIN vectors ON chunk_id = id"
            " WHERE id BETWEEN ? AND ? ORDER BY number",
            ids,
        )
        [[title]] = select(reader._db, "SELECT vector FROM title_vectors WHERE note_id = ?", (note_id,))
        prepared = PreparedNote(
            values=row.values,
            body=row.packed or b"",
            checksum=row.checksum,
            tags=tuple(tags),
            links=(),
            hashes=(),
            vectors=tuple(vector for _, _, vector in chunks),
            title_vector=title,
            lengths=tuple((length, note_length) for length, note_length, _ in chunks),
            name_length=about[0],
            vocabulary="",
            languages=about[1],
            is_map=about[2],
            terms=None,
        )
        found.append((note_id, prepared))
    return found


def statistics(reader: Reader) -> tuple[CollectionStatistics, Callable[[], TermsByLength]]:
    """The statistics of the whole index, and its vocabulary."""
    scorer = reader.keywords._postings
    assert isinstance(scorer, TermScorer)
    in_notes = np.bincount(scorer.note_of_chunk, scorer.chunks.note_lengths, scorer.names.size)

    def read(wanted: Sequence[tuple[str, bool]]) -> dict[tuple[str, bool], Frequencies]:
        found = {}
        for term, is_prefix in wanted:
            named = len(_standing_in(scorer.names, term, (0, 1, 2)))
            holding = scorer.note_bitmap(QueryTerm(term)).count
            found[term, is_prefix] = Frequencies(scorer.chunks.frequency(term), holding, named)
        return found

    whole = CollectionStatistics(
        note_count=scorer.names.total,
        chunk_count=scorer.chunks.total,
        chunk_length=float(scorer.chunks.lengths.mean()),
        note_length=float((in_notes + scorer.names.lengths).mean()),
        languages=reader.languages,
        read=read,
    )
    return whole, lambda: reader._memory.spelling.of_postings(scorer)


def candidates(query: str, execution: SearchExecution) -> NoteIds:
    """The notes that the retrievers propose."""
    options = SearchOptions(query=query)
    prepared = prepare_query(parse_request(options, execution), execution, typing=False)
    chunks = prepared.scorer.top_chunks(None, POOL, FIELD_WEIGHTS)
    notes = prepared.scorer.top_note_ids(None, NAME_POOL, by_name=True) | prepared.scorer.top_note_ids(None, POOL)
    if dense := prepared.dense.ranking:
        chunks += dense.top_chunks(None, POOL, NO_DEADLINE)
        notes |= {note_id for note_id, _ in dense.top_titles(None, POOL)}
    of_chunks = notes_of(np.array([chunk_id for chunk_id, _ in chunks], np.int64))
    return np.array(sorted({*notes, *of_chunks.tolist()}), np.int64)


def what_counts(answer: Answer) -> object:
    return (
        [
            (hit.path, hit.score, hit.confidence, [passage.chunk.chunk_id for passage in hit.passages])
            for hit in answer.hits
        ],
        answer.corrections,
        answer.weakness,
        answer.relaxed,
    )


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
@pytest.mark.parametrize("query", QUERIES)
def test_candidates_alone_are_ranked_as_among_all_notes(sample: Engine, query: str, fusion: Fusion):
    options = SearchOptions(query=query, fusion=fusion)
    with sample.execution(options) as execution:
        whole, vocabulary = statistics(execution.reader)
        chosen = candidates(query, execution)
        expected = search(options, execution)

        with partial_reader(stored(execution.reader, chosen), whole, vocabulary) as reader:
            answer = search(options, replace(execution, reader=reader))

    assert what_counts(answer) == what_counts(expected)


@pytest.mark.parametrize("words", ["bandoneon reeds", "the", "the tuning of a harmonium", "Ölkännchen", "dog 楽器"])
def test_a_few_notes_are_weighed_by_the_whole_collection(sample: Engine, words: str):
    query = KeywordQuery.of(words.split())
    with sample.reader() as reader:
        whole, vocabulary = statistics(reader)
        scorer = reader.keywords.query(query)
        notes = np.array(sorted(scorer.top_note_ids(None, 5)), np.int64)
        chunks = [
            chunk_id for note_id in notes.tolist() for chunk_id, _ in scorer.top_chunks_of(note_id, 5, CHUNK_WEIGHTS)
        ]

        with partial_reader(stored(reader, notes), whole, vocabulary) as few:
            found = few.keywords.query(query)

            assert few.chunk_count == reader.chunk_count
            assert few.keywords.doc_frequencies(query.terms) == reader.keywords.doc_frequencies(query.terms)
            assert found.chunk_scores(chunks, CHUNK_WEIGHTS) == scorer.chunk_scores(chunks, CHUNK_WEIGHTS)
            assert found.note_scores(notes.tolist()) == scorer.note_scores(notes.tolist())


def test_a_damaged_note_is_no_answer(sample: Engine):
    options = SearchOptions(query="bandoneon")
    with sample.execution(options) as execution:
        whole, vocabulary = statistics(execution.reader)
        [(note_id, note)] = stored(execution.reader, candidates("bandoneon", execution)[:1])
        damaged = replace(note, body=note.body[:-1] + bytes([note.body[-1] ^ 1]))

        with (
            pytest.raises(IndexDamaged),
            partial_reader([(note_id, damaged)], whole, vocabulary) as reader,
        ):
            search(options, replace(execution, reader=reader))
