"""
Which query is answered in the end, and by what?

The one that was typed; where nothing answers it, the first easier one that something does (`relaxing.py`). A search
shows what was found here, an explanation says why a note is among it or not.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quarry.conditions import Condition
from quarry.index import Deadline, Reader
from quarry.ranking.grouping import Group, group_by_note
from quarry.search.answer import Relaxed, Step
from quarry.search.context import SearchContext
from quarry.search.prepare import PreparedQuery, prepare_query
from quarry.search.ranking import MIN_COSINE, NoteRanking, rank
from quarry.search.relaxation import relaxations
from quarry.search.snippets import Found
from quarry.types import Fused, Fusion, Query, Retriever, SearchRequest


class Listing(Struct, frozen=True):
    """Notes that satisfy the conditions of a query, the newest first, where there is nothing to rank by."""

    found: tuple[Found, ...]
    total: int


class QueryResult(Struct, frozen=True):
    """A query that was asked, and what came of it."""

    query: Query
    prepared: PreparedQuery
    ranked: NoteRanking
    found: tuple[Found, ...]  # what is to be shown
    relaxed: Relaxed | None = None  # what was given up for it
    listing: Listing | None = None  # what is shown instead, as nothing can be ranked

    @property
    def has_answer(self) -> bool:
        """Whether there is a passage to show."""
        return any(one.group.chunks for one in self.found)


class QueryExecution(Struct, frozen=True):
    """All that is needed to ask one query after the other."""

    request: SearchRequest
    context: SearchContext
    weights: Mapping[Retriever, float]
    fusion: Fusion
    deadline: Deadline

    def run_with_relaxation(self, query: Query) -> QueryResult:
        """What answers *query*, or else the first easier query that has an answer, or else nothing to *query*."""
        first = self._run(query)
        if first.has_answer:
            return first
        if not query.words:  # phrases that are there, but no retriever is to rank by them: what has them is listed
            listing = self.listing(query.condition)
            if listing.found:
                return replace(first, listing=listing)
        for relaxed, easier in relaxations(query, self.request.scope, typing=self.request.typing):
            result = self._run(easier, relaxed)
            if result.has_answer:
                return result
        return first

    def listing(self, condition: Condition) -> Listing:
        """The newest notes that *condition* admits."""
        newest = self.context.reader.browse(condition, self.request.limit, deadline=self.deadline)
        fused = [Fused(c.chunk_id, c.path, c.number, c.score, None, None, None, None) for c in newest.ranking]
        found = tuple(Found(group, group.score, frozenset(), {}) for group in group_by_note(fused))
        return Listing(found, newest.total)

    def _run(self, query: Query, relaxed: Relaxed | None = None) -> QueryResult:
        context, step = self.context, relaxed.step if relaxed else None
        retrievers = context.available(self.request.mode)
        prepared = prepare_query(
            query,
            context.reader,
            context.encoder if "dense" in retrievers else None,
            typing=self.request.typing or relaxed is not None,
            deadline=self.deadline,
            corrects=step != "any-passage",  # who quotes a word means it as it is written
        )
        ranked = rank(
            prepared,
            self.request,
            context.reader,
            retrievers,
            self.weights,
            self.fusion,
            self.deadline,
            min_cosine=_min_cosine(step),
        )
        found = tuple(
            Found(Group(one.path, ranked.passages_of(one)), one.score, one.retrievers, one.shares)
            for one in ranked.best
        )
        return QueryResult(query, prepared, ranked, found, relaxed)


def count(result: QueryResult, reader: Reader, retrievers: Sequence[Retriever], deadline: Deadline) -> int:
    """The notes that hold a word of the query, and those that were found by their meaning alone."""
    prepared, ranked = result.prepared, result.ranked
    by_word = len(ranked.note_ids) - len(ranked.dense_only_notes)
    if "lexical" not in retrievers:
        return len(ranked.note_ids)
    holding = reader.count_notes(prepared.lexical, prepared.admitted)
    if ranked.is_dense_only_certain or not ranked.dense_only_notes or holding <= by_word:
        return max(holding, by_word) + len(ranked.dense_only_notes)
    # some of these hold a word, too, but were not proposed for it
    return (
        holding
        + len(ranked.dense_only_notes)
        - len(reader.note_scores(prepared.lexical, ranked.dense_only_notes, deadline=deadline))
    )


def _min_cosine(step: Step | None) -> float:
    return -1.0 if step == "meaning" else MIN_COSINE
