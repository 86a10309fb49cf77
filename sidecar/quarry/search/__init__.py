"""
How is a query answered? It is parsed and prepared, the retrievers propose candidates under its conditions, notes are
ranked, and their best passages quoted.

Pure but for the index it reads and the encoder it asks: equal queries of equal indexes have equal answers.
"""

from quarry.search.answer import Answer, Correction, Extract, FurtherPassages, Hit, Passage, Relaxed
from quarry.search.context import SearchContext
from quarry.search.examples import ExampleQuery
from quarry.search.execution import further_passages, parse_request, search
from quarry.search.explanation import Explanation, explain
from quarry.search.related import Related, RelatedNote, Source, related

__all__ = [
    "Answer",
    "Correction",
    "ExampleQuery",
    "Explanation",
    "Extract",
    "FurtherPassages",
    "Hit",
    "Passage",
    "Related",
    "RelatedNote",
    "Relaxed",
    "SearchContext",
    "Source",
    "explain",
    "further_passages",
    "parse_request",
    "related",
    "search",
]
