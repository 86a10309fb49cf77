"""
What phrases add to the scores of a few chunks, where memory knows which of them hold all of a phrase's terms.

Memory does not know where in a text a term stands, so FTS5 is asked for the phrases that may be there. It goes through
everything that holds one once: its own bm25() would go through all of it twice, to count and to rank.
"""

from collections.abc import Iterable, Mapping, Sequence

import apsw
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.ids import id_list
from quarry.index.lexical import ChunkWeights
from quarry.index.matching import CHUNK_COLUMNS, MAX_TERMS, phrases_expression
from quarry.index.postings.scoring import idf, score
from quarry.index.postings.words import Asked, Words

# Which chunks hold a phrase; how often it stands in a chunk is only asked of those that are to be scored.
_HOLDING = (
    "SELECT rowid, CASE WHEN rowid IN (SELECT value FROM json_each(?)) THEN weighted_count(chunks_fts, ?, ?, ?, ?, ?)"
    " END FROM chunks_fts WHERE chunks_fts MATCH ?"
)


def phrase_scores(
    connection: apsw.Connection,
    words: Words,
    phrases: Sequence[Sequence[str]],
    chunk_ids: Iterable[int],
    deadline: Deadline,
    weights: ChunkWeights,
) -> dict[int, float]:
    """What `lexical.phrase_scores` gives; chunks that hold none of *phrases* are left out."""
    chunks = words.chunks
    ids = np.array(sorted(chunk_ids), np.int64)
    at = chunks.positions_of(ids)
    ids, at = ids[at >= 0], at[at >= 0]
    known = ids.tolist()
    scores: dict[int, float] = {}
    holds: dict[str, NDArray[np.bool_]] = {}
    with deadline.over(connection):
        for phrase in [phrase for phrase in phrases if phrase][:MAX_TERMS]:
            promising = np.ones(len(ids), np.bool_)
            for term in phrase:
                if term not in holds:
                    holds[term] = _holding(words, term, at)
                promising &= holds[term]
            if not promising.any():
                continue
            asked = (id_list(ids[promising]), *astuple(weights), phrases_expression([phrase], CHUNK_COLUMNS))
            counted: Mapping[int, float | None] = dict(select(connection, _HOLDING, asked))
            of_phrase = idf(len(counted), chunks.total)
            for row in np.flatnonzero(promising).tolist():
                if count := counted.get(known[row]):
                    value = score(count, float(chunks.factors[at[row]]), of_phrase)
                    scores[known[row]] = scores.get(known[row], 0.0) + value
    return scores


def _holding(words: Words, term: str, at: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of the chunks *at* these positions hold *term*, in any column."""
    asked = Asked(term)
    if not words.is_plain(asked):
        return words.codes_of(asked).codes.take(at) > 0
    held = words.chunks.postings(term)[0]
    if not len(held):
        return np.zeros(len(at), np.bool_)
    found: NDArray[np.bool_] = held[np.minimum(np.searchsorted(held, at), len(held) - 1)] == at
    return found
