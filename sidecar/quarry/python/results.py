"""
Results of the Python API: frozen values with the names that a caller sees in an editor.

Paths are vault-relative, with `/`. Lines count from 0, as `str.splitlines` does. Marks count characters of Python, not
the UTF-16 units of the wire. Times are milliseconds since 1970, or `datetime` in local time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, Literal, TypeVar, overload

from quarry.limits import UNFINISHED

Item = TypeVar("Item", covariant=True)

PropertyValue = str | int | float | bool | tuple[str, ...]
"""What a front matter property can hold; lists are tuples of strings."""


def local_time(time_ms: int) -> datetime:
    """*time_ms* as an aware `datetime` in local time."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFreshness:
    """The state of the index that an answer was read from."""

    state: str
    """`live` where the index equals the vault; otherwise the work in progress, such as `scanning` or `indexing`."""
    done: int
    """Notes of the work in progress that are done."""
    total: int
    """Notes of the work in progress; while `starting` or `scanning`, more may be to come."""
    epoch: int
    """Every commit raises it: with an equal epoch, nothing can have changed."""

    @property
    def is_complete(self) -> bool:
        """Whether the answer was read from an index that holds every note."""
        return self.state not in UNFINISHED and self.done >= self.total


class _Items(Sequence[Item], Generic[Item]):
    """A sequence over the field that the subclass names."""

    __slots__ = ()

    def _items(self) -> tuple[Item, ...]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items())

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._items()[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A passage of a note that matches a query."""

    heading_path: tuple[str, ...]
    """The headings that it stands under, outermost first."""
    line: int
    """The line of the note where the match begins, from 0."""
    snippet: str
    """The part worth showing, about `snippet_width` characters."""
    marks: tuple[tuple[int, int], ...]
    """Spans `[start, end)` of `snippet` to highlight."""
    text: str | None
    """The whole passage; None unless `detail="full"` was asked for."""
    anchor: str | None
    """Where it stands in a file that is no note: `page=12` of a PDF, the id of a node of a canvas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNote:
    """A note that matches a query, shown by its best passage."""

    path: str
    """Relative to the vault: `Work/Plan.md`."""
    kind: Literal["note", "canvas", "pdf"]
    """A Markdown file, a canvas or a PDF file."""
    title: str
    score: float | None
    """Orders the notes of one answer and means nothing outside it; None where notes are only listed."""
    confidence: float
    """The probability that the note answers the query, 0 to 1: comparable across queries and vaults."""
    why: Literal["exact", "meaning", "both"] | None
    """Found by its words, by its meaning, or by both; None where notes are only listed."""
    type: str | None
    """The property `type`."""
    domain: str | None
    """The property `domain`."""
    tags: tuple[str, ...]
    """Without `#`."""
    modified_ms: int
    """When the file changed."""
    passages: tuple[FoundPassage, ...]
    """The best passage first; more than one only with `expand=True`. Empty where `max_tokens` had no room for one."""

    @property
    def snippet(self) -> str:
        """The part of the best passage that is worth showing."""
        return self.passages[0].snippet if self.passages else ""

    @property
    def line(self) -> int:
        """The line of the note where the best match begins, from 0."""
        return self.passages[0].line if self.passages else 0

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings that the best passage stands under, outermost first."""
        return self.passages[0].heading_path if self.passages else ()

    @property
    def text(self) -> str | None:
        """The whole best passage; None unless `detail="full"` was asked for."""
        return self.passages[0].text if self.passages else None

    @property
    def modified(self) -> datetime:
        """When the file changed, in local time."""
        return local_time(self.modified_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNotes(_Items[FoundNote]):
    """The notes that match a query, best first: iterate over it, index it, take its length."""

    hits: tuple[FoundNote, ...]
    total: int
    """Notes that contain a word of the query or are near in meaning, on all pages; where sorted, those that are."""
    reachable: int
    """Where `offset` ends: notes that were ranked or sorted."""
    sort: Literal["relevance", "modified", "created", "name"]
    """The order of the hits: by relevance whatever was asked for where no note is worth sorting."""
    confidence: float
    """That of the first hit; 0 where there is none."""
    understood: str
    """The query in plain words."""
    corrections: Mapping[str, str]
    """Words that were taken for typing errors, and what was searched for instead."""
    unknown_words: tuple[str, ...]
    """Words that no note contains and that were not corrected."""
    relaxed: str | None
    """What was given up because the query had no hits, as a sentence; None where it had."""
    weakness: Literal["no-words", "unlikely"] | None
    """Set where the first hit is unlikely to answer."""
    listed: bool
    """The query has no words to rank by: the hits are the newest notes that satisfy it."""
    missing: tuple[str, ...]
    """Why search by words or by meaning was unavailable, a sentence each; normally empty."""
    freshness: AnswerFreshness

    def _items(self) -> tuple[FoundNote, ...]:
        return self.hits


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteSource:
    """The place of a quoted passage."""

    path: str
    heading_path: tuple[str, ...]
    line: int
    """Where the quote begins, from 0."""
    confidence: float
    """The probability that the note answers, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedContext:
    """Passages about a question, as one block for a model to read. `str()` gives the block; false where it is empty."""

    text: str
    """Markdown: path, heading and line of each passage, and a quote behind `> `; empty where nothing is quoted."""
    sources: tuple[QuoteSource, ...]
    tokens: int
    """An estimate, 4 characters a token."""
    abstained: Literal["low-confidence", "all-seen", "indexing", "budget"] | None
    """Why nothing is quoted; None where something is."""
    missing: tuple[str, ...]
    """Why search by words or by meaning was unavailable, a sentence each; normally empty."""
    freshness: AnswerFreshness

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarNote:
    """A note similar to another note or to a text, shown by its most similar passage."""

    path: str
    kind: Literal["note", "canvas", "pdf"]
    title: str
    score: float
    linked: bool
    """One of the two notes links to the other."""
    heading_path: tuple[str, ...]
    line: int
    """The line of the note where the passage begins, from 0."""
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarNotes(_Items[SimilarNote]):
    """Notes similar to a note or a text, most similar first: iterate over it, index it, take its length."""

    notes: tuple[SimilarNote, ...]
    missing: tuple[str, ...]
    """Why comparing by words or by meaning was unavailable, a sentence each; normally empty."""
    freshness: AnswerFreshness

    def _items(self) -> tuple[SimilarNote, ...]:
        return self.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDocument:
    """A note, or the requested part of it, with credentials redacted. `str()` gives its text."""

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    """Without `#`."""
    properties: Mapping[str, PropertyValue]
    """The front matter."""
    modified_ms: int
    text: str
    """Markdown, with the front matter where the part begins at line 0."""
    start_line: int
    line_count: int
    """Lines of the whole note."""
    truncated: bool
    """The note goes on behind `text`; read on with a later `start_line`."""
    links: tuple[str, ...]
    """Paths of the notes that it links to; unresolved links as written."""
    backlinks: tuple[str, ...]
    """Paths of the notes that link to it."""
    freshness: AnswerFreshness

    def __str__(self) -> str:
        return self.text

    @property
    def modified(self) -> datetime:
        """When the file changed, in local time."""
        return local_time(self.modified_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEntry:
    """A note in a listing."""

    path: str
    kind: Literal["note", "canvas", "pdf"]
    title: str
    tags: tuple[str, ...]
    """Without `#`."""
    type: str | None
    """The property `type`."""
    domain: str | None
    """The property `domain`."""
    status: str | None
    """The property `status`."""
    modified_ms: int
    size_bytes: int

    @property
    def modified(self) -> datetime:
        """When the file changed, in local time."""
        return local_time(self.modified_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteListing(_Items[NoteEntry]):
    """A page of notes, newest first: iterate over it, index it, take its length."""

    notes: tuple[NoteEntry, ...]
    total: int
    """Notes that meet the conditions, before `limit`."""
    freshness: AnswerFreshness

    def _items(self) -> tuple[NoteEntry, ...]:
        return self.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedNote:
    """A note that was just written."""

    path: str
    title: str
    created: bool
    """False: the very same note lay there already, written today."""
    searchable: bool
    """False: it is not indexed yet, as the wait was too short or indexing is paused."""
    redactions: Mapping[str, int]
    """How many credentials of each kind were replaced by markers."""
    freshness: AnswerFreshness


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteProblem:
    """A note that was skipped, cut off, or only partly read."""

    path: str
    reason: str
    skipped: bool
    """True: the note cannot be found. False: only part of it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultStatus:
    """Contents and current work of the index of a vault."""

    state: str
    """`live` where the index equals the vault; `paused`, `failed`, or the work in progress."""
    notes: int
    """Notes that can be found now."""
    chunks: int
    pending: int
    """Notes that are known to have changed and are not yet indexed."""
    excluded: int
    """Notes excluded by a rule at the last scan."""
    model: str
    """The name of the embedding model."""
    model_state: Literal["loading", "ready", "missing"]
    missing: tuple[str, ...]
    """Why search by words or by meaning is unavailable, a sentence each; normally empty."""
    problem_count: int
    problems: tuple[NoteProblem, ...]
    """At most 100, by path."""
    indexed_ms: int | None
    """When the index last became equal to the vault; None: never yet."""
    size_bytes: int
    """Size of the index on disk."""
    message: str | None
    """Something the user should know, and what to do about it."""

    @property
    def is_complete(self) -> bool:
        """Whether every note can be found, by words and, where there is a model, by meaning."""
        return self.state not in UNFINISHED and self.model_state != "loading" and not self.pending
