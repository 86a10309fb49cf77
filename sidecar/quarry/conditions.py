"""
What must a note satisfy to be a hit? A tree of conditions, built from the query; the index evaluates it to a set of
notes.

    HasPhrase, MatchesPattern                   the text
    InSection, InBlock, InTask                  the text of one section, of one line or block, of one task
    IsNote, InFolder, InPath, InFile, HasTag    the path and the tags
    IsKind                                      the kind of file
    HasProperty, InTimeRange                    the front matter and the times
    AllOf, AnyOf, Not                           combinations

Every condition is about a whole note, as in Obsidian's own search. Words that only rank are no conditions.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.kinds import DocumentKind

TaskState = Literal["any", "todo", "done"]
BlockUnit = Literal["line", "block"]
PropertyComparison = Literal["exists", "is", "<", "<=", ">", ">="]
TimeField = Literal["created", "modified"]
PatternTarget = Literal["text", "path", "file"]
"""What a regular expression is matched against: each chunk of the note, its path, or its file name."""


class HasPhrase(Struct, frozen=True):
    """
    The words of *phrase* are next to each other, in any form and case, in the note's text, title or aliases.

    With *match_case*, they are whole words in exactly this form and case, in one chunk.
    """

    phrase: str
    match_case: bool = False


class MatchesPattern(Struct, frozen=True):
    """A regular expression matches (RE2 syntax, case ignored, `^` and `$` at every line)."""

    pattern: str
    place: PatternTarget = "text"


class InSection(Struct, frozen=True):
    """One section, with its heading trail, contains all of *phrases* and none of *without*."""

    phrases: tuple[str, ...]
    without: tuple[str, ...] = ()


class InBlock(Struct, frozen=True):
    """
    One line, or one block, contains all of *phrases* and none of *without*. A block is a paragraph, a list item, a
    heading, a table, a quotation or a code block.
    """

    unit: BlockUnit
    phrases: tuple[str, ...]
    without: tuple[str, ...] = ()


class InTask(Struct, frozen=True):
    """
    One task of that state contains all of *phrases* and none of *without*; without either, there is a task of that
    state. A task is done if it has `[x]`; an empty one and one with any other mark (`[/]`, `[>]`) are to do, as in
    Obsidian.
    """

    state: TaskState
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


class IsNote(Struct, frozen=True):
    """The note is the one at this path, whichever way the file system composes its accents."""

    path: str


class InFolder(Struct, frozen=True):
    """The note is below this folder; `""` is the vault itself."""

    folder: str


class InPath(Struct, frozen=True):
    """The path contains this text, case and accents ignored; `*` stands for any characters."""

    part: str


class InFile(Struct, frozen=True):
    """The file name, without folders, contains this text, case and accents ignored; `*` stands for any characters."""

    part: str


class IsKind(Struct, frozen=True):
    """The note is a file of this kind."""

    kind: DocumentKind


class HasTag(Struct, frozen=True):
    """The note has this tag or one nested in it, case ignored."""

    tag: str


class HasProperty(Struct, frozen=True):
    """
    A front matter property exists, equals *value* (`is`), or compares to it.

    A list equals a value that it contains; case and accents are ignored; `""` equals an empty property. Numbers are
    compared as numbers, dates as dates, anything else as text.
    """

    name: str
    comparison: PropertyComparison = "exists"
    value: str = ""


class InTimeRange(Struct, frozen=True):
    """
    `from_ms <= time < until_ms`, milliseconds since 1970; None leaves that side open.

    `modified` is the file's own time, as in Obsidian's file list. `created` is that of the front matter, as sync tools
    and copies make the file's own meaningless; a note without one does not satisfy the condition.
    """

    field: TimeField
    from_ms: int | None = None
    until_ms: int | None = None


class AllOf(Struct, frozen=True):
    """All parts hold; without parts, every note satisfies it."""

    parts: tuple["Condition", ...] = ()


class AnyOf(Struct, frozen=True):
    """At least one part holds."""

    parts: tuple["Condition", ...]


class Not(Struct, frozen=True):
    """The part does not hold."""

    part: "Condition"


Condition: TypeAlias = (
    HasPhrase
    | MatchesPattern
    | InSection
    | InBlock
    | InTask
    | IsNote
    | InFolder
    | InPath
    | InFile
    | IsKind
    | HasTag
    | HasProperty
    | InTimeRange
    | AllOf
    | AnyOf
    | Not
)

MATCH_ALL = AllOf()


def text_patterns(condition: Condition) -> tuple[str, ...]:
    """The regular expressions that *condition* wants in the text, in order; not those under a negation."""
    if isinstance(condition, MatchesPattern):
        return (condition.pattern,) if condition.place == "text" else ()
    if isinstance(condition, AllOf | AnyOf):
        return tuple(dict.fromkeys(pattern for part in condition.parts for pattern in text_patterns(part)))
    return ()


def names_property(condition: Condition, name: str) -> bool:
    """Whether a part of *condition* is about the property *name*."""
    if isinstance(condition, AllOf | AnyOf):
        return any(names_property(part, name) for part in condition.parts)
    if isinstance(condition, Not):
        return names_property(condition.part, name)
    return isinstance(condition, HasProperty) and condition.name.lower() == name


def all_of(parts: Iterable[Condition]) -> AllOf:
    """The conjunction of *parts*, with nested conjunctions flattened and repeats removed."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, AllOf) else (part,)))
    return AllOf(tuple(flat))


def any_of(parts: Iterable[Condition]) -> Condition:
    """The disjunction of *parts*, flattened and without repeats; a single part itself."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, AnyOf) else (part,)))
    return next(iter(flat)) if len(flat) == 1 else AnyOf(tuple(flat))
