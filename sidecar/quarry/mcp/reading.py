"""The tools that read: `read_note` and `list_notes`."""

import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from quarry.mcp import markdown
from quarry.mcp.arguments import BadArguments
from quarry.mcp.budget import Rendered, fitted, whole_lines
from quarry.mcp.calls import PendingCall
from quarry.mcp.markdown import clean_name
from quarry.mcp.places import Place, section_of, split_place
from quarry.mcp.vaults import WAIT_MS, Vault
from quarry.mcp.versions import has_structured_results
from quarry.query.dates import day_of, parse_day_ms

if TYPE_CHECKING:
    from quarry import protocol as wire

Arguments = Mapping[str, Any]

WHOLE_TOKENS = 100_000  # as much of a note as the wire gives, to find a section in it


class Excerpt(NamedTuple):
    """A note, or a part of it, as it was read."""

    note: "wire.NoteText"
    first_line: int  # from 1
    text: str
    ends_early: bool  # the wire gave less of it than was wanted


def read_note(vault: Vault, asked: Arguments, call: PendingCall) -> Rendered:
    """
    One note, or up to four notes and passages in one budget.

    Raises:
        BadArguments: Neither `path` nor `paths` is given, or both; or it begins beyond the end of the note.
    """
    names = _names(asked)
    excerpts = [_excerpt(vault, split_place(name), asked, call) for name in names]
    message = markdown.sentences(dict.fromkeys(said for one in excerpts for said in markdown.state_of(one.note.index)))

    def rendered(shown: int, width: int) -> Rendered:
        notes = [_note(excerpt, width, with_links=asked["links"]) for excerpt in excerpts[:shown]]
        left_out = f"Not shown, as max_tokens is too small: {', '.join(names[shown:])}" if names[shown:] else None
        said = markdown.sentences([message, left_out])
        structured = markdown.without_empty({"notes": notes, "message": said}, "notes")
        preface = markdown.PREFACE if notes else None
        return Rendered(structured, markdown.document(said, preface, *map(_note_block, notes)))

    longest = max(len(excerpt.text) for excerpt in excerpts)
    with_structured = has_structured_results(call.version)
    return fitted(rendered, len(excerpts), longest, asked["max_tokens"], with_structured=with_structured)


def list_notes(vault: Vault, asked: Arguments, call: PendingCall) -> Rendered:
    """
    A page of notes, newest first.

    Raises:
        BadArguments: The cursor is not one of this list.
        BadRequest: A day is none.
    """
    wanted = {
        "folder": asked["folder"],
        "tag": asked["tag"].removeprefix("#") if asked["tag"] else None,
        "type": asked["type"],
        "domain": asked["domain"],
        "status": asked["status"],
        "modifiedAfterMs": _day_ms(asked["modified_after"], "modified_after"),
        "modifiedBeforeMs": _day_ms(asked["modified_before"], "modified_before"),
    }
    offset = _offset_of(asked["cursor"], wanted)
    page: wire.NoteList = vault.ask(
        "notes/list", {**wanted, "limit": asked["limit"], "offset": offset, "waitMs": WAIT_MS}, call
    )
    notes = [_listed(note) for note in page.notes]
    end = offset + len(notes)
    cursor = _cursor(end, wanted) if notes and end < page.total else None
    nothing = None if notes else "No notes match. Try broader terms: fewer filters, or a folder above"
    message = markdown.sentences([nothing, *markdown.state_of(page.index)])
    structured = {"notes": notes, "total": page.total, "next_cursor": cursor, "message": message}
    told = markdown.without_empty(structured, "notes", "total")
    lines = "\n".join(f"- {_listed_line(note)}" for note in notes)
    more = f"{end} of {page.total}; go on with cursor {cursor}" if cursor else None
    return Rendered(told, markdown.document(message, lines, more))


# --- reading ---------------------------------------------------------------------------------------


def _names(asked: Arguments) -> list[str]:
    path, paths = asked["path"], asked["paths"]
    if (path is None) == (not paths):
        given = "both are given" if path is not None else "neither is given"
        raise BadArguments(f"`path` or `paths` says what to read; {given}", "send one of the two")
    if paths and asked["first_line"] > 1:
        raise BadArguments("`first_line` goes with `path`", "send ids such as Folder/Note.md:12 in `paths`")
    return [path] if path is not None else list(dict.fromkeys(paths))


def _excerpt(vault: Vault, place: Place, asked: Arguments, call: PendingCall) -> Excerpt:
    first_line = asked["first_line"]
    if place.line is not None and first_line == 1:
        return _section(vault, place, call)
    params = {"path": place.note, "startLine": first_line - 1, "maxTokens": max(50, asked["max_tokens"])}
    note: wire.NoteText = vault.ask("note/read", params, call)
    _check_line(note, first_line)
    return Excerpt(note, first_line, markdown.whole_text(note.text), note.truncated)


def _section(vault: Vault, place: Place, call: PendingCall) -> Excerpt:
    note: wire.NoteText = vault.ask("note/read", {"path": place.note, "maxTokens": WHOLE_TOKENS}, call)
    assert place.line is not None
    _check_line(note, place.line)
    lines = note.text.split("\n")
    first, end = section_of(lines, place.line - 1)
    return Excerpt(note, first + 1, markdown.whole_text("\n".join(lines[first:end])), ends_early=False)


def _check_line(note: "wire.NoteText", line: int) -> None:
    if line > note.line_count:
        raise BadArguments(
            f"line {line:,} is beyond the end: {clean_name(note.path)} has {note.line_count:,} lines",
            f"read from a line between 1 and {note.line_count:,}",
        )


def _note(excerpt: Excerpt, width: int, *, with_links: bool) -> dict[str, Any]:
    note, text = excerpt.note, whole_lines(excerpt.text, width)
    is_cut = len(text) < len(excerpt.text) or excerpt.ends_early
    last_line = excerpt.first_line + max(0, text.rstrip("\n").count("\n"))
    about = {
        "path": clean_name(note.path),
        "title": clean_name(note.title),
        "tags": [clean_name(tag) for tag in note.tags],
        "first_line": excerpt.first_line,
        "last_line": last_line,
        "line_count": note.line_count,
        "next_line": min(last_line + 1, note.line_count) if is_cut else None,
        "links": [clean_name(link) for link in note.links] if with_links else None,
        "backlinks": [clean_name(link) for link in note.backlinks] if with_links else None,
        "text": text,
    }
    return markdown.without_empty(about, "text")


def _note_block(note: Mapping[str, Any]) -> str:
    lines = f"lines {note['first_line']} to {note['last_line']} of {note['line_count']}"
    more = f"cut off; go on with first_line={note['next_line']}" if "next_line" in note else None
    links = [f"{name}: {', '.join(note[name])}" for name in ("links", "backlinks") if note.get(name)]
    head = markdown.title_line(note["path"], note["title"], ", ".join(f"#{tag}" for tag in note.get("tags", ())), lines)
    return "\n".join(filter(None, [head, more, *links, markdown.fenced(note["text"])]))


# --- listing ---------------------------------------------------------------------------------------


def _listed(note: "wire.NoteSummary") -> dict[str, Any]:
    about = {
        "path": clean_name(note.path),
        "title": clean_name(note.title),
        "type": clean_name(note.type or ""),
        "domain": clean_name(note.domain or ""),
        "status": clean_name(note.status or ""),
        "tags": [clean_name(tag) for tag in note.tags],
        "modified": day_of(note.modified_ms),
    }
    return markdown.without_empty(about, "title", "modified")


def _listed_line(note: Mapping[str, Any]) -> str:
    kinds = ", ".join(filter(None, [note.get("type"), note.get("domain"), note.get("status")]))
    tags = ", ".join(f"#{tag}" for tag in note.get("tags", ()))
    return markdown.title_line(note["path"], note["title"], kinds, tags, note["modified"])


def _day_ms(text: str | None, name: str) -> int | None:
    return parse_day_ms(text, name) if text else None


def _cursor(offset: int, wanted: Mapping[str, Any]) -> str:
    """Where the next page of the list *wanted* begins; opaque to the client, and of no use for another list."""
    return f"{offset}-{_digest(wanted)}"


def _offset_of(cursor: str | None, wanted: Mapping[str, Any]) -> int:
    if cursor is None:
        return 0
    offset, _, digest = cursor.partition("-")
    if not (offset.isascii() and offset.isdigit() and len(offset) < 10 and digest == _digest(wanted)):
        raise BadArguments(
            f"`cursor` is {cursor[:60]!r}, which is not from this list",
            "send the `next_cursor` of the page before with the same filters, or leave it out",
        )
    return int(offset)


def _digest(wanted: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(repr(sorted(wanted.items())).encode('utf-8', 'surrogatepass')):08x}"
