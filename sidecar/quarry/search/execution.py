"""
Runs a query: parse, prepare, rank, relax where nothing is found, quote.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from quarry.conditions import AllOf, Condition, names_property, text_patterns
from quarry.errors import BadQuery
from quarry.index import Deadline, NoteIds, Reader, note_of
from quarry.limits import WEAK_CONFIDENCE
from quarry.messages import Message
from quarry.options import Fusion, Retriever, SearchOptions, scope_of
from quarry.query.parse import parse_query
from quarry.query.told import understand
from quarry.search.answer import Answer, Extract, FurtherPassages, Hit, Relaxed, Weakness
from quarry.search.context import SearchContext, is_asked
from quarry.search.extraction import extract_answer
from quarry.search.features import extract_features
from quarry.search.grouping import FEW_CHUNKS, group_by_note
from quarry.search.missing_words import words_missing
from quarry.search.ornaments import ornament
from quarry.search.prepare import PreparedQuery, can_rank, prepare_query
from quarry.search.ranking import (
    MIN_COSINE,
    NoteRanking,
    RankedNote,
    SignalRanking,
    count_matching_chunks,
    places_on_page,
    rank_by_rrf,
    rank_by_signals,
    rrf_depth,
)
from quarry.search.relaxation import relaxations
from quarry.search.sentence_confidence import SHOWN
from quarry.search.six_signal_ranking import rank_by_six_signals
from quarry.search.snippet.matcher import HighlightTerms
from quarry.search.snippets import SnippetBuilder
from quarry.search.sorting import notes_to_sort, ranked_by_path
from quarry.search.whole_words import prefer_whole_name
from quarry.types import Candidate, Fused, Query


class Listing(Struct, frozen=True):
    """The newest notes, or the first in another order, that a query without anything to rank by admits."""

    shown: tuple[RankedNote, ...]
    total: int
    patterns: tuple[str, ...]  # regular expressions among the conditions, which are marked


class RankedResult(Struct, frozen=True):
    """A query that was run, and the notes that it ranks."""

    query: Query
    prepared: PreparedQuery
    ranking: NoteRanking
    page: Sequence[int]  # the places in the ranking of the notes that are shown
    shown: tuple[RankedNote, ...]
    relaxed: Relaxed | None = None  # what was given up to find them
    matching: NoteIds | None = None  # those that are sorted; None: they stand by relevance
    is_later_page: bool = False

    @property
    def reachable(self) -> int:
        """How many notes the pages hold together."""
        if self.matching is not None:
            return len(self.matching)
        admitted = self.prepared.admitted
        unranked = 0 if admitted is None or not self.lists_unranked else len(admitted)
        return max(len(self.ranking.note_ids), unranked)

    @property
    def lists_unranked(self) -> bool:
        """Whether notes that it admits and does not rank are hits as well: they meet an alternative without words."""
        return self.query.has_filter_alternative and self.relaxed is None

    @property
    def has_answer(self) -> bool:
        """Whether there is a passage to show, on this page or on one before it."""
        return any(note.passages for note in self.shown) or (self.is_later_page and self.reachable > 0)


QueryResult: TypeAlias = RankedResult | Listing


class QueryExecution(Struct, frozen=True):
    """Runs one query after the other for a request."""

    request: SearchOptions
    context: SearchContext
    weights: Mapping[Retriever, float]
    fusion: Fusion
    deadline: Deadline
    now: datetime  # what the age of a note is counted to

    def run_with_relaxation(self, query: Query) -> QueryResult:
        """
        Run *query*; if it finds nothing, run the first relaxed query that finds something.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
        """
        if not can_rank(query):
            return self._list_newest(query.condition)
        first = self._run(query)
        if first.has_answer:
            return first
        if not query.words:  # no retriever ranks by the phrases; the notes that hold them are listed
            listing = self._list_newest(query.condition)
            if listing.total:
                return listing
        for relaxed, easier in relaxations(query, self.request.filters, self._admits_none, typing=self.request.typing):
            result = self._run(easier, relaxed)
            if result.has_answer:
                return result
        return first

    def count_notes(self, result: RankedResult) -> int:
        """
        Count the notes that hold a word of the query, and those that were found by their meaning alone.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
        """
        if result.matching is not None:
            return len(result.matching)
        if result.lists_unranked and result.prepared.admitted is not None:
            return len(result.prepared.admitted)
        dense_only = result.ranking.dense_only_notes
        if "lexical" not in self.context.available(self.request.mode):
            return len(result.ranking.note_ids)
        by_word = len(result.ranking.note_ids) - len(dense_only)
        keywords = self.context.reader.keywords.query(result.prepared.lexical, deadline=self.deadline)
        holding = keywords.count_notes(result.prepared.admitted)
        if isinstance(result.ranking, SignalRanking) or not dense_only or holding <= by_word:
            return max(holding, by_word) + len(dense_only)
        # by ranks, a note counts as found by its meaning alone where its words proposed it too late
        return holding + len(dense_only) - len(keywords.note_scores(dense_only))

    def weakness(self, result: RankedResult) -> Weakness | None:
        """Why what is shown is weak, where it is; a note that holds every word of the query is what was asked for."""
        if result.lists_unranked or result.matching is not None or result.prepared.lexical.name_prefix:
            return None  # with `name_prefix`, the word is not typed yet
        best, shown = result.shown[:1], result.shown
        if result.is_later_page:
            places = range(len(result.ranking.note_ids))[:1]
            best = shown = result.ranking.ranked_notes(places, self.context.reader, self.deadline)
        if not best or best[0].confidence >= WEAK_CONFIDENCE or best[0].words_held == 1:
            return None
        holds_words = any("lexical" in note.retrievers for note in shown)
        has_words = "lexical" in self.context.available(self.request.mode)
        return "unlikely" if holds_words or not has_words or not self.context.is_complete else "no-words"

    def extract(self, result: RankedResult) -> Extract | None:
        """The sentence of the first hit that answers the question, if it was asked for and is likely enough to."""
        encoder = self.context.encoder if "dense" in self.context.available(self.request.mode) else None
        if not self.request.extract or encoder is None or not result.shown or result.relaxed is not None:
            return None
        if result.is_later_page or result.matching is not None:  # the first that is shown is not the best
            return None
        found = extract_answer(
            self.request.query, result.shown[0], result.prepared, self.context.reader, encoder, self.deadline
        )
        return found if found is not None and found.confidence >= SHOWN else None

    def snippet_builder(self, result: QueryResult) -> SnippetBuilder:
        """The builder that quotes the notes of *result*."""
        reader = self.context.reader
        if isinstance(result, Listing):
            return SnippetBuilder(reader, HighlightTerms({}, patterns=result.patterns), None, None, self.deadline)
        encoder = self.context.encoder if "dense" in self.context.available(self.request.mode) else None
        return SnippetBuilder(reader, result.prepared.wanted(), encoder, result.prepared.vector, self.deadline)

    def _admits_none(self, condition: Condition) -> bool:
        admitted = self.context.reader.matching_notes(condition, deadline=self.deadline)
        return admitted is not None and len(admitted) == 0

    def _list_newest(self, condition: Condition) -> Listing:
        request = self.request
        newest = self.context.reader.browse(
            condition, request.limit, deadline=self.deadline, order=request.sort, offset=request.offset
        )
        return Listing(_listed(newest.ranking), newest.total, text_patterns(condition))

    def _with_unranked(self, result: RankedResult) -> RankedResult:
        """*result* with the newest of the notes that it admits and does not rank, as far as there is room for them."""
        room = self.request.limit - len(result.shown)
        if room <= 0:
            return result
        before = max(0, self.request.offset - len(result.ranking.note_ids))  # that earlier pages showed
        depth = before + room + len(result.ranking.note_ids)
        newest = self.context.reader.browse(result.query.condition, depth, deadline=self.deadline)
        ranked = set(result.ranking.note_ids)
        unranked = [candidate for candidate in newest.ranking if note_of(candidate.chunk_id) not in ranked]
        others = [replace(note, score=0.0) for note in _listed(unranked[before : before + room])]
        return replace(result, shown=(*result.shown, *others))

    def ranked_by_path(self, result: RankedResult, note_ids: Sequence[int]) -> Mapping[str, RankedNote]:
        """Path -> what is known of each of these notes as a hit of *result*."""
        reader, retrievers = self.context.reader, self.context.available(self.request.mode)
        return ranked_by_path(
            note_ids, result.prepared, result.ranking, retrievers, self.weights, reader, self.deadline
        )

    def _sorted(self, result: RankedResult) -> RankedResult:
        """The page of *result* in the order that is asked for; *result* itself where no note matches."""
        request, reader, deadline = self.request, self.context.reader, self.deadline
        retrievers = self.context.available(request.mode)
        matching = notes_to_sort(
            result.prepared, result.ranking, retrievers, reader, deadline, lists_unranked=result.lists_unranked
        )
        if not len(matching):
            return result
        page = reader.ordered_notes(matching, request.sort, request.limit, request.offset, deadline=deadline)
        known = self.ranked_by_path(result, [note_id for note_id, _, _ in page])
        shown = tuple([known[path] for _, path, _ in page if path in known])
        return replace(result, shown=shown, matching=matching)

    def _run(self, query: Query, relaxed: Relaxed | None = None) -> RankedResult:
        request, context, deadline = self.request, self.context, self.deadline
        step, reader, retrievers = relaxed.step if relaxed else None, context.reader, context.available(request.mode)
        encoder = context.encoder if "dense" in retrievers else None
        prepared = prepare_query(
            query,
            reader,
            encoder,
            typing=request.typing or relaxed is not None,
            deadline=deadline,
            corrects=context.is_complete and step != "any-passage",  # a quoted word is meant as it is written
            contextual=context.contextual if "dense" in retrievers else None,
            in_one_note=len(request.filters.notes) == 1,
        )
        matching = (
            count_matching_chunks(prepared, retrievers, reader, self.deadline)
            if request.expand_small_results
            else FEW_CHUNKS
        )
        ranking: NoteRanking
        if self.fusion == "rrf":
            depth = rrf_depth(request, retrievers, prepared, reader, matching)
            ranking = rank_by_rrf(
                prepared, reader, retrievers, self.weights, depth, context.rank_fusion, encoder, deadline
            )
        elif self.fusion == "six-signals":
            ranking = rank_by_six_signals(
                prepared, reader, retrievers, self.weights, request.limit, self.now, encoder, deadline
            )
        else:
            features = extract_features(prepared, reader, retrievers, deadline)
            features = prefer_whole_name(prepared, features, reader, deadline)
            least = -1.0 if step == "meaning" else MIN_COSINE
            ranking = rank_by_signals(
                prepared, features, reader, retrievers, self.weights, encoder, deadline, min_cosine=least
            )
        page = places_on_page(ranking, request.limit, request.offset, matching)
        result = RankedResult(query, prepared, ranking, page, (), relaxed, is_later_page=request.offset > 0)
        result = self._sorted(result) if request.sort != "relevance" else result
        if result.matching is not None:
            return result
        result = replace(result, shown=ranking.ranked_notes(page, reader, deadline))
        return self._with_unranked(result) if result.lists_unranked else result


def _listed(newest: Sequence[Candidate]) -> tuple[RankedNote, ...]:
    """The *newest* notes, as they are listed."""
    fused = [Fused(c.chunk_id, c.path, c.number, c.score, None, None, None, None) for c in newest]
    return tuple(
        [RankedNote(path, chunks[0].score, frozenset(), {}, chunks) for path, chunks in group_by_note(fused).items()]
    )


def parse_request(request: SearchOptions, now: datetime) -> Query:
    """
    Parse the query of *request*.

    Raises:
        BadQuery: It cannot be read, or it was typed to the end and holds nothing to search for, such as `tag:`.
    """
    filters = request.filters
    if filters.status_conditions and names_property(parse_query(request.query, now=now).condition, "status"):
        filters = scope_of(filters, ())  # a status in the query overrides the setting
    query = parse_query(request.query, filters, now=now)
    is_whole = bool(request.query.strip()) and not request.typing
    if is_whole and not (query.text or query.phrases or query.condition != AllOf()):
        message = (
            "the query has no word and no complete filter: type a word, "
            'a "phrase" with both quotes, or a filter with its value, such as tag:idea'
        )
        raise BadQuery(message, len(request.query.rstrip()), Message("query-without-words"))
    return query


def search(
    request: SearchOptions,
    context: SearchContext,
    weights: Mapping[Retriever, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> Answer:
    """
    Answer *request*.

    Args:
        weights, fusion: What the vault's settings say, for what the request leaves open.
        now: What "last week" is counted from.

    Raises:
        BadQuery: The query cannot be read.
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    query = parse_request(request, now)
    execution = QueryExecution(request, context, request.weights_or(weights), request.fusion or fusion, deadline, now)
    result = execution.run_with_relaxation(query)
    deadline.check()  # quoting costs as much as ranking, and while typing a newer search has cancelled this one
    hits, truncated = execution.snippet_builder(result).hits(result.shown, request)
    hits = ornament("maps", lambda: _with_maps(hits, context.reader), hits)
    missing = {retriever: why for retriever, why in context.missing.items() if is_asked(retriever, request.mode)}
    if isinstance(result, Listing):
        ranks = can_rank(query)
        understood = understand(query)
        return Answer(
            hits,
            result.total,
            (),
            missing if ranks else {},
            truncated,
            understood,
            listed=True,
            reachable=result.total,
            sort="modified" if request.sort == "relevance" else request.sort,
        )
    retrievers = context.available(request.mode)
    if "lexical" in retrievers:
        hits = ornament("missing words", lambda: _with_missing_words(hits, result, context.reader, deadline), hits)
    return Answer(
        hits=hits,
        total=execution.count_notes(result),
        retrievers=retrievers,
        missing=missing,
        truncated=truncated,
        understood=understand(query, retrievers),
        corrections=result.prepared.corrections,
        unknown_words=_unknown_words(result, retrievers) if context.is_complete else (),
        relaxed=result.relaxed,
        weakness=ornament("weakness", lambda: execution.weakness(result), None),
        extract=ornament("extract", lambda: execution.extract(result), None),
        reachable=result.reachable,
        sort="relevance" if result.matching is None else request.sort,
    )


def _with_maps(hits: tuple[Hit, ...], reader: Reader) -> tuple[Hit, ...]:
    """*hits* with the maps of content that link to them."""
    maps = reader.maps_listing([hit.path for hit in hits])
    return tuple([replace(hit, maps=maps[hit.path]) if hit.path in maps else hit for hit in hits]) if maps else hits


def _with_missing_words(
    hits: tuple[Hit, ...], result: RankedResult, reader: Reader, deadline: Deadline
) -> tuple[Hit, ...]:
    """*hits* with the words of the query that each lacks."""
    note_of_hit = {hit.path: note_of(hit.passages[0].chunk.chunk_id) for hit in hits if hit.passages}
    missing = words_missing(result.prepared, [*note_of_hit.values()], reader, deadline)
    of_path = {path: missing[note_id] for path, note_id in note_of_hit.items() if note_id in missing}
    return tuple([replace(hit, missing_words=of_path[hit.path]) if hit.path in of_path else hit for hit in hits])


def _unknown_words(result: RankedResult, retrievers: Sequence[Retriever]) -> tuple[str, ...]:
    """Words that no note holds; none where hits hold no other word either, which is said of all words together."""
    has_words = any("lexical" in note.retrievers for note in result.shown)
    return result.prepared.unknown_words if has_words and "lexical" in retrievers else ()


def further_passages(
    request: SearchOptions,
    path: str,
    context: SearchContext,
    weights: Mapping[Retriever, float],
    fusion: Fusion,
    deadline: Deadline,
    now: datetime,
) -> FurtherPassages:
    """
    Quote the passages that the hit at *path* has behind its best one; none where *request* does not find the note.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `search`.
    """
    query = parse_request(request, now)
    execution = QueryExecution(request, context, request.weights_or(weights), request.fusion or fusion, deadline, now)
    note = context.reader.note_named(path)
    result = execution.run_with_relaxation(query)
    hit = next((each for each in result.shown if note and each.path == note.path), None)
    if hit is None and note and isinstance(result, RankedResult):  # on another page
        hit = _other_hit(note.note_id, result, execution)
    return (
        execution.snippet_builder(result).further_passages(hit, request)
        if hit
        else FurtherPassages((), truncated=False)
    )


def _other_hit(note_id: int, result: RankedResult, execution: QueryExecution) -> RankedNote | None:
    """The note that *result* finds but does not show, if it does."""
    admitted = result.prepared.admitted
    if admitted is not None and note_id not in admitted:
        return None
    [*found] = execution.ranked_by_path(result, [note_id]).values()
    return found[0] if found and found[0].retrievers else None
