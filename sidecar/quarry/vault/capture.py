"""
Captures a text as a new note of the vault: its text, its front matter and its file name.

It is scrubbed, with everything that goes into its front matter, before a byte of it is written. The name is valid on
Linux, macOS and Windows, and may be used in a wiki-link. The front matter is YAML for every value: a word is written as
it is, anything else between double quotes, on one line.
"""

import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from unicodedata import combining, normalize

from msgspec import Struct
from msgspec.structs import replace

from quarry.errors import BadRequest
from quarry.kinds import NOTE_SUFFIX
from quarry.lazy_pattern import lazy_pattern
from quarry.limits import MAX_CAPTURE_BYTES
from quarry.options import NOTE_TYPES, NoteType
from quarry.redaction.scrub import scrub
from quarry.vault.paths import is_reserved_in_windows
from quarry.vault.rules import Rules
from quarry.vault.write import checked_folder, spelled_on_disk, write_new_note

MAX_TITLE = 200  # characters; longer is a paragraph
MAX_LINE = 500  # characters of the domain or the source, which may be an address
MAX_TAGS = 50
MAX_TAG = 100
DERIVED_TITLE = 80  # characters of the first line of a text; what a list shows
MAX_NAME = 120  # characters of a file name, and
MAX_NAME_BYTES = 200  # in UTF-8: file systems take 255, a number and a suffix follow, and some synchronisers add more

_CONTROLS = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f]")  # all but tab and line end: no Markdown, and a NUL is no text
# Marks of direction, zero-width characters that are not joiners, private and unassigned ends of the planes.
_UNSEEN = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]"
)
_LINE_MARKS = lazy_pattern(r"(?:#{1,6}\s+|>\s*|[-*+]\s+(?:\[.\]\s+)?|\d{1,9}[.)]\s+)+")  # heading, quotation, list item
_COLON_IN_PROSE = lazy_pattern(r":(?=\s|$)")
_BETWEEN_WORDS = lazy_pattern(r"[\\/:|]")
_NOT_IN_NAMES = lazy_pattern(r'[*?"<>#^\[\]]')  # of Windows, and of wiki-links, where they have a meaning
_NOT_IN_TAGS = lazy_pattern(r"[\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\]")
_PLAIN_SCALAR = lazy_pattern(r"[A-Za-z][A-Za-z0-9_/-]*(?: [A-Za-z0-9_/-]+)*")
_YAML_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class Draft(Struct, frozen=True):
    """The text, title and properties of a note to capture, as they were given."""

    text: str
    title: str | None = None  # None: the first line of the text
    domain: str = ""
    tags: tuple[str, ...] = ()
    type: NoteType = "note"
    source: str = ""


def checked_text(text: str) -> str:
    """
    *text* as the body of a note: line ends as `\\n`, no control characters, no blank lines around it.

    Raises:
        BadRequest: Nothing is left, or more than `MAX_CAPTURE_BYTES`.
    """
    body = _CONTROLS.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    body = body.strip("\n").rstrip()
    if not _UNSEEN.sub("", body).strip():
        raise BadRequest("there is nothing to capture: the text is empty")
    try:
        size = len(body.encode())
    except UnicodeEncodeError:
        raise BadRequest("the text is not valid Unicode; save it as UTF-8 and try again") from None
    if size > MAX_CAPTURE_BYTES:
        raise BadRequest(
            f"the text has {size:,} bytes, a captured one up to {MAX_CAPTURE_BYTES:,}; save it as a file in the vault"
        )
    return body


def checked_draft(draft: Draft) -> Draft:
    """
    *draft*, whose text `checked_text` gave, with every value as it is written: single lines, Obsidian's tags, a title.

    Raises:
        BadRequest: A value cannot be written; the message names it and says what it may be.
    """
    return Draft(
        text=draft.text,
        title=_line("title", draft.title or "", MAX_TITLE) or _derived_title(draft.text),
        domain=_line("domain", draft.domain, MAX_LINE),
        tags=_tags(draft.tags),
        type=_type(draft.type),
        source=_line("source", draft.source, MAX_LINE),
    )


def note_text(draft: Draft, today: date) -> str:
    """The whole note of a checked *draft*, created *today*: front matter and text."""
    tags = "".join(f"\n  - {_scalar(tag)}" for tag in draft.tags) or " []"
    lines = (
        "---",
        f"title: {_scalar(draft.title or '')}",
        f"type: {draft.type}",
        f"domain: {_scalar(draft.domain)}".rstrip(),
        f"tags:{tags}",
        f"created: {today.isoformat()}",
        f"updated: {today.isoformat()}",
        f"source: {_scalar(draft.source)}".rstrip(),
        "status: active",
        "---",
    )
    return "\n".join((*lines, "", draft.text, ""))


def file_stem(title: str) -> str:
    """
    The name of a note called *title*, without its suffix: NFC, never hidden or reserved, and not too long.

    Characters that Windows refuses, or that a wiki-link gives a meaning, become dashes and blanks.
    """
    name = _BETWEEN_WORDS.sub("-", _COLON_IN_PROSE.sub(" ", _UNSEEN.sub("", normalize("NFC", title))))
    name = _cut(" ".join(_NOT_IN_NAMES.sub(" ", name).split()).strip("-. "))
    if not name:
        return "Captured note"
    return f"Note {name}" if is_reserved_in_windows(name + NOTE_SUFFIX) else name


def _cut(name: str) -> str:
    """The beginning of *name* that fits, without half a character: no mark is separated from its base."""
    end = min(len(name), MAX_NAME)
    while len(name[:end].encode()) > MAX_NAME_BYTES:
        end -= 1
    while 0 < end < len(name) and _continues(name[end]):
        end -= 1
    return name[:end].rstrip("-. ")


def _continues(character: str) -> bool:
    """Whether *character* belongs to the one before it: an accent, a joiner, a variant of an emoji."""
    return combining(character) > 0 or character in "\u200c\u200d" or "\ufe00" <= character <= "\ufe0f"


def _derived_title(text: str) -> str:
    """The first line of *text* that says something, without Markdown's marks, at most `DERIVED_TITLE` characters."""
    for line in text.split("\n"):
        title = _one_line(_LINE_MARKS.sub("", line.strip(), count=1))
        if any(character.isalnum() for character in title):
            return _shortened(title)
    return "Captured note"


def _shortened(title: str) -> str:
    if len(title) <= DERIVED_TITLE:
        return title
    words = title[: DERIVED_TITLE + 1].rpartition(" ")[0]
    return (words if len(words) > DERIVED_TITLE // 2 else title[:DERIVED_TITLE]).rstrip(" ,;:.-")


def _line(name: str, value: str, most: int) -> str:
    line = _one_line(value)
    if len(line) > most:
        raise BadRequest(f"the {name} has {len(line):,} characters; it takes up to {most}: shorten it")
    return line


def _one_line(value: str) -> str:
    """*value* without what is not seen, on one line; half a surrogate pair becomes `?`."""
    return " ".join(_UNSEEN.sub(" ", value.encode("utf-8", "replace").decode()).split())


def _type(given: str) -> NoteType:
    for known in NOTE_TYPES:
        if given == known:
            return known
    raise BadRequest(f"the type is {given[:MAX_TAG]!r}; it takes one of {', '.join(NOTE_TYPES)}")


def _tags(given: tuple[str, ...]) -> tuple[str, ...]:
    """*given* with blanks as dashes, each once."""
    tags: dict[str, str] = {}
    for written in given:
        tag = "-".join(_one_line(written).lstrip("#").split())
        if not tag:
            continue
        if len(tag) > MAX_TAG or _NOT_IN_TAGS.search(tag) or not re.search(r"[^\d/_-]", tag):
            raise BadRequest(
                f"{written[:MAX_TAG]!r} cannot be a tag; one has letters, digits, - _ and /, and not digits alone"
            )
        tags.setdefault(tag.casefold(), tag)
    if len(tags) > MAX_TAGS:
        raise BadRequest(f"there are {len(tags)} tags; a captured note takes up to {MAX_TAGS}")
    return tuple(tags.values())


def _scalar(value: str) -> str:
    """*value* in YAML; nothing for an empty one, which Obsidian shows as a property without a value."""
    if not value or (_PLAIN_SCALAR.fullmatch(value) and value.lower() not in _YAML_WORDS):
        return value
    return json.dumps(value, ensure_ascii=False)


class Captured(Struct, frozen=True):
    """A note that was captured."""

    path: str
    title: str
    redactions: Mapping[str, int]  # credentials that were replaced, by the rule that found them
    is_new: bool  # False: an identical note existed already


def capture(root: Path, rules: Rules, draft: Draft, folder: str, today: date) -> Captured:
    """
    Write *draft* as a new note into *folder* of the vault at *root*, which *rules* must admit.

    Raises:
        BadRequest: The draft is empty, too large or has a value that cannot be written, or the folder is outside the
            vault, hidden, reached through a link, or excluded from the index.
        VaultMissing: The vault cannot be opened.
        NoteNotWritten: The system refuses.
    """
    inner = checked_folder(folder)
    scrubbed, redactions = _scrubbed(replace(draft, text=checked_text(draft.text)))
    checked = checked_draft(scrubbed)
    title = checked.title or ""
    _refuse_excluded(rules, root, inner, file_stem(title))
    written = write_new_note(root, inner, file_stem(title), note_text(checked, today).encode())
    return Captured(written.path, title, redactions, written.is_new)


def _scrubbed(draft: Draft) -> tuple[Draft, dict[str, int]]:
    """*draft* without credentials, and how many of each kind it had."""
    counts: dict[str, int] = {}

    def clean(text: str) -> str:
        found = scrub(text)
        for name, count in found.names().items():
            counts[name] = counts.get(name, 0) + count
        return found.text

    cleaned = replace(
        draft,
        text=clean(draft.text),
        title=clean(draft.title) if draft.title is not None else None,
        domain=clean(draft.domain),
        source=clean(draft.source),
        tags=tuple(map(clean, draft.tags)),
    )
    return cleaned, counts


def _refuse_excluded(rules: Rules, root: Path, folder: str, stem: str) -> None:
    """The message has the *folder* as it was given: how another one is spelled is not for everyone."""
    name = stem + NOTE_SUFFIX
    if refusal := rules.refusal((spelled_on_disk(root, folder) / name).relative_to(root).as_posix()):
        asked = f"{folder}/{name}" if folder else name
        raise BadRequest(
            f"a note at {asked!r} would never be found. {refusal} Choose another folder, or change that rule"
        )
