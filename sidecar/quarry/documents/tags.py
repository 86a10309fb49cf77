"""
Which tags does a note have, in its front matter and in its text?

Obsidian's rules: a tag is `#` and the characters up to a space or punctuation other than `_`, `-` and `/`, with at
least one character that is not a digit; letters of every script and emoji count.
"""

import re
from collections.abc import Iterator, Mapping

from quarry.documents.markdown import TextRegions
from quarry.types import PropertyValue

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
