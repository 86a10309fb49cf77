"""
How is a query answered? Parsed, asked of the retrievers under its conditions, ranked, grouped by note, quoted.

Pure but for the index it reads and the encoder it asks; the same prepared of the same index gets the same answer.
"""

from quarry.search.answer import Answer, Correction, FurtherPassages, Hit, Passage, Relaxed
from quarry.search.answering import further_passages, search
from quarry.search.context import SearchContext
from quarry.search.explanation import Explanation, explain
from quarry.search.related import Related, RelatedNote, Source, related

__all__ = [
    "Answer",
    "Correction",
    "Explanation",
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
    "related",
    "search",
]
