"""
Search in one snapshot of the index: parse, prepare, collect candidates, rank, quote; see `pipeline.py`.

Pure but for the index it reads and the encoder it asks: equal queries of equal indexes have equal answers.
"""

from quarry.search.answer import Answer, Correction, Extract, FurtherPassages, Hit, Passage, RankedChunk, Relaxed
from quarry.search.examples import ExampleQuery
from quarry.search.execution import SearchExecution, serving_retrievers
from quarry.search.explanation import Explanation, explain
from quarry.search.pipeline import further_passages, search
from quarry.search.related import Related, RelatedNote, Source, related
from quarry.search.requests import search_request

__all__ = [
    "Answer",
    "Correction",
    "ExampleQuery",
    "Explanation",
    "Extract",
    "FurtherPassages",
    "Hit",
    "Passage",
    "RankedChunk",
    "Related",
    "RelatedNote",
    "Relaxed",
    "SearchExecution",
    "Source",
    "explain",
    "further_passages",
    "related",
    "search",
    "search_request",
    "serving_retrievers",
]
