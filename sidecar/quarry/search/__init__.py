"""
How is a query answered? Parsed, asked of the legs under its conditions, ranked, grouped by note, quoted.

Pure but for the index it reads and the encoder it asks; the same question of the same index gets the same answer.
"""

from quarry.search.answer import Answer, Correction, FurtherPassages, Hit, Passage, Relaxed
from quarry.search.answering import further_passages, search
from quarry.search.explaining import Explanation, explain
from quarry.search.legs import Legs
from quarry.search.relating import Related, RelatedNote, Source, related

__all__ = [
    "Answer",
    "Correction",
    "Explanation",
    "FurtherPassages",
    "Hit",
    "Legs",
    "Passage",
    "Related",
    "RelatedNote",
    "Relaxed",
    "Source",
    "explain",
    "further_passages",
    "related",
    "search",
]
