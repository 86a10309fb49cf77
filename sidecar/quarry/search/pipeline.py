"""
The way of a query: parse, prepare, collect candidates, rank, relax where nothing is found, quote.

    search(options, execution)
        parse_request                      the query as a tree of conditions, and its words
        run_with_relaxation
            prepare_query                  terms, vector, scorer, and the notes that the conditions admit
            rank                           candidates and their signals, or a published method
            ranked_notes                   the notes of the page, with their passages and confidence
        SnippetBuilder.hits                their texts, quoted and marked

An answer has further parts that only some requests need, or that it can do without: each is computed beside the way,
and left out where it fails (`Ornament`).
"""

from msgspec.structs import replace

from quarry.conditions import AllOf, Condition, text_patterns
from quarry.errors import BadQuery
from quarry.index import note_of
from quarry.kinds import kind_of
from quarry.messages import message
from quarry.options import PromptOptions, SearchOptions
from quarry.query.parse import describe_query, parse_query
from quarry.query.questions import is_question
from quarry.search.answer import (
    Answer,
    Extract,
    FurtherPassages,
    Hit,
    Relaxed,
    UnmetFilter,
    Weakness,
)
from quarry.search.candidates import collect_candidates
from quarry.search.excerpts import quote_excerpts
from quarry.search.execution import Ornament, SearchExecution
from quarry.search.extraction import SHOWN, extract_answer
from quarry.search.identifiers import prefer_identifier
from quarry.search.missing_words import notes_with_every_word
from quarry.search.prepare import PreparedQuery, can_rank, prepare_query
from quarry.search.ranking import FEW_CHUNKS, MIN_COSINE, SignalRanking, places_on_page, rank_by_signals
from quarry.search.relaxation import relaxations, unmet_filter, with_what_is_shown
from quarry.search.result import Listing, QueryResult, RankedResult, ranked_by_path, sort_page, unranked
from quarry.search.rrf import PublishedRanking, rank_by_rrf, rrf_depth
from quarry.search.sides import compare
from quarry.search.six_signals import rank_by_six_signals
from quarry.search.snippet.matcher import HighlightTerms
from quarry.search.snippets import SnippetBuilder
from quarry.search.weakness import weakness_of
from quarry.types import Query

MOST_KNOWN = 0.9  # share of the letters: of words that no note has, below it all are known by letters: near to nothing


def search(options: SearchOptions, execution: SearchExecution) -> Answer:
    """
    Answer a request.

    Raises:
        BadQuery: The query cannot be read.
    """
    return answer_query(parse_request(options, execution), options, execution)


def answer_query(query: Query, options: SearchOptions, execution: SearchExecution) -> Answer:
    """Answer a request whose *query* was read."""
    result = run_with_relaxation(query, options, execution)
    execution.deadline.check()  # quoting costs as much as ranking, and while typing a newer search has cancelled this
    prepared = result.prepared if isinstance(result, RankedResult) else None
    hits, truncated = _snippet_builder(result, execution).hits(result.shown, options, prepared)
    if isinstance(result, Listing):
        return Answer(
            hits=hits,
            total=result.total,
            retrievers=(),
            missing=execution.missing if can_rank(query) else {},
            truncated=truncated,
            understood=describe_query(query),
            clauses=query.clauses,
            unmet=_unmet(result, query, options, execution),
            listed=True,
            reachable=result.total,
            sort="modified" if options.sort == "relevance" else options.sort,
        )
    compared, unknown_side = frozenset[str](), ""
    if isinstance(options, PromptOptions) and options.width:
        with Ornament("excerpts"):
            least, subjects = options.least_confidence, result.prepared.subjects
            sides: list[Hit] = []
            if subjects and not (query.clauses or query.phrases):
                sides, unknown_side = compare(subjects, options, execution, search)
            compared = frozenset([side.path for side in sides])
            every = [*sides, *[hit for hit in hits if hit.path not in compared]]
            for at in [at for at, hit in enumerate(every) if hit.confidence >= least and hit.path not in compared]:
                every[at] = quote_excerpts(every[at], result.prepared, execution, options.width)
            hits = tuple(every)
    total = count_notes(result, options, execution)
    weakness: Weakness | None = None
    with Ornament("weakness"):
        weakness = _weakness(result, execution, total)
    is_gibberish = weakness == "no-words" and result.prepared.known_share < MOST_KNOWN
    extract: Extract | None = None
    with Ornament("extract"):
        extract = _extract(result, options, execution) if options.extract else None
    return Answer(
        hits=() if is_gibberish else hits,
        total=total,
        retrievers=execution.retrievers,
        missing=execution.missing,
        truncated=truncated,
        understood=describe_query(query, execution.retrievers),
        is_question=is_question(options.query),
        clauses=query.clauses,
        corrections=result.prepared.corrections,
        unknown_words=_unknown_words(result, execution),
        relaxed=result.relaxed,
        unmet=_unmet(result, query, options, execution),
        weakness=weakness,
        extract=extract,
        compared=compared,
        unknown_side=unknown_side,
        reachable=0 if is_gibberish else result.reachable,
        sort="relevance" if result.matching is None else options.sort,
    )


def further_passages(path: str, options: SearchOptions, execution: SearchExecution) -> FurtherPassages:
    """
    Quote the passages that the hit at *path* has behind its best one; none where the request does not find the note.

    Raises:
        BadQuery: As for `search`.
    """
    query = parse_request(options, execution)
    note = execution.reader.note_named(path)
    result = run_with_relaxation(query, options, execution)
    hit = next((shown for shown in result.shown if note and shown.path == note.path), None)
    if hit is None and note and isinstance(result, RankedResult):  # on another page
        admitted = result.prepared.admitted
        if admitted is None or note.note_id in admitted:
            ranked = ranked_by_path([note.note_id], result, execution).get(note.path)
            hit = ranked if ranked and ranked.retrievers else None
    if hit is None:
        return FurtherPassages((), truncated=False)
    return _snippet_builder(result, execution).further_passages(hit, options)


def parse_request(options: SearchOptions, execution: SearchExecution) -> Query:
    """
    Parse the query of a request.

    Raises:
        BadQuery: It cannot be read, or it was typed to the end and has nothing to search for, such as `tag:`.
    """
    query = _parse(options, execution, reads_times=options.reads_times)
    if any(clause.kind == "time" for clause in query.clauses) and execution.reader.is_name(options.query.strip()):
        query = _parse(options, execution, reads_times=False)
    query = _of_file_name(query, options, execution)
    is_whole = bool(options.query.strip()) and not options.typing
    if is_whole and not (query.text or query.phrases or query.condition != AllOf()):
        raise BadQuery(message("query.without-words"), len(options.query.rstrip()))
    return query


def _of_file_name(query: Query, options: SearchOptions, execution: SearchExecution) -> Query:
    """*query*, or that for the bare name if it is the name or path of a file: no note contains `Raft.md` as words."""
    name = options.query.strip()
    if query.clauses or kind_of(name) is None:
        return query
    stem = name.rpartition("/")[2].rpartition(".")[0]
    if not execution.reader.is_name(name):
        stem = " ".join(
            stem.replace("_", "-").split("-")
        )  # `rotate-ssh-keys.md`, as a title becomes part of an address
        if not execution.reader.is_name(stem):
            return query
    bare = _parse(replace(options, query=stem), execution, reads_times=False)
    return query if bare.clauses or not bare.words else bare


def _parse(options: SearchOptions, execution: SearchExecution, *, reads_times: bool) -> Query:
    return parse_query(options.query, options.filters, now=execution.now, reads_times=reads_times)


def run_with_relaxation(query: Query, options: SearchOptions, execution: SearchExecution) -> QueryResult:
    """Run *query*; if it finds nothing, run the first relaxed query that finds something."""
    times = [message("word.quoted", text=clause.name) for clause in query.clauses if clause.kind == "time"]
    first: QueryResult
    if can_rank(query):
        first = _run(query, options, execution)
        found = first.has_answer
    else:
        first = _list_newest(query.condition, options, execution)
        found = first.total > 0
    if times and not found and not options.strict:
        said = message("relaxed.filters", filters=times), message("relaxed.as-words")
        words = _parse(options, execution, reads_times=False)
        result = _run(words, options, execution, Relaxed("as-words", said))
        if result.has_answer:
            return result
    if found or isinstance(first, Listing):
        return first
    if not query.words:  # no retriever ranks by the phrases; the notes that contain them are listed
        listing = _list_newest(query.condition, options, execution)
        if listing.total:
            return listing
    for relaxed, easier in () if options.strict else relaxations(query, typing=options.typing):
        result = _run(easier, options, execution, relaxed)
        if result.has_answer:
            by_words = [note for note in result.shown if "keyword" in note.retrievers]
            dense_only = result.ranking.dense_only_notes
            has_words = bool(by_words) or (result.is_later_page and len(dense_only) < len(result.ranking.note_ids))
            return replace(result, relaxed=with_what_is_shown(relaxed, has_words=has_words))
    return first


def count_notes(result: RankedResult, options: SearchOptions, execution: SearchExecution) -> int:
    """
    Count the notes that contain every word of the query, or one of its alternatives.

    Sorted notes are counted as they are. By meaning alone, every note that is near counts. For a prompt nothing is
    counted: 0.
    """
    if result.matching is not None:
        return len(result.matching)
    prepared, ranked = result.prepared, len(result.ranking.note_ids)
    if prepared.admitted is not None and (result.lists_unranked or result.is_quoted):
        return len(prepared.admitted)
    if isinstance(options, PromptOptions):
        return 0
    if not execution.has_keyword:
        return ranked
    if not prepared.words_used or prepared.keyword_query.name_prefix or "OR" in options.query.split():
        return max(ranked - len(result.ranking.dense_only_notes), prepared.scorer.count_notes(prepared.admitted))
    everywhere = execution.reader.every_note() if prepared.admitted is None else prepared.admitted
    return len(notes_with_every_word(prepared, everywhere, execution))


# --- steps -------------------------------------------------------------------------------------


def _run(
    query: Query, options: SearchOptions, execution: SearchExecution, relaxed: Relaxed | None = None
) -> RankedResult:
    step = relaxed.step if relaxed else None
    prepared = prepare_query(
        query,
        execution,
        typing=options.typing or relaxed is not None,
        paused=options.paused or not options.typing,
        corrects=step != "any-passage",  # a quoted word is meant as it is written
        in_one_note=len(options.filters.notes) == 1,
    )
    # Every chunk is somewhere near in meaning, so that nearness is no match: by meaning alone, any number may match.
    matching = FEW_CHUNKS
    if options.expand_small_results and execution.has_keyword:
        matching = prepared.scorer.count_chunks(prepared.admitted, FEW_CHUNKS)
    ranking = _rank(prepared, options, execution, matching, min_cosine=-1.0 if step == "meaning" else MIN_COSINE)
    dense_only = frozenset(ranking.dense_only_notes)
    page = places_on_page(ranking.note_ids, dense_only, options.limit, options.offset, matching)
    result = RankedResult(query, prepared, ranking, page, relaxed=relaxed, is_later_page=options.offset > 0)
    if options.sort != "relevance":
        result = sort_page(result, options, execution)
        if result.matching is not None:
            return result
    result = replace(result, shown=ranking.ranked_notes(page, execution))
    return _with_unranked(result, options, execution) if result.lists_unranked else result


def _rank(
    prepared: PreparedQuery, options: SearchOptions, execution: SearchExecution, matching: int, min_cosine: float
) -> SignalRanking | PublishedRanking:
    if execution.fusion == "rrf":
        depth = rrf_depth(
            options.offset + options.limit,
            prepared,
            execution,
            matching,
            expand_small_results=options.expand_small_results,
        )
        return rank_by_rrf(prepared, depth, execution)
    if execution.fusion == "six-signals":
        return rank_by_six_signals(prepared, options.limit, execution)
    features = prefer_identifier(prepared, collect_candidates(prepared, execution), execution)
    return rank_by_signals(prepared, features, execution, min_cosine=min_cosine)


def _list_newest(condition: Condition, options: SearchOptions, execution: SearchExecution) -> Listing:
    newest = execution.reader.browse(
        condition, options.limit, deadline=execution.deadline, order=options.sort, offset=options.offset
    )
    shown = tuple([unranked(one.path, one.chunk_id, one.score) for one in newest.ranking])
    return Listing(shown, newest.total, text_patterns(condition))


def _with_unranked(result: RankedResult, options: SearchOptions, execution: SearchExecution) -> RankedResult:
    """*result* with the newest of the notes that it admits and does not rank, as far as there is room for them."""
    room = options.limit - len(result.shown)
    if room <= 0:
        return result
    ranked = set(result.ranking.note_ids)
    before = max(0, options.offset - len(ranked))  # that earlier pages showed
    depth = before + room + len(ranked)
    newest = execution.reader.browse(result.query.condition, depth, deadline=execution.deadline)
    others = [unranked(one.path, one.chunk_id) for one in newest.ranking if note_of(one.chunk_id) not in ranked]
    return replace(result, shown=(*result.shown, *others[before : before + room]))


# --- beside the way ------------------------------------------------------------------------------


def _snippet_builder(result: QueryResult, execution: SearchExecution) -> SnippetBuilder:
    if isinstance(result, Listing):
        return SnippetBuilder(execution, HighlightTerms({}, patterns=result.patterns), None)
    return SnippetBuilder(execution, result.prepared.highlight_terms, result.prepared.vector)


def _unknown_words(result: RankedResult, execution: SearchExecution) -> tuple[str, ...]:
    """Words that no note contains; none where hits contain no other word either: the weakness covers that."""
    has_words = any("keyword" in note.retrievers for note in result.shown)
    unknown = result.prepared.unknown_words
    return unknown if unknown and has_words and execution.has_keyword and execution.is_complete() else ()


def _unmet(result: QueryResult, query: Query, options: SearchOptions, execution: SearchExecution) -> UnmetFilter | None:
    """The filter because of which nothing was found, if it was one."""
    is_found = result.total > 0 if isinstance(result, Listing) else result.has_answer
    if is_found or not query.clauses:
        return None
    with Ornament("unmet"):
        return unmet_filter(query, options, execution)
    return None


def _weakness(result: RankedResult, execution: SearchExecution, total: int) -> Weakness | None:
    """Why the hits are weak, if they are."""
    if result.lists_unranked or result.is_quoted or result.matching is not None:
        return None
    if result.prepared.keyword_query.name_prefix:  # the word is not typed yet
        return None
    shown = result.shown
    if result.is_later_page:
        shown = result.ranking.ranked_notes(range(len(result.ranking.note_ids))[:1], execution)
    return weakness_of(shown[0], result.ranking, execution, total) if shown else None


def _extract(result: RankedResult, options: SearchOptions, execution: SearchExecution) -> Extract | None:
    """The sentence of the first hit that answers the question, if it is likely enough to."""
    if not result.shown or result.relaxed is not None or result.is_later_page or result.matching is not None:
        return None  # the first that is shown is not the best
    extract = extract_answer(options.query, result.shown[0], result.prepared, execution)
    return extract if extract is not None and extract.confidence >= SHOWN else None
