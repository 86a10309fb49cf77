# ruff: noqa: D102  the base classes document these methods
"""
Conditions that a note must satisfy to be a hit: a tree, built from the query, from which the index makes a set of
notes.

    HasPhrase, MatchesPattern                   the text
    InSection, InBlock, InTask                  the text of one section, of one line or block, of one task
    IsNote, InFolder, InPath, InFile, HasTag    the path and the tags
    IsKind                                      the kind of file
    HasProperty, InTimeRange                    the front matter and the times
    AllOf, AnyOf, Not                           combinations

Every condition is about a whole note, as in Obsidian's own search. Words that only rank are not conditions.

Each class writes itself in the language of queries (`written`) and describes itself as a message (`described`).
`index/filters/filter.py` compiles it to SQL.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import ClassVar, Literal, TypeAlias, get_args

from msgspec import Struct

from quarry.dates import local_day, period_of
from quarry.kinds import DocumentKind
from quarry.lazy_pattern import lazy_pattern
from quarry.messages import Message, message

PropertyOperator = Literal["type", "domain", "status"]
TimeField = Literal["created", "modified"]
BlockUnit = Literal["line", "block"]
TaskOperator = Literal["task", "task-todo", "task-done"]
TextOperator = Literal["content", "section", BlockUnit, TaskOperator, "match-case", "ignore-case"]
Operator = Literal["path", "file", "folder", "kind", "tag", PropertyOperator, TimeField, TextOperator]
"""What stands before a colon in a query. `query/operators.py` makes its value a condition."""
TaskState = Literal["any", "todo", "done"]
PropertyComparison = Literal["exists", "is", "<", "<=", ">", ">="]
PatternTarget = Literal["text", "path", "file"]
"""What a regular expression is matched against: each chunk of the note, its path, or its file name."""

_PLAIN = lazy_pattern(r"[^\s\"()/#-][^\s\"()]*")
_PLAIN_TAG = lazy_pattern(r"(?=[^\s]*[^\d/_-])[^\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\]+")
_PLAIN_NAME = lazy_pattern(r"[^\[\]\":(){}<>,=|\\#\s]+(?: [^\[\]\":(){}<>,=|\\#\s]+)*")
_PROPERTY_OPERATORS = frozenset(get_args(PropertyOperator))
_SIGNS = {"<=": "≤", ">=": "≥"}


class _Condition(Struct, frozen=True):
    """What every condition can do."""

    def written(self) -> str:
        """The condition in the language of queries, from which it is parsed again."""
        raise NotImplementedError

    def described(self, *, negated: bool = False) -> Message:
        """The condition, or its negation, as a message that can follow "notes"."""
        raise NotImplementedError


class _Content(_Condition, frozen=True):
    """A condition on what a note contains: notes with it, or without it."""

    def content(self) -> Message:
        """A condition on the content of a note."""
        raise NotImplementedError

    def described(self, *, negated: bool = False) -> Message:
        return message("understood.without" if negated else "understood.with", what=self.content())


class _State(_Condition, frozen=True):
    """A condition on what a note is: notes that are so, or that are not."""

    def state(self) -> Message:
        """A condition on the note itself."""
        raise NotImplementedError

    def described(self, *, negated: bool = False) -> Message:
        return message("understood.not", what=self.state()) if negated else self.state()


class HasPhrase(_Content, frozen=True):
    """
    The words of *phrase* are next to each other, in any form and case, in the note's text, title or aliases.

    With *match_case*, they are whole words in exactly this form and case, in one chunk.
    """

    phrase: str
    match_case: bool = False

    def content(self) -> Message:
        phrase = _quoted(self.phrase)
        return message("understood.in-case", what=phrase) if self.match_case else phrase

    def written(self) -> str:
        return f'match-case:"{self.phrase}"' if self.match_case else f'"{self.phrase}"'


class MatchesPattern(_Content, frozen=True):
    """A regular expression matches (RE2 syntax, case ignored, `^` and `$` at every line)."""

    pattern: str
    place: PatternTarget = "text"

    def content(self) -> Message:
        return message(f"understood.in-{self.place}", what=f"/{self.pattern}/")

    def written(self) -> str:
        return f"/{self.pattern}/" if self.place == "text" else f"{self.place}:/{self.pattern}/"


class InSection(_Content, frozen=True):
    """One section, with its heading trail, contains all of *phrases* and none of *without*."""

    phrases: tuple[str, ...]
    without: tuple[str, ...] = ()

    def content(self) -> Message:
        return message("understood.in-section", what=_phrases(self.phrases, self.without))

    def written(self) -> str:
        return f"section:{_written_phrases(self.phrases, self.without)}"


class InBlock(_Content, frozen=True):
    """
    One line, or one block, contains all of *phrases* and none of *without*. A block is a paragraph, a list item, a
    heading, a table, a quotation or a code block.
    """

    unit: BlockUnit
    phrases: tuple[str, ...]
    without: tuple[str, ...] = ()

    def content(self) -> Message:
        return message(f"understood.in-{self.unit}", what=_phrases(self.phrases, self.without))

    def written(self) -> str:
        return f"{self.unit}:{_written_phrases(self.phrases, self.without)}"


class InTask(_Content, frozen=True):
    """
    One task of that state contains all of *phrases* and none of *without*; without either, there is a task of that
    state. A task is done if it has `[x]`; an empty one and one with any other mark (`[/]`, `[>]`) are to do, as in
    Obsidian.
    """

    state: TaskState
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def content(self) -> Message:
        task = "task" if self.state == "any" else f"task-{self.state}"
        if not (self.phrases or self.without):
            return message(f"understood.{task}")
        return message(f"understood.in-{task}", what=_phrases(self.phrases, self.without))

    def written(self) -> str:
        name = "task" if self.state == "any" else f"task-{self.state}"
        return f"{name}:{_written_phrases(self.phrases, self.without) if self.phrases or self.without else ''}"


class IsNote(_State, frozen=True):
    """The note is the one at this path, whichever way the file system composes its accents."""

    path: str

    def state(self) -> Message:
        return message("understood.note", path=self.path)

    def written(self) -> str:
        return f"path:{_value(self.path)}"  # no operator names one note; its path is unlike others


class InFolder(_State, frozen=True):
    """The note is below this folder; `""` is the vault itself."""

    folder: str

    def state(self) -> Message:
        return message("understood.folder", folder=self.folder or "/")

    def written(self) -> str:
        return f"folder:{_value(self.folder or '/')}"


class _InName(_Content, frozen=True):
    """The path or the file name contains this text, case and accents ignored; `*` stands for any characters."""

    part: str
    operator: ClassVar[Operator]

    def content(self) -> Message:
        return message(f"understood.in-{self.operator}", what=_quoted(self.part))

    def written(self) -> str:
        return f"{self.operator}:{_value(self.part)}"


class InPath(_InName, frozen=True):
    """The path contains the text."""

    operator: ClassVar[Operator] = "path"


class InFile(_InName, frozen=True):
    """The file name, without folders, contains the text."""

    operator: ClassVar[Operator] = "file"


class IsKind(_State, frozen=True):
    """The note is a file of this kind."""

    kind: DocumentKind

    def state(self) -> Message:
        return message("understood.kind", kind=self.kind)

    def written(self) -> str:
        return f"kind:{self.kind}"


class HasTag(_Content, frozen=True):
    """The note has this tag or one nested in it, case ignored."""

    tag: str

    def content(self) -> Message:
        return message("understood.tag", tag=self.tag)

    def written(self) -> str:
        return f"#{self.tag}" if _PLAIN_TAG.fullmatch(self.tag) else f"tag:{_value(self.tag)}"


class HasProperty(_Content, frozen=True):
    """
    A front matter property exists, equals *value* (`is`), or compares to it.

    A list equals a value that it contains; case and accents are ignored; `""` equals an empty property. Numbers are
    compared as numbers, dates as dates, anything else as text.
    """

    name: str
    comparison: PropertyComparison = "exists"
    value: str = ""

    def content(self) -> Message:
        name, value = self.name, self.value
        if self.comparison == "exists":
            return message("understood.property", name=name)
        if self.comparison == "is":
            if not value:
                return message("understood.property-empty", name=name)
            return message("understood.property-is", name=name, value=value)
        sign = _SIGNS.get(self.comparison, self.comparison)
        return message("understood.property-compared", name=name, sign=sign, value=value)

    def written(self) -> str:
        if self.comparison == "is" and self.value and self.name in _PROPERTY_OPERATORS:
            return f"{self.name}:{_value(self.value)}"
        name = self.name if _PLAIN_NAME.fullmatch(self.name) else f'"{self.name}"'
        if self.comparison == "exists":
            return f"[{name}]"
        if self.comparison == "is":
            return f"[{name}:{_property_value(self.value) if self.value else 'null'}]"
        return f"[{name}:{self.comparison}{_property_value(self.value)}]"


class InTimeRange(_State, frozen=True):
    """
    `from_ms <= time < until_ms`, milliseconds since 1970; None leaves that side open.

    `modified` is the file's own time, as in Obsidian's file list. `created` is that of the front matter, as sync tools
    and copies make the file's own meaningless; a note without one does not satisfy the condition.
    """

    field: TimeField
    from_ms: int | None = None
    until_ms: int | None = None

    def state(self) -> Message:
        period = period_of(self.from_ms, self.until_ms)
        field = message(f"understood.{self.field}")
        return message(f"understood.dated-{period.kind}", field=field, first=period.first, last=period.last)

    def written(self) -> str:
        if self.from_ms is None and self.until_ms is None:
            return f"{self.field}:"
        if self.until_ms is None:
            return f"{self.field}:>={local_day(self.from_ms or 0)}"
        if self.from_ms is None:
            return f"{self.field}:<{local_day(self.until_ms)}"
        first, last = local_day(self.from_ms), local_day(self.until_ms) - timedelta(1)
        return f"{self.field}:{first}" if first >= last else f"{self.field}:{first}..{last}"


class _Combination(_Condition, frozen=True):
    """Several conditions as one, which is negated by De Morgan's laws."""

    parts: tuple["Condition", ...] = ()
    is_conjunction: ClassVar[bool]

    def described(self, *, negated: bool = False) -> Message:
        described = [part.described(negated=negated) for part in self.parts]
        if len(described) < 2:
            return described[0] if described else message("understood.all")
        return message(f"understood.{'every' if self.is_conjunction != negated else 'either'}", parts=described)


class AllOf(_Combination, frozen=True):
    """All parts hold; without parts, every note satisfies it."""

    is_conjunction: ClassVar[bool] = True

    def written(self) -> str:
        written = [part.written() for part in self.parts]
        return written[0] if len(written) == 1 else f"({' '.join(written)})"


class AnyOf(_Combination, frozen=True):
    """At least one part holds."""

    is_conjunction: ClassVar[bool] = False

    def written(self) -> str:
        return f"({' OR '.join(part.written() for part in self.parts)})"


class Not(_Condition, frozen=True):
    """The part does not hold."""

    part: "Condition"

    def described(self, *, negated: bool = False) -> Message:
        """The negation of the part, or the part itself."""
        return self.part.described(negated=not negated)

    def written(self) -> str:
        return f"-{self.part.written()}"


Condition: TypeAlias = (
    IsNote
    | InFolder
    | HasTag
    | InPath
    | InFile
    | IsKind
    | HasProperty
    | InTimeRange
    | HasPhrase
    | MatchesPattern
    | InSection
    | InBlock
    | InTask
    | AnyOf
    | AllOf
    | Not
)
"""All conditions, in the order in which they are described."""

MATCH_ALL = AllOf()


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """The conditions that must all hold for *condition* to hold."""
    return condition.parts if isinstance(condition, AllOf) else (condition,)


def leaves(condition: Condition, *, negated: bool = False) -> Iterator[tuple[Condition, bool]]:
    """The conditions that *condition* combines, in order, and whether an odd number of negations applies to each."""
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from leaves(part, negated=negated)
    elif isinstance(condition, Not):
        yield from leaves(condition.part, negated=not negated)
    else:
        yield condition, negated


def text_patterns(condition: Condition) -> tuple[str, ...]:
    """The regular expressions that *condition* wants in the text, in order; not those under a negation."""
    found = [leaf for leaf, negated in leaves(condition) if isinstance(leaf, MatchesPattern) and not negated]
    return tuple(dict.fromkeys(leaf.pattern for leaf in found if leaf.place == "text"))


def all_of(parts: Iterable[Condition]) -> AllOf:
    """The conjunction of *parts*, with nested conjunctions flattened and repeats removed."""
    return AllOf(tuple(dict.fromkeys(each for part in parts for each in conjuncts(part))))


def any_of(parts: Iterable[Condition]) -> Condition:
    """The disjunction of *parts*, flattened and without repeats; a single part itself."""
    flat: dict[Condition, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, AnyOf) else (part,)))
    return next(iter(flat)) if len(flat) == 1 else AnyOf(tuple(flat))


# --- parts of messages and of written conditions ------------------------------------------------


def _quoted(text: str) -> Message:
    return message("word.quoted", text=text)


def _phrases(phrases: Sequence[str], without: Sequence[str]) -> Message:
    what = message("word.all-of", words=tuple(phrases)) if phrases else message("understood.anything")
    if not without:
        return what
    return message("understood.except", what=what, others=message("word.any-of", words=tuple(without)))


def _value(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f'"{text}"'


def _written_phrases(phrases: Sequence[str], without: Sequence[str]) -> str:
    every = [*[f'"{phrase}"' for phrase in phrases], *[f'-"{phrase}"' for phrase in without]]
    return every[0] if len(every) == 1 and phrases else f"({' '.join(every)})"


def _property_value(value: str) -> str:
    is_plain = _PLAIN_NAME.fullmatch(value) and value != "null" and "OR" not in value.split()
    return value if is_plain else f'"{value}"'
