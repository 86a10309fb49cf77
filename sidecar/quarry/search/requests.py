"""A request that is no query, asked in each of its readings (`query/readings.py`)."""

from msgspec.structs import replace

from quarry.options import SearchOptions
from quarry.query.readings import readings
from quarry.search.answer import Answer
from quarry.search.confidence import CONFIDENCE_DIGITS
from quarry.search.execution import SearchExecution
from quarry.search.pipeline import answer_query, parse_request, search

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
    query = parse_request(options, execution)
    if query.clauses or not query.words:
        return answer_query(query, options, execution)
    queries, follow_up = readings(options.query, earlier, execution.reader.languages)
    if not queries:
        return Answer(hits=(), total=0, retrievers=execution.retrievers, missing=execution.missing, truncated=False)
    whole, *parts = queries
    asked = replace(options, query=whole)
    first = answer_query(query if asked == options else parse_request(asked, execution), asked, execution)
    if not parts and not follow_up:
        return first
    best = {hit.path: hit for hit in first.hits}
    further = replace(options, limit=min(options.limit, FURTHER_HITS))
    for text in (*parts, *filter(None, [follow_up])):
        share = queries.get(text, 1.0)
        answer = search(replace(further, query=text), execution)
        for hit in answer.hits if answer.relaxed is None else ():
            known = best.get(hit.path)
            confidence = round(hit.confidence * share, CONFIDENCE_DIGITS)
            if confidence > known.confidence if known else text is not follow_up:
                best[hit.path] = replace(hit, confidence=confidence)
    return replace(first, hits=tuple(sorted(best.values(), key=lambda hit: -hit.confidence)))
