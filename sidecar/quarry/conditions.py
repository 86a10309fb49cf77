"""
What a note must satisfy to be a hit: a tree, made from what was typed, that the index turns into a set of notes.

    HasPhrase, MatchesPattern                   what stands in the note
    InSection, InTask                           what stands together in one section, in one task
    InFolder, InPath, InFile, HasTag            where it lies and what it is filed under
    HasProperty, InTimeRange                    what its front matter and its file say
    AllOf, AnyOf, Not                           several of them

Every condition speaks of whole notes, as Obsidian's own search does. What merely ranks is no condition.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

TaskState = Literal["any", "todo", "done"]
PropertyComparison = Literal["exists", "is", "<", "<=", ">", ">="]
TimeField = Literal["created", "modified"]
PatternTarget = Literal["text", "path", "file"]
"""What a regular expression is tried on: each passage of the note, its path, or its file's name."""


class HasPhrase(Struct, frozen=True):
    """These words stand side by side, in any form and case, in the note's text, title or aliases."""

    phrase: str


class MatchesPattern(Struct, frozen=True):
    """A regular expression (RE2 syntax, letters in any case, `^` and `$` at every line) finds something there."""

    pattern: str
    place: PatternTarget = "text"


class InSection(Struct, frozen=True):
    """One section holds all of these words and phrases, its heading trail included, and none of those it may not."""

    phrases: tuple[str, ...]
    without: tuple[str, ...] = ()


class InTask(Struct, frozen=True):
    """
    One task of that state holds all of these words and phrases and none of those it may not; with neither, any task
    of that state will do. Done is `[x]`; a task with nothing between the brackets is still to do, and so is one with
    any other mark (`[/]`, `[>]`), as in Obsidian.
    """

    state: TaskState
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


class InFolder(Struct, frozen=True):
    """Below this folder. `""` is the vault itself."""

    folder: str


class InPath(Struct, frozen=True):
    """The path has this part, case and accents ignored."""

    part: str


class InFile(Struct, frozen=True):
    """The file's name, without its folders, has this part, case and accents ignored."""

    part: str


class HasTag(Struct, frozen=True):
    """Carries this tag, or one nested in it, case ignored."""

    tag: str


class HasProperty(Struct, frozen=True):
    """
    A front matter property is there (`exists`), is this value (of a list: holds it; case and accents ignored; `""`:
    it is there and empty), or stands in this order to it: numbers as numbers, dates as dates, anything else as text.
    """

    name: str
    comparison: PropertyComparison = "exists"
    value: str = ""


class InTimeRange(Struct, frozen=True):
    """
    `from_ms <= time < until_ms`, milliseconds since 1970; None leaves that side open.

    `modified` is the file's own time, as Obsidian's file list shows it. `created` is what the front matter says,
    since sync tools and copies make the file's own birth meaningless; a note that does not say is not admitted.
    """

    field: TimeField
    from_ms: int | None = None
    until_ms: int | None = None


class AllOf(Struct, frozen=True):
    """All of the parts; no parts admit every note."""

    parts: tuple["Condition", ...] = ()


class AnyOf(Struct, frozen=True):
    """At least one of the parts."""

    parts: tuple["Condition", ...]


class Not(Struct, frozen=True):
    """Notes that the part does not admit."""

    part: "Condition"


Condition: TypeAlias = (
    HasPhrase
    | MatchesPattern
    | InSection
    | InTask
    | InFolder
    | InPath
    | InFile
    | HasTag
    | HasProperty
    | InTimeRange
    | AllOf
    | AnyOf
    | Not
)

MATCH_ALL = AllOf()


def all_of(parts: Iterable[Condition]) -> AllOf:
    """All of *parts*, those of an `AllOf` among them as parts of their own, each once."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, AllOf) else (part,)))
    return AllOf(tuple(flat))


def any_of(parts: Iterable[Condition]) -> Condition:
    """One of *parts* or, where there is but one, that one; alternatives of alternatives count as their own."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, AnyOf) else (part,)))
    return next(iter(flat)) if len(flat) == 1 else AnyOf(tuple(flat))
