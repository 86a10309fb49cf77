"""The tools that read notes and write new ones: `read_note`, `list_notes`, `capture`; and how passages are named."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct, structs

from quarry import protocol as wire
from quarry.client.codec import RequestFailed
from quarry.dates import day_of, parse_day_ms
from quarry.limits import MAX_CAPTURE_BYTES, MAX_QUERY_CHARS, MAX_TOKENS, MIN_TOKENS
from quarry.mcp import quoting
from quarry.mcp.quoting import Rendered, clean_name, document, fields, fitted, sentences, whole_lines, without_empty
from quarry.mcp.vaults import WAIT_MS, BadArguments, PendingCall, Vault
from quarry.options import NoteType
from quarry.protocol.base import limitations
from quarry.redaction.sanitize import printable

MOST_TOKENS = 20_000  # clients cut results at 25,000

Text = Annotated[str, Meta(max_length=MAX_QUERY_CHARS)]
PathTitleOrId = Annotated[Text, Meta(description="Path, title, or id")]
Day = Annotated[Text, Meta(description="YYYY-MM-DD")]
Line = Annotated[int, Meta(ge=1)]
Tokens = Annotated[int, Meta(ge=MIN_TOKENS, le=MOST_TOKENS)]

ALLOW_CAPTURE = "ask the user to set by_agents = true under [capture] in the vault's .quarry.toml"
_PASSAGE = re.compile(r"(.+?\.(?:md|markdown|canvas|pdf)):(\d{1,9})", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*\s*?$|\Z)", re.MULTILINE | re.DOTALL)


class ReadNote(Struct, forbid_unknown_fields=True):
    """Arguments of `read_note`."""

    path: PathTitleOrId | None = None
    paths: Annotated[list[Text], Meta(max_length=4, description="Several, instead of path")] | None = None
    first_line: Line = 1
    max_tokens: Tokens = 8000  # below the 10,000 at which clients begin to warn
    links: Annotated[bool, Meta(description="Also links and backlinks")] = False


class ListNotes(Struct, forbid_unknown_fields=True):
    """Arguments of `list_notes`."""

    folder: Text | None = None
    tag: Text | None = None
    type: Text | None = None
    domain: Text | None = None
    status: Text | None = None
    modified_after: Day | None = None
    modified_before: Day | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 20
    cursor: Annotated[str, Meta(pattern=r"^\d{1,9}$", description="next_cursor of the page before")] | None = None


class Capture(Struct, forbid_unknown_fields=True):
    """Arguments of `capture`."""

    text: Annotated[str, Meta(max_length=MAX_CAPTURE_BYTES, description="Markdown")]
    title: Text | None = None
    domain: Text | None = None
    tags: Annotated[list[Text], Meta(max_length=100)] | None = None
    type: NoteType = "note"
    source: Text = "mcp"
    folder: Text | None = None


class PassageUri(NamedTuple):
    """A note, and the line of a passage in it, from 1; None: all of it."""

    note: str
    line: int | None = None


class Excerpt(NamedTuple):
    """A note, or a part of it, as it was read."""

    note: wire.NoteText
    first_line: int  # from 1
    text: str
    ends_early: bool  # the wire gave less of it than was asked for


def passage_uri(path: str, line: int) -> str:
    """
    The id of the passage at *line*, from 0, of the note at *path*.

    `Folder/Note.md:12` is the section that contains line 12, counted from 1. Ids need no state and survive a restart.
    """
    return f"{printable(path)}:{line + 1}"


def split_uri(name: str) -> PassageUri:
    """The note and the line that *name* refers to; a title or path without a line is the whole note."""
    found = _PASSAGE.fullmatch(name)
    return PassageUri(found[1], int(found[2]) or None) if found else PassageUri(name)


def section_of(text: str, line: int) -> tuple[int, int]:
    """
    The lines `[first, end)` of the section of *text* that contains *line*, all from 0: from a heading to the next one.

    Headings inside fences do not count. Front matter and the text above the first heading are a section as well.
    """
    lines = _FENCED.sub(lambda fenced: "\n" * fenced[0].count("\n"), text).split("\n")
    headings = [number for number, row in enumerate(lines) if _HEADING.match(row)]
    first = max((number for number in headings if number <= line), default=0)
    return first, min((number for number in headings if number > line), default=len(lines))


def read_note(vault: Vault, asked: ReadNote, call: PendingCall) -> Rendered:
    """
    One note, or up to four notes and passages in one budget.

    Raises:
        BadArguments: Neither `path` nor `paths` is given, or both; or it begins beyond the end of the note.
    """
    if (asked.path is None) == (not asked.paths):
        given = "both are given" if asked.path is not None else "neither is given"
        raise BadArguments(f"`path` or `paths` says what to read; {given}", "send one of the two")
    names = [asked.path] if asked.path is not None else list(dict.fromkeys(asked.paths or ()))
    excerpts = [_excerpt(vault, split_uri(name), asked, call) for name in names]
    state = sentences(dict.fromkeys(str(reason) for one in excerpts for reason in limitations(one.note.index)))

    def rendered(shown: int, width: int) -> Rendered:
        notes = [_note(excerpt, width, with_links=asked.links) for excerpt in excerpts[:shown]]
        left_out = f"Not shown, as max_tokens is too small: {', '.join(names[shown:])}" if names[shown:] else None
        message = sentences([state, left_out])
        structured = without_empty({"notes": notes, "message": message}, "notes")
        preface = quoting.PREFACE if notes else None
        return Rendered(structured, document(message, preface, *map(_note_block, notes)))

    return fitted(rendered, [excerpt.text for excerpt in excerpts], asked.max_tokens)


def list_notes(vault: Vault, asked: ListNotes, call: PendingCall) -> Rendered:
    """
    A page of notes, newest first.

    Raises:
        BadRequest: A day is invalid.
    """
    offset = int(asked.cursor or 0)
    params = {
        "folder": asked.folder,
        "tag": asked.tag.removeprefix("#") if asked.tag else None,
        "type": asked.type,
        "domain": asked.domain,
        "status": asked.status,
        "modifiedAfterMs": _day_ms(asked.modified_after, "modified_after"),
        "modifiedBeforeMs": _day_ms(asked.modified_before, "modified_before"),
        "limit": asked.limit,
        "offset": offset,
        "waitMs": WAIT_MS,
    }
    page: wire.NoteList = vault.ask("notes/list", params, call)
    notes = [_listed(note) for note in page.notes]
    end = offset + len(notes)
    cursor = str(end) if notes and end < page.total else None
    nothing = None if notes else "No notes match. Try broader terms: fewer filters, or a parent folder"
    message = sentences([nothing, *limitations(page.index)])
    structured = {"notes": notes, "total": page.total, "next_cursor": cursor, "message": message}
    lines = "\n".join(f"- {_listed_line(note)}" for note in notes)
    more = f"{end} of {page.total}; go on with cursor {cursor}" if cursor else None
    return Rendered(without_empty(structured, "notes", "total"), document(message, lines, more))


def capture(vault: Vault, asked: Capture, call: PendingCall) -> Rendered:
    """Write a new note. The sidecar accepts it only where the vault's settings let agents write."""
    try:
        written: wire.CaptureResult = vault.ask("capture", structs.asdict(asked), call)
    except RequestFailed as refused:
        if refused.kind != "forbidden":
            raise
        # The sidecar's own suggestion says where the owner's token is: not for an agent.
        raise RequestFailed("this vault takes no notes from agents", refused.kind, ALLOW_CAPTURE) from refused
    redacted = f"{written.redacted} credentials were blanked" if written.redacted else None
    pending = None if written.searchable else "It is not indexed yet"
    known = None if written.created else "The very same note was there already"
    message = sentences([redacted, pending, known])
    about = {**fields(written, "path", "title"), "message": message}
    text = document(f"Captured: {quoting.title_line(about['path'], about['title'])}", message)
    return Rendered(without_empty(about, "path"), text)


# --- parts -----------------------------------------------------------------------------------------


def _excerpt(vault: Vault, passage: PassageUri, asked: ReadNote, call: PendingCall) -> Excerpt:
    """The section of *passage*, or the note from `first_line` on."""
    first_line = asked.first_line
    is_section = passage.line is not None and first_line == 1
    params = {
        "path": passage.note,
        "startLine": first_line - 1,
        "maxTokens": MAX_TOKENS if is_section else asked.max_tokens,
    }
    note: wire.NoteText = vault.ask("note/read", params, call)
    line = passage.line if is_section and passage.line else first_line
    if line > note.line_count:
        raise BadArguments(
            f"line {line:,} is beyond the end: {clean_name(note.path)} has {note.line_count:,} lines",
            f"read from a line between 1 and {note.line_count:,}",
        )
    if not is_section:
        return Excerpt(note, first_line, quoting.whole_text(note.text), note.truncated)
    first, end = section_of(note.text, line - 1)
    section = "\n".join(note.text.split("\n")[first:end])
    return Excerpt(note, first + 1, quoting.whole_text(section), ends_early=False)


def _note(excerpt: Excerpt, width: int, *, with_links: bool) -> dict[str, Any]:
    note, text = excerpt.note, whole_lines(excerpt.text, width)
    is_cut = len(text) < len(excerpt.text) or excerpt.ends_early
    last_line = excerpt.first_line + max(0, text.rstrip("\n").count("\n"))
    about = {
        **fields(note, "path", "title", "tags"),
        "first_line": excerpt.first_line,
        "last_line": last_line,
        "line_count": note.line_count,
        "next_line": min(last_line + 1, note.line_count) if is_cut else None,
        **(fields(note, "links", "backlinks") if with_links else {}),
        "text": text,
    }
    return without_empty(about, "text")


def _note_block(note: Mapping[str, Any]) -> str:
    lines = f"lines {note['first_line']} to {note['last_line']} of {note['line_count']}"
    more = f"cut off; go on with first_line={note['next_line']}" if "next_line" in note else None
    links = [f"{name}: {', '.join(note[name])}" for name in ("links", "backlinks") if note.get(name)]
    head = quoting.title_line(note["path"], note["title"], ", ".join(f"#{tag}" for tag in note.get("tags", ())), lines)
    return "\n".join(filter(None, [head, more, *links, quoting.fenced(note["text"])]))


def _listed(note: wire.NoteSummary) -> dict[str, Any]:
    about = fields(note, "path", "title", "type", "domain", "status", "tags")
    return without_empty({**about, "modified": day_of(note.modified_ms)}, "title", "modified")


def _listed_line(note: Mapping[str, Any]) -> str:
    kinds = ", ".join(filter(None, [note.get("type"), note.get("domain"), note.get("status")]))
    tags = ", ".join(f"#{tag}" for tag in note.get("tags", ()))
    return quoting.title_line(note["path"], note["title"], kinds, tags, note["modified"])


def _day_ms(text: str | None, name: str) -> int | None:
    return parse_day_ms(text, name) if text else None
