"""
The values that pass between the stages: notes and chunks in, candidates and rankings through, hits out.

All are frozen. Offsets are `[start, end)`. Unless a name says `utf16`, they count code points; offsets into a
note count in its *decoded* text (see `documents/decoding.py`), which is what Obsidian's editor counts in.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from quarry.conditions import MATCH_ALL, Condition, Operator
from quarry.messages import Message

LAST_TIME_NS = 2**63 - 1
"""The last time, in nanoseconds since 1970, that the index can hold: in the year 2262. What is later counts as this."""

PAGE_ANCHOR = "page="
"""Before the number of a page, as in a link of Obsidian: `[[file.pdf#page=12]]`."""

PropertyValue = str | int | float | bool | tuple[str, ...]
"""What a front matter property can hold once read; lists are lists of strings."""

LinkKind = Literal["wiki", "embed", "markdown"]


class Span(Struct, frozen=True):
    """The range `[start, end)` of some text, in code points."""

    start: int
    end: int


class Link(Struct, frozen=True):
    """A reference from one note to another, as written."""

    kind: LinkKind
    target: str  # what was written before `#` and `|`; "" for a link into the same note
    heading: str | None  # after `#`; block ids keep their `^`
    label: str | None


class Shift(Struct, frozen=True):
    """A redaction: from `offset` into `Chunk.text` on, the note runs `utf16` code units ahead of the text."""

    offset: int
    utf16: int
    lines: int = 0  # and how many line ends it runs ahead: a private key has many


class Chunk(Struct, frozen=True):
    """A contiguous slice of one note: the thing indexed, embedded and ranked."""

    number: int  # from 0, in the order of the note
    heading_path: tuple[str, ...]  # H1, H2, H3 that it stands under; scrubbed
    text: str  # scrubbed; equal to the note's decoded text [start, end) where nothing was redacted
    start: int  # code points into the decoded note
    end: int
    start_utf16: int  # the same start in UTF-16 code units: what an editor's offset counts
    line: int  # line of `start`, from 0
    context: str  # title | type | tags | aliases, then flattened key-value data; searched, never shown
    shifts: tuple[Shift, ...] = ()
    anchor: str | None = None  # where it stands in a file that is no Markdown: `page=12` of a PDF, a node of a canvas

    @property
    def section(self) -> str:
        """The heading trail as one string, `H1 › H2 › H3`."""
        return " › ".join(self.heading_path)

    @property
    def trail(self) -> tuple[str, ...]:
        """The headings shown above the passage; for a PDF file its page, which is not indexed."""
        if self.anchor is None or not self.anchor.startswith(PAGE_ANCHOR):
            return self.heading_path
        return (*self.heading_path, f"Page {self.anchor.removeprefix(PAGE_ANCHOR)}")


class Note(Struct, frozen=True):
    """One file as the index knows it, a Markdown file or another kind (`kinds.py`). Every text in it is scrubbed."""

    path: str  # vault-relative, `/`, spelled as on disk
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]  # without `#`, in the order met, front matter first
    properties: Mapping[str, PropertyValue]  # every front matter property that could be read
    links: tuple[Link, ...]
    chunks: tuple[Chunk, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)  # rule name -> how many; never the values
    problems: tuple[Message, ...] = ()  # what could not be read or was left out


class FileStamp(Struct, frozen=True):
    """Size, times and hash of a file, by which a change is noticed: cheap ones first, then the hash that decides."""

    size_bytes: int
    mtime_ns: int
    sha256: bytes  # of the raw file, 32 bytes
    ctime_ns: int = 0  # of the last change to the file or what the system keeps of it: no program can set it back


class Candidate(Struct, frozen=True):
    """A chunk that one retriever proposes."""

    chunk_id: int
    path: str
    number: int  # Chunk.number: with `path` it breaks ties the same way after every rebuild
    score: float  # higher is better, whatever the retriever's own measure


Ranking = tuple[Candidate, ...]
"""Candidates best first; the rank of `ranking[i]` is `i + 1`."""


ClauseKind = Literal["word", "phrase", "regex", "property", "group", "time", Operator]
"""
`tag` is `#idea` as well as `tag:idea`; a `word` is one that is excluded; a `group` stands in parentheses; a `time` is
plain words, its name, that are read as a filter, its value.
"""


class Clause(Struct, frozen=True):
    """A part of a query that is more than a word to rank by."""

    kind: ClauseKind
    start: int  # code points into the query; the space behind it included where it can be cut out with it
    end: int
    value: str  # as typed, without delimiters; of a group what is in it
    name: str = ""  # of a property; the words of a time
    negated: bool = False
    removable: bool = False  # without its range, the query says the same but for this


class Query(Struct, frozen=True):
    """A parsed query: the words to rank by, the phrases to insist on, the conditions."""

    text: str  # words and phrases as typed, without operators: what is embedded
    words: tuple[str, ...]  # content words to rank by, lower case, in order, no repeats
    phrases: tuple[str, ...]  # what was quoted and is wanted: they rank, are marked, and stand in `condition` too
    prefix: str | None  # the last of `words` where the query ends in it: a person typing may not be done with it
    condition: Condition = MATCH_ALL  # what each hit must satisfy, the phrases and the exclusions among it
    has_filter_alternative: bool = False  # `walnut OR /ch.rry/`: a note that meets the filter is a hit without a word
    clauses: tuple[Clause, ...] = ()  # its parts that are more than words, with their places


class FileSeen(Struct, frozen=True):
    """A file as a directory listing describes it, without opening it."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int = 0  # on Windows, where there is no such time, that of its creation


class VaultChange(Struct, frozen=True):
    """A change of a file or folder. It only says where to look: what is there now is read from the disk."""

    kind: Literal["created", "modified", "deleted", "renamed"]
    path: str
    old_path: str | None = None  # only with `renamed`
