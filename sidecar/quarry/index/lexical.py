"""
The keyword leg: FTS5 ranks by BM25 what a query admits.

FTS5 cannot see into scripts written without spaces, nor emoji. Words and phrases of that kind are looked for as they
are written, and the chunks that hold most of them follow after those that FTS5 ranks.
"""

from collections.abc import Sequence

import apsw

from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.folding import fold_case
from quarry.index.matching import literal_words, ranking_expression
from quarry.index.scope import Condition, Restriction
from quarry.index.ties import Scored, cut, fetch_past_ties
from quarry.types import Candidate, Query, Ranking

# bm25() takes the weights of text, section and context: 1.0, 0.5, 0.3 as published. It gives negative numbers, lower is
# better; `ORDER BY bm25()` is twice as fast as `ORDER BY rank`.
_BEST = "SELECT rowid, -bm25(chunks_fts, 1.0, 0.5, 0.3) FROM chunks_fts WHERE chunks_fts MATCH ? AND "
_FIRST = " ORDER BY bm25(chunks_fts, 1.0, 0.5, 0.3) LIMIT ?"
_MATCHING = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? AND "
_HOLDING = "SELECT c.id, count_held(?, c.text, c.section, c.context) AS held FROM chunks c WHERE held > 0 AND "
_MOST = " ORDER BY held DESC LIMIT ?"
LITERAL_SCORE = 1e-9  # for each word held: below the least that FTS5 gives, 1e-6


def rank(
    connection: apsw.Connection, query: Query, restriction: Restriction, depth: int, deadline: Deadline
) -> Ranking:
    """The best *depth* chunks for the words and phrases of *query* among those that *restriction* admits."""
    if depth < 1:
        return ()
    with deadline.over(connection):
        ranked = _by_bm25(connection, query, restriction, depth)
        literal = literal_words(query)
        if literal and len(ranked) < depth:
            seen = {chunk_id for chunk_id, _ in ranked}
            held = _by_count(connection, literal, restriction, depth + len(seen))
            ranked = [*ranked, *(row for row in held if row[0] not in seen)]
        return cut(_name(connection, ranked), depth)


def count(connection: apsw.Connection, query: Query, restriction: Restriction, limit: int) -> int:
    """How many chunks `rank` would rank, counted no further than *limit*."""
    found: set[int] = set()
    if expression := ranking_expression(query):
        matching = restriction.on("+chunks_fts.rowid").within(_MATCHING, " LIMIT ?")
        found.update(row[0] for row in select(connection, matching.sql, (expression, *matching.bindings, limit)))
    literal = literal_words(query)
    if literal and len(found) < limit:
        found.update(chunk_id for chunk_id, _ in _by_count(connection, literal, restriction, limit))
    return min(len(found), limit)


def _by_bm25(connection: apsw.Connection, query: Query, restriction: Restriction, depth: int) -> Sequence[Scored]:
    expression = ranking_expression(query)
    if expression is None:
        return []
    best = restriction.on("+chunks_fts.rowid").within(_BEST, _FIRST)

    def fetch(limit: int) -> Sequence[Scored]:
        return select(connection, best.sql, (expression, *best.bindings, limit))

    return fetch_past_ties(fetch, depth)


def _by_count(
    connection: apsw.Connection, literal: Sequence[str], restriction: Restriction, depth: int
) -> Sequence[Scored]:
    """Chunks by how many of the *literal* words they hold."""
    holding: Condition = restriction.on("c.id").within(_HOLDING, _MOST)
    words = "\n".join(map(fold_case, literal))

    def fetch(limit: int) -> Sequence[Scored]:
        rows = select(connection, holding.sql, (words, *holding.bindings, limit))
        return [(chunk_id, held * LITERAL_SCORE) for chunk_id, held in rows]

    return fetch_past_ties(fetch, depth)


def _name(connection: apsw.Connection, scored: Sequence[Scored]) -> list[Candidate]:
    sql = "SELECT n.path, c.number FROM chunks c JOIN notes n ON n.id = c.note_id WHERE c.id = ?"
    return [
        Candidate(chunk_id, path, number, score)
        for chunk_id, score in scored
        for path, number in select(connection, sql, (chunk_id,))
    ]
