"""
Links, tags and data inside the text of a note.

Links are kept as written; `index/` resolves them to files. Tags follow Obsidian's rules: `#` and the characters up to a
space or punctuation other than `_`, `-` and `/`, at least one of them not a digit; letters of every script and emoji
count. JSON and YAML blocks and front matter are flattened to lines like `server.port: 8080`, so that a key is found
together with the keys above it and with its value. Their size is bounded: large data is for machines, and its own text
is indexed anyway.
"""

import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from quarry.documents.frontmatter import read_properties
from quarry.documents.markdown import TextRegions
from quarry.types import Link, LinkKind, PropertyValue

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


MAX_TAG_CHARS = 200  # longer is data that begins with a hash

# `#` comes first, as a literal that `re` can skip to; the text before it is checked afterwards. An opening
# bracket after `]` is the address of a link, not prose.
_INLINE = re.compile(
    r"#(?<![^\s(*_~>|,;，。、；（「]#)(?<!\]\(#)"
    r"([^\s#!\"$%&'()*+,.:;<=>?@^`{|}~\[\]\\\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+)"
)
_SEPARATORS = re.compile(r"[\s,]+")
_NUMERIC = re.compile(r"[\d/_-]*")
_FRONT_MATTER_KEYS = ("tags", "tag")


def find_tags(
    text: str, inert: TextRegions, properties: Mapping[str, PropertyValue], body_start: int = 0
) -> tuple[str, ...]:
    """
    The tags of a note without `#`, front matter first, each once (case ignored), spelled as first met.

    Args:
        text: The note.
        inert: Regions without tags: code, math, comments, links.
        properties: The front matter.
        body_start: Where the text after the front matter begins.
    """
    tags: dict[str, str] = {}
    for tag in (*_front_matter_tags(properties), *_inline_tags(text, inert, body_start)):
        tags.setdefault(tag.lower(), tag)
    return tuple(tags.values())


def has_tag_sign(text: str, body_start: int = 0) -> bool:
    """Whether anything looks like a tag; a quick no for most notes."""
    return _INLINE.search(text, body_start) is not None


def _front_matter_tags(properties: Mapping[str, PropertyValue]) -> Iterator[str]:
    """The tags in `tags` and `tag`: a list, or text separated by commas or spaces; with or without `#`."""
    for name, value in properties.items():
        if name.lower() in _FRONT_MATTER_KEYS:
            for written in value if isinstance(value, tuple) else (str(value),):
                for tag in _SEPARATORS.split(written):
                    if found := _tag_name(tag.lstrip("#")):
                        yield found


def _inline_tags(text: str, inert: TextRegions, body_start: int) -> Iterator[str]:
    for found in _INLINE.finditer(text, body_start):
        if not inert.cover(found.start()) and (name := _tag_name(found[1])):
            yield name


def _tag_name(written: str) -> str | None:
    """*written* without slashes at its ends; None if it has only digits, or is too long for a tag."""
    name = written.strip("/")
    return name if len(name) <= MAX_TAG_CHARS and not _NUMERIC.fullmatch(name) else None


MAX_CHARS = 2_000  # of lines from one block
MAX_SOURCE_CHARS = 65_536  # of a block; a longer one is not read
MAX_VALUE_CHARS = 300  # of one value; the rest is found as text

_JSON_LANGUAGES = frozenset({"json", "jsonc", "json5", "geojson", "jsonld"})
_YAML_LANGUAGES = frozenset({"yaml", "yml"})


def is_data(language: str) -> bool:
    """Whether a fence in this *language* holds data that `flatten_block` reads."""
    return language in _JSON_LANGUAGES or language in _YAML_LANGUAGES


def flatten_block(language: str, source: str) -> tuple[str, ...]:
    """The lines for a JSON or YAML block; none if it cannot be read, is too long, or is in another *language*."""
    if len(source) > MAX_SOURCE_CHARS:
        return ()
    if language in _JSON_LANGUAGES:
        return _bounded(_flat_json(source))
    if language in _YAML_LANGUAGES:
        properties, _ = read_properties(source)
        return flatten_properties(properties)
    return ()


def flatten_properties(
    properties: Mapping[str, PropertyValue], *, leave_out: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """The lines for *properties*, except those named in *leave_out* (lower case)."""
    return _bounded(
        (name, ", ".join(value) if isinstance(value, tuple) else _shown(value))
        for name, value in properties.items()
        if name.lower() not in leave_out
    )


def _bounded(pairs: Iterator[tuple[str, str]]) -> tuple[str, ...]:
    """`key: value` lines of at most 2,000 characters together, each on one line, with long values cut."""
    lines: list[str] = []
    room = MAX_CHARS
    for name, value in pairs:
        line = " ".join(f"{name}: {value[:MAX_VALUE_CHARS]}".split())
        room -= len(line) + 1
        if room < 0:
            break
        if value:
            lines.append(line)
    return tuple(lines)


def _flat_json(source: str) -> Iterator[tuple[str, str]]:
    """The leaves of a JSON text in order, by dotted path; items of a list share the path of the list."""
    try:
        root = json.loads(source)
    except (ValueError, RecursionError):  # comments, an excerpt, numbers of 5,000 digits, brackets without end
        return
    stack: list[tuple[str, object]] = [("", root)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack += reversed([(f"{path}.{name}" if path else str(name), inner) for name, inner in value.items()])
        elif isinstance(value, list):
            stack += reversed([(path, inner) for inner in value])
        elif value is not None and path:
            yield path, _shown(value)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
