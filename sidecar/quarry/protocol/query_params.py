"""Parameters of all queries: the query text, filters, and how the retrievers' rankings are combined."""

from typing import Annotated, Literal

from msgspec import field

from quarry.protocol.base import Doc, Value

Mode = Literal["hybrid", "keyword", "semantic"]
Fusion = Literal["convex", "rrf", "six-signals"]
SortOrder = Literal["relevance", "modified", "created", "name"]

QueryText = Annotated[
    str,
    Doc(
        description=(
            'Words, "phrases", -not, a OR b, (groups), /regular expressions/, path: file: folder: tag: #tag, '
            "section:(a b), task: task-todo: task-done:, [property] [property:value] [property:<5], type: domain: "
            "status:, created: modified: (`>=2026-01-01`, `7d`, `last week`)."
        ),
        max_length=4096,
    ),
]
FusionChoice = Annotated[
    Fusion | None,
    Doc(
        description=(
            "How the rankings of the retrievers are combined: by a weighted sum of signals, by rank alone "
            "(reciprocal rank fusion), or by six signals (words, meaning, severity, age, tags, domain). Null: the "
            "vault's setting."
        )
    ),
]
Names = Annotated[list[str], Doc(max_length=100)]


class Filters(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Restrictions applied inside the index, before anything is ranked, in addition to operators in the query."""

    notes: Annotated[
        Names,
        Doc(description="Any of these notes, by full path. In a single note, every passage with a word is found."),
    ] = field(default_factory=list)
    not_notes: Names = field(default_factory=list)
    folders: Annotated[Names, Doc(description="Any of these folders, including subfolders.")] = field(
        default_factory=list
    )
    not_folders: Names = field(default_factory=list)
    paths: Annotated[Names, Doc(description="Each must be a part of the path.")] = field(default_factory=list)
    not_paths: Names = field(default_factory=list)
    tags: Annotated[Names, Doc(description="All of these tags, or tags nested in them.")] = field(default_factory=list)
    not_tags: Names = field(default_factory=list)


class Weights(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weight of each retriever in the fusion."""

    lexical: Annotated[float, Doc(ge=0, le=100)] = 1.0
    dense: Annotated[float, Doc(ge=0, le=100)] = 1.0
