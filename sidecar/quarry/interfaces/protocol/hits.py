"""A note that answers: its passages, what to mark in them, and what spoke for it."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, Value

Why = Literal["exact", "meaning", "both"]


class Mark(Value, frozen=True, kw_only=True):
    """A stretch of a text to mark."""

    start: int
    end: int
    kind: Annotated[Literal["word", "sentence"], Doc(description="A query word, or the sentence nearest in meaning.")]


class Breakdown(Value, frozen=True, kw_only=True):
    """Where a passage stood in each retriever, and what that gave."""

    lexical_rank: int | None
    lexical_score: Annotated[float | None, Doc(description="BM25.")]
    dense_rank: int | None
    dense_score: Annotated[float | None, Doc(description="Cosine.")]
    fused: Annotated[float, Doc(description="The score that its note is ranked by.")]


class Signal(Value, frozen=True, kw_only=True):
    """One thing that spoke for a note, and how much."""

    name: Annotated[
        str,
        Doc(
            description=(
                "`passage`: words in its best passage. `note`: words in the whole note. `phrase`: words side by side. "
                "`meaning`: nearness in meaning. `title`: words in its title. `exact`: the query is its title. "
                "There may come others."
            )
        ),
    ]
    share: Annotated[float, Doc(description="What it adds to the note's score.")]


class Passage(Value, frozen=True, kw_only=True):
    """One chunk of a note that matched."""

    heading_path: list[str]
    snippet: str
    marks: list[Mark]
    start: Annotated[int, Doc(description="Where the chunk starts in the note.")]
    line: Annotated[int, Doc(description="The line of `matchStart`.")]
    match_start: Annotated[int, Doc(description="Where to jump to: the first mark, in the note.")]
    match_end: int
    tokens: Annotated[int, Doc(description="An estimate for the whole chunk.")]
    text: Annotated[str | None, Doc(description="The chunk itself; null with `scan`.")]
    truncated: Annotated[bool, Doc(description="`text` was cut to fit the budget.")]
    breakdown: Annotated[Breakdown | None, Doc(description="Null with `scan`.")]


class Hit(Value, frozen=True, kw_only=True):
    """A note that answers, with its best passages first."""

    path: str
    title: str
    title_marks: Annotated[list[Mark], Doc(description="Query words in the title.")]
    score: float
    why: Annotated[Why, Doc(description="Found by its words, by its meaning, or by both.")]
    modified_ms: int
    tags: list[str]
    passages: Annotated[list[Passage], Doc(description="The best one; with `expand` all, as far as the budget goes.")]
    further_passages: Annotated[
        int, Doc(description="Passages that answer, too, and are not quoted here; `search/passages` quotes them.")
    ]
    signals: Annotated[
        list[Signal] | None,
        Doc(description="What spoke for it, the strongest first; null with `scan`, empty with `rrf`."),
    ]
