"""Which links does a note have, as written? `index/links.py` resolves them to files."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from quarry.documents.markdown import TextRegions
from quarry.types import Link, LinkKind

MAX_LABEL_CHARS = 1_000  # the distance within which the `[` of a Markdown link is looked for

_WIKI = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_MARKDOWN = re.compile(
    r"\]\([ \t]*+(?:<(?P<angled>[^<>\n]*)>|(?P<plain>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))"
    r"(?:[ \t]++(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*+\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
# Attachments that Obsidian opens; a link to one of them does not link notes.
_ATTACHMENT = re.compile(
    r"\.(?:avif|bmp|gif|jpe?g|png|svg|webp|flac|m4a|mp3|ogg|wav|3gp|mkv|mov|mp4|ogv|webm|pdf|canvas|base)\Z",
    re.IGNORECASE,
)
# Pages of web sites that are kept as Markdown link to each other by their published names.
_OTHER_FILE = re.compile(r"\.(?!md\Z)[A-Za-z][A-Za-z0-9]{0,4}\Z", re.IGNORECASE)


def link_spans(text: str, inert: TextRegions) -> Iterator[tuple[int, int]]:
    """The spans of all links, of either kind and to any target: a `#` inside one is no tag."""
    for pattern in (_WIKI, _MARKDOWN):
        for found in pattern.finditer(text):
            if not inert.cover(found.start()):
                yield found.span()


def find_links(text: str, inert: TextRegions) -> tuple[Link, ...]:
    """
    The links of *text* to notes, in order: `[[target#heading|label]]`, `![[embed]]`, `[label](path.md#heading)`.

    Left out: addresses with a scheme, attachments, and links in *inert* regions (code, math, comments).
    """
    found: list[tuple[int, Link]] = []
    if "[[" in text:
        found += ((m.start(), link) for m in _WIKI.finditer(text) if (link := _wiki_link(text, m, inert)))
    if "](" in text:
        found += _markdown_links(text, inert)
    return tuple(link for _, link in sorted(found, key=lambda at: at[0]))


def _wiki_link(text: str, found: re.Match[str], inert: TextRegions) -> Link | None:
    start = found.start()
    if inert.cover(start):
        return None
    address, bar, label = found[1].replace("\\|", "|").partition("|")  # in a table the bar is escaped
    target, heading = _split_address(address)
    if _ATTACHMENT.search(target) or not (target or heading):
        return None
    kind: LinkKind = "embed" if start > 0 and text[start - 1] == "!" else "wiki"
    return Link(kind, target, heading, label.strip() or None if bar else None)


def _markdown_links(text: str, inert: TextRegions) -> Iterator[tuple[int, Link]]:
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
    """Offset of the `[` that matches the `]` at *close*; -1 if it is not after *floor*."""
    depth, position = 1, close
    while depth:
        opening = text.rfind("[", floor, position)
        if opening < 0:
            return -1
        depth += text.count("]", opening, position) - 1
        position = opening
    return position


def _split_address(address: str) -> tuple[str, str | None]:
    """Split `target#heading` into both, trimmed."""
    target, _, heading = address.partition("#")
    return target.strip(), heading.strip() or None
