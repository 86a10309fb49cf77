"""Results of the MCP tools: the sidecar's replies, shortened, lines counted from 1, without hidden characters."""

from quarry.errors import ExtraMissing
from quarry.interfaces import protocol as wire
from quarry.interfaces.sanitize import printable
from quarry.ranking.budget import estimate_tokens

try:
    from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on
except ImportError as error:  # comes with pydantic, and that with the extra
    raise ExtraMissing("MCP is not installed; it comes with the extra `mcp`", "mcp") from error


class SearchHit(TypedDict):
    """A note that matches the query, shown by its best passage."""

    path: str
    title: str
    heading: str
    line: int
    why: str | None  # none where the query has no words, and notes are only listed
    confidence: float  # the probability that it answers, 0 to 1
    text: str
    maps: list[str]  # paths of the maps of content that list it, where to read on


class SpellingCorrection(TypedDict):
    """A word that occurs in no note, and the one that was searched for instead."""

    typed: str
    used: str


class SearchReply(TypedDict):
    """Hits, best first."""

    hits: list[SearchHit]
    total: int
    understood: str  # the query in plain words
    corrections: list[SpellingCorrection]
    unknown_words: list[str]  # that no note contains and that were not corrected
    relaxed: str | None  # what was given up because nothing was found
    weakness: str | None  # set where no hit is likely to answer: `no-words` (nearest in meaning only) or `unlikely`
    notice: str | None


class NoteReply(TypedDict):
    """A note, or a part of it."""

    path: str
    title: str
    tags: list[str]
    text: str
    first_line: int
    line_count: int
    truncated: bool
    links: list[str]
    backlinks: list[str]


class ListedNote(TypedDict):
    """A note in a list."""

    path: str
    title: str
    tags: list[str]


class ListReply(TypedDict):
    """A page of notes, newest first."""

    notes: list[ListedNote]
    total: int


class ContextReply(TypedDict):
    """Quotes from the notes that bear on a question."""

    text: str
    tokens: int
    notice: str | None


class RelatedHit(TypedDict):
    """A note similar to the source, shown by its most similar passage."""

    path: str
    title: str
    heading: str
    line: int
    linked: bool  # one of the two links to the other
    text: str


class RelatedReply(TypedDict):
    """Notes similar to the source, best first."""

    notes: list[RelatedHit]
    notice: str | None


class SignalShare(TypedDict):
    """A signal, and what it adds to the score of a note."""

    signal: str
    share: float


class ExplainReply(TypedDict):
    """The place of a note among the hits of a query, or why it is not among them."""

    path: str
    state: str
    message: str
    understood: str
    rank: int | None
    total: int
    signals: list[SignalShare]
    words_found: list[str]
    words_lacking: list[str]


def search_reply(result: wire.SearchResult, notice: str | None) -> SearchReply:
    """The hits, each with its best passage, and how the query was corrected or relaxed."""
    return SearchReply(
        hits=[_hit(hit) for hit in result.hits],
        total=result.total,
        understood=printable(result.understood),
        corrections=[SpellingCorrection(typed=printable(c.typed), used=printable(c.used)) for c in result.corrections],
        unknown_words=[printable(word) for word in result.unknown_words],
        relaxed=printable(result.relaxed.message) if result.relaxed else None,
        weakness=result.weakness,
        notice=notice,
    )


def _hit(hit: wire.Hit) -> SearchHit:
    passage = hit.passages[0]
    return SearchHit(
        path=hit.path,
        title=printable(hit.title),
        heading=printable(" › ".join(passage.heading_path)),
        line=passage.line + 1,
        why=hit.why,
        confidence=hit.confidence,
        text=printable(passage.text or ""),
        maps=[each.path for each in hit.maps],
    )


def note_reply(note: wire.NoteText) -> NoteReply:
    """A note with its lines counted from 1."""
    return NoteReply(
        path=note.path,
        title=printable(note.title),
        tags=[printable(tag) for tag in note.tags],
        text=printable(note.text),
        first_line=note.start_line + 1,
        line_count=note.line_count,
        truncated=note.truncated,
        links=note.links,
        backlinks=note.backlinks,
    )


def list_reply(page: wire.NoteList) -> ListReply:
    """A page of notes by path, title and tags; an agent can ask for the rest."""
    notes = [
        ListedNote(path=note.path, title=printable(note.title), tags=[printable(tag) for tag in note.tags])
        for note in page.notes
    ]
    return ListReply(notes=notes, total=page.total)


def related_reply(result: wire.RelatedResult, max_tokens: int, notice: str | None) -> RelatedReply:
    """As many notes, best first, as fit into *max_tokens*."""
    notes: list[RelatedHit] = []
    room = max_tokens
    for note in result.notes:
        hit = RelatedHit(
            path=note.path,
            title=printable(note.title),
            heading=printable(" › ".join(note.heading_path)),
            line=note.line + 1,
            linked=note.linked,
            text=printable(note.snippet),
        )
        room -= estimate_tokens(hit["path"] + hit["title"] + hit["heading"] + hit["text"])
        if room < 0:
            break
        notes.append(hit)
    return RelatedReply(notes=notes, notice=notice)


def explain_reply(result: wire.ExplainResult) -> ExplainReply:
    """The explanation of a note's place, without scores, which mean nothing to an agent."""
    return ExplainReply(
        path=result.path,
        state=result.state,
        message=printable(result.message),
        understood=printable(result.understood),
        rank=result.rank,
        total=result.total,
        signals=[SignalShare(signal=one.name, share=one.share) for one in result.signals],
        words_found=[printable(word) for word in result.words_found],
        words_lacking=[printable(word) for word in result.words_lacking],
    )
