"""A request that is no query, asked in each of its readings (`query/readings.py`)."""

from msgspec.structs import replace

from quarry.options import SearchOptions
from quarry.query.parse import parse_query
from quarry.query.readings import readings
from quarry.search.answer import Answer
from quarry.search.confidence import CONFIDENCE_DIGITS
from quarry.search.execution import SearchExecution
from quarry.search.pipeline import search

FURTHER_HITS = 5  # of each reading after the first


def search_request(earlier: str, options: SearchOptions, execution: SearchExecution) -> Answer:
    """
    Answer a request: each note as the reading that it answers best finds it, most confident first.

    A query that is more than words has one reading. Where a request asks about nothing, there are no hits.

    Args:
        earlier: Words of the requests before it, which it may depend on.

    Raises:
        BadQuery: The query cannot be read.
    """
    parsed = parse_query(options.query, now=execution.now)
    if parsed.clauses or not parsed.words:
        return search(options, execution)
    queries, follow_up = readings(options.query, earlier, execution.reader.languages)
    if not queries:
        return Answer(hits=(), total=0, retrievers=execution.retrievers, missing=execution.missing, truncated=False)
    whole, *parts = queries
    first = search(replace(options, query=whole), execution)
    if not parts and not follow_up:
        return first
    best = {hit.path: hit for hit in first.hits}
    further = replace(options, limit=min(options.limit, FURTHER_HITS))
    for query in (*parts, *filter(None, [follow_up])):
        share = queries.get(query, 1.0)
        answer = search(replace(further, query=query), execution)
        for hit in answer.hits if answer.relaxed is None else ():
            known = best.get(hit.path)
            confidence = round(hit.confidence * share, CONFIDENCE_DIGITS)
            if confidence > known.confidence if known else query is not follow_up:
                best[hit.path] = replace(hit, confidence=confidence)
    return replace(first, hits=tuple(sorted(best.values(), key=lambda hit: -hit.confidence)))
