"""Values that the index hands out."""

from msgspec import Struct, field

from quarry.analysis.analysis import Languages
from quarry.conditions import Condition, HasProperty, InTimeRange, all_of
from quarry.messages import Message
from quarry.options import Scope
from quarry.types import Chunk, FileStamp, Link, Note, Ranking


class StoredChunk(Struct, frozen=True):
    """A chunk, with the properties of its note that an answer shows."""

    chunk_id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    modified_ms: int
    front_matter: str  # the note's properties, for `read_properties`: few answers show any
    chunk: Chunk

    @property
    def text(self) -> str:
        """The chunk's text, as answers show it."""
        return self.chunk.text


class StoredNote(Struct, frozen=True):
    """A whole note as indexed; `chunk_ids[i]` is the row of `note.chunks[i]`."""

    note: Note
    stamp: FileStamp
    chunk_ids: tuple[int, ...]

    @property
    def modified_ms(self) -> int:
        """When the file last changed, in milliseconds since 1970."""
        return self.stamp.mtime_ns // 1_000_000


class NoteName(Struct, frozen=True):
    """The names of a note: path, title and aliases, and the languages besides English that it is in."""

    note_id: int
    path: str
    title: str
    aliases: tuple[str, ...]
    modified_ms: int
    languages: Languages
    every: tuple[str, ...]  # title, aliases and file name without its extension, each once


class NoteSummary(Struct, frozen=True):
    """A note as a line in a list."""

    path: str
    title: str
    type: str | None  # this and the next two: the front matter properties of these names
    domain: str | None
    status: str | None
    tags: tuple[str, ...]
    modified_ms: int
    size_bytes: int
    chunk_count: int


class IndexedFile(Struct, frozen=True):
    """A note as far as it is compared with its file."""

    note_id: int
    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


class NoteFilter(Struct, frozen=True):
    """The notes that a list shows; every condition that is given must hold."""

    scope: Scope = field(default_factory=Scope)
    type: str | None = None  # of this and the next two, case and accents are ignored
    domain: str | None = None
    status: str | None = None
    modified_from_ms: int | None = None  # inclusive
    modified_until_ms: int | None = None  # exclusive

    @property
    def condition(self) -> Condition:
        """The condition that a note must meet to be listed."""
        parts = list(self.scope.conditions)
        wanted = {"type": self.type, "domain": self.domain, "status": self.status}
        parts += [HasProperty(name, "is", value) for name, value in wanted.items() if value is not None]
        if self.modified_from_ms is not None or self.modified_until_ms is not None:
            parts.append(InTimeRange("modified", self.modified_from_ms, self.modified_until_ms))
        return all_of(parts)


class NotePage(Struct, frozen=True):
    """A part of the notes that pass a filter, newest first, and the number of all that pass it."""

    notes: tuple[NoteSummary, ...]
    total: int


class Newest(Struct, frozen=True):
    """The newest notes that pass a filter, each by one of its chunks, and the number of all that pass it."""

    ranking: Ranking
    total: int


class ResolvedLink(Struct, frozen=True):
    """A link with the note it leads to, or None where no note has that name."""

    link: Link
    path: str | None


class IncomingLink(Struct, frozen=True):
    """A link as seen from the note it leads to."""

    source: str  # path of the note it stands in
    link: Link


class MapOfContent(Struct, frozen=True):
    """A note that lists others by links."""

    path: str
    title: str


class PendingChunk(Struct, frozen=True):
    """A chunk that waits for its vector."""

    chunk_id: int
    content_hash: bytes  # to be given back with the vector: the row may hold another text by then
    chunk: Chunk


class PendingTitle(Struct, frozen=True):
    """A note whose title waits for its vector."""

    note_id: int
    title: str


class Problem(Struct, frozen=True):
    """A fault of a file that its owner should know of."""

    path: str
    reason: Message
    skipped: bool  # the file is not in the index at all


class IndexSize(Struct, frozen=True):
    """The size of the index."""

    notes: int
    chunks: int
    pending: int  # chunks without a vector
