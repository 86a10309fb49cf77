"""A hit of a search: a note, its matching passages, and its scores."""

from datetime import datetime
from typing import Annotated, Literal

from quarry.kinds import DocumentKind
from quarry.limits import MAX_LISTED_TAGS
from quarry.options import Value, doc
from quarry.protocol.base import code_points, local_time

Kind = Annotated[
    DocumentKind, doc("note: a Markdown file. For other kinds, offsets and lines refer to the text from `note/read`.")
]
Anchor = Annotated[
    str | None, doc("The place of the passage: `page=12` in a PDF, the id of a node in a canvas; null in a note.")
]
MatchedBy = Literal["words", "meaning", "both"]


class Mark(Value, frozen=True, kw_only=True):
    """A span of a text to highlight."""

    start: int
    end: int
    kind: Annotated[Literal["word", "sentence"], doc("A query word, or the sentence nearest in meaning.")]


class Breakdown(Value, frozen=True, kw_only=True):
    """The rank and score of a passage in each retriever, and the fused score."""

    keyword_rank: int | None
    keyword_score: Annotated[float | None, doc("BM25.")]
    dense_rank: int | None
    dense_score: Annotated[float | None, doc("Cosine; standardised for a contextual model, see decisions/019.")]
    fused: Annotated[float, doc("The score by which its note is ranked.")]


class Signal(Value, frozen=True, kw_only=True):
    """A feature that contributed to the score of a note, and by how much."""

    name: Annotated[
        str,
        doc(
            "`passage`: words in its best passage. `note`: words in the whole note. `phrase`: adjacent words. "
            "`meaning`: similarity in meaning. `max_sim`: similarity to each single word. "
            "`title`: words in its title. `exact_title`: the query is its title. "
            "Later versions may add others."
        ),
    ]
    share: Annotated[float, doc("Its contribution to the note's score.")]


class Excerpt(Value, frozen=True, kw_only=True):
    """A chunk of a note, shown by a snippet of it."""

    heading_path: list[str]
    snippet: str
    marks: list[Mark]
    start: Annotated[int, doc("Where the chunk starts in the note.")]
    line: Annotated[int, doc("The line of `matchStart`.")]
    match_start: Annotated[int, doc("The jump target: the first mark, as an offset into the note.")]
    match_end: int
    anchor: Anchor


class Passage(Excerpt, frozen=True, kw_only=True):
    """A chunk of a note that matches the query."""

    tokens: Annotated[int, doc("An estimate for the whole chunk.")]
    text: Annotated[str | None, doc("The whole chunk; null with `scan`.")]
    truncated: Annotated[bool, doc("`text` was cut to fit the budget.")]
    breakdown: Annotated[Breakdown | None, doc("Null with `scan`, and if notes are only listed.")]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The `marks` as spans `[start, end)` of `snippet` in characters of Python."""
        ends = code_points(self.snippet, [end for mark in self.marks for end in (mark.start, mark.end)])
        return list(zip(ends[::2], ends[1::2], strict=True))


Confidence = Annotated[
    float,
    doc(
        "The probability that the note answers the query, 0 to 1. Unlike `score`, it is comparable across queries "
        "and vaults. 0 if notes are only listed."
    ),
]


class MapOfContent(Value, frozen=True, kw_only=True):
    """A note that links to other notes: called `moc`, `map` or `index` by its author, or consisting mostly of links."""

    path: str
    title: str


class Hit(Value, frozen=True, kw_only=True):
    """A note that matches the query, with its passages, best first."""

    path: str
    kind: Kind
    title: str
    title_marks: Annotated[list[Mark], doc("Query words in the title.")]
    score: Annotated[float | None, doc("Null if notes are only listed.")]
    confidence: Confidence
    matched_by: Annotated[
        MatchedBy | None, doc("Found by its words, by its meaning, or by both; null if notes are only listed.")
    ]
    modified_ms: int
    type: Annotated[str | None, doc("From the front matter, like `domain` and `project`.")]
    domain: str | None
    project: str | None
    tags: Annotated[list[str], doc(f"The first {MAX_LISTED_TAGS}; `note/read` returns all.")]
    passages: Annotated[list[Passage], doc("The best passage; with `expand`, all that fit the budget.")]
    further_passages: Annotated[int, doc("Matching passages that are not quoted here; `search/passages` returns them.")]
    signals: Annotated[
        list[Signal] | None,
        doc("Signals that contributed to its score, strongest first; null with `scan`, empty with `rrf`."),
    ]
    maps: Annotated[list[MapOfContent], doc("Maps of content that link to it, at most two.")]
    missing_words: Annotated[
        list[str], doc("Words of the query, as searched for, that the note does not contain in any form.")
    ]

    @property
    def snippet(self) -> str:
        """The snippet of the best passage; empty if the token budget had no room for one."""
        return self.passages[0].snippet if self.passages else ""

    @property
    def line(self) -> int:
        """The line of the note where the best match begins, from 0."""
        return self.passages[0].line if self.passages else 0

    @property
    def heading_path(self) -> list[str]:
        """The headings above the best passage, outermost first."""
        return self.passages[0].heading_path if self.passages else []

    @property
    def text(self) -> str | None:
        """The whole best passage; None with `scan`."""
        return self.passages[0].text if self.passages else None

    @property
    def modified(self) -> datetime:
        """When the file changed, in local time."""
        return local_time(self.modified_ms)
