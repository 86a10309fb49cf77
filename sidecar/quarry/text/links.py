"""
Which notes does a note point to, and which file does a written target mean?

Targets are resolved as Obsidian does it: by the whole path where that exists, else by file name, near files first.
"""

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from quarry.text.markdown import Regions
from quarry.types import Link, LinkKind

MAX_LABEL_CHARS = 1_000  # how far back the `[` of a Markdown link is looked for

_WIKI = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_MARKDOWN = re.compile(
    r"\]\([ \t]*+(?:<(?P<angled>[^<>\n]*)>|(?P<plain>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))"
    r"(?:[ \t]++(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*+\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
# What Obsidian opens that is no note; a link to one of them is no edge between notes.
_ATTACHMENT = re.compile(
    r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp|flac|m4a|mp3|ogg|wav|3gp|mkv|mov|mp4|ogv|webm|pdf|canvas|base)\Z",
    re.IGNORECASE,
)
# Pages of web sites that are kept as Markdown link to each other by their published names.
_OTHER_FILE = re.compile(r"\.(?!md\Z)[A-Za-z][A-Za-z0-9]{0,4}\Z", re.IGNORECASE)


def link_spans(text: str, inert: Regions) -> Iterator[tuple[int, int]]:
    """Where links stand, of either kind and wherever they lead: a `#` in there is no tag."""
    for pattern in (_WIKI, _MARKDOWN):
        for found in pattern.finditer(text):
            if not inert.cover(found.start()):
                yield found.span()


def find_links(text: str, inert: Regions) -> tuple[Link, ...]:
    """
    The links of *text* to notes, in order: `[[target#heading|label]]`, `![[embed]]`, `[label](path.md#heading)`.

    Left out: addresses with a scheme, attachments, and what stands in *inert* stretches (code, math, comments).
    """
    found: list[tuple[int, Link]] = []
    if "[[" in text:
        found += ((m.start(), link) for m in _WIKI.finditer(text) if (link := _wiki_link(text, m, inert)))
    if "](" in text:
        found += _markdown_links(text, inert)
    return tuple(link for _, link in sorted(found, key=lambda at: at[0]))


def _wiki_link(text: str, found: re.Match[str], inert: Regions) -> Link | None:
    start = found.start()
    if inert.cover(start):
        return None
    address, bar, label = found[1].replace("\\|", "|").partition("|")  # in a table the bar is escaped
    target, heading = _split_address(address)
    if _ATTACHMENT.search(target) or not (target or heading):
        return None
    kind: LinkKind = "embed" if start > 0 and text[start - 1] == "!" else "wiki"
    return Link(kind, target, heading, label.strip() or None if bar else None)


def _markdown_links(text: str, inert: Regions) -> Iterator[tuple[int, Link]]:
    previous_end = 0
    for found in _MARKDOWN.finditer(text):
        close = found.start()
        floor = max(previous_end, close - MAX_LABEL_CHARS)
        previous_end = found.end()
        angled, plain = found.groups()
        address = plain if angled is None else angled
        if _SCHEME.match(address) or inert.cover(close):
            continue
        target, heading = _split_address(unquote(address.partition("?")[0]))
        if not (target or heading) or _OTHER_FILE.search(target):
            continue
        open_ = _opening_bracket(text, floor, close)
        if open_ < 0:
            continue
        yield open_, Link("markdown", target, heading, text[open_ + 1 : close].strip() or None)


def _opening_bracket(text: str, floor: int, close: int) -> int:
    """Where the `[` stands that the `]` at *close* belongs to; -1 when it is not behind *floor*."""
    depth, position = 1, close
    while depth:
        opening = text.rfind("[", floor, position)
        if opening < 0:
            return -1
        depth += text.count("]", opening, position) - 1
        position = opening
    return position


def _split_address(address: str) -> tuple[str, str | None]:
    """`target#heading` -> both, without the spaces around them."""
    target, _, heading = address.partition("#")
    return target.strip(), heading.strip() or None


class LinkResolver:
    """
    Finds the note that a written target means.

    In this order: the path from the root of the vault; the path from the folder of the linking note; any note whose
    path ends with the target. Of several, those in or below the linking note's folder come first, then the shortest
    path, then the alphabet. Case does not count, nor does the Unicode form; `.md` may be left out. Aliases do not
    resolve: Obsidian writes `[[note|alias]]` when one is chosen.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._path_of: dict[str, str] = {}  # comparable path -> path as spelled on disk
        self._same_name: dict[str, list[str]] = {}  # comparable file name -> comparable paths, shortest first
        for path in sorted(paths):
            key = _comparable(path)
            if self._path_of.setdefault(key, path) == path:
                self._same_name.setdefault(key.rpartition("/")[2], []).append(key)
        for keys in self._same_name.values():
            keys.sort(key=lambda key: (len(key), key))

    def resolve(self, target: str, source: str) -> str | None:
        """The path of the note that *target*, written in the note *source*, leads to; "" is the note itself."""
        if not target:
            return self._path_of.get(_comparable(source))
        wanted = _comparable(target.replace("\\", "/"))
        folder = _comparable(source).rpartition("/")[0]
        for name in (f"{wanted}.md", wanted) if not wanted.endswith(".md") else (wanted, f"{wanted}.md"):
            key = self._key_of(name, folder)
            if key is not None:
                return self._path_of[key]
        return None

    def _key_of(self, wanted: str, folder: str) -> str | None:
        from_root = posixpath.normpath(wanted.lstrip("/"))
        from_folder = posixpath.normpath(posixpath.join(folder, wanted))
        if wanted.startswith(("./", "../")):
            return from_folder if from_folder in self._path_of else None
        for key in (from_root, from_folder):
            if key in self._path_of:
                return key
        near = f"{folder}/" if folder else ""
        ending = f"/{from_root}"
        matches = [key for key in self._same_name.get(from_root.rpartition("/")[2], ()) if key.endswith(ending)]
        return min(matches, key=lambda key: not key.startswith(near), default=None)  # min keeps the first of equals


def _comparable(path: str) -> str:
    """Text by which paths are compared: NFC, lower case."""
    return (path if path.isascii() else unicodedata.normalize("NFC", path)).lower()
