"""
JSON with comments changed in place: a member or an item is added or removed, and all other bytes stay, as do comments,
order, indentation and line ends.
"""

import json
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from quarry.agents.install.insertions import Insertion
from quarry.agents.install.jsonc import TOKEN, Malformed, Node, Path, child_at, find, line_of, parse, place_of

DEFAULT_INDENT = "  "  # as every client writes its own files

_SAME_LINE_COMMENTS = re.compile(r"(?:[ \t]*+(?://[^\r\n]*+|/\*[^\r\n]*?\*/))*+")
_LINE_END = re.compile(r"\r?\n|\r")
_REST_OF_LINE = re.compile(r"[ \t]*(?:[\r\n]|\Z)")


class TextRange(NamedTuple):
    """Characters from `start` to `end` (exclusive)."""

    start: int
    end: int


def member_insertions(text: str, path: Sequence[str], value: object) -> list[Insertion]:
    """
    The insertions that put *value* at *path*, behind the other members of its object.

    Raises:
        Malformed: *text* is no JSON, or holds something else than an object where *path* goes through.
    """
    return _insertions(text, path[:-1], "object", path[-1], value)


def item_insertions(text: str, path: Sequence[str], value: object) -> list[Insertion]:
    """The insertions that add *value* to the end of the array at *path*. Raises as `member_insertions`."""
    return _insertions(text, path, "array", None, value)


def _insertions(
    text: str, path: Sequence[str], kind: Literal["object", "array"], key: str | None, value: object
) -> list[Insertion]:
    root = container = parse(text)
    for depth, step in enumerate(path):
        child = child_at(container, step) if container.kind == "object" else None
        if child is None:
            container = _checked(text, container, "object", path[:depth])
            nested: object = {key: value} if kind == "object" else [value]
            for outer in reversed(path[depth + 1 :]):
                nested = {outer: nested}
            return _added(text, root, container, step, nested)
        container = child.node
    return _added(text, root, _checked(text, container, kind, path), key, value)


def _checked(text: str, node: Node, kind: str, path: Sequence[str]) -> Node:
    if node.kind != kind:
        named = ".".join(path) or "the file"
        raise Malformed(f"{named} is not an {kind}", line_of(text, node.start))
    return node


def _added(text: str, root: Node, container: Node, key: str | None, value: object) -> list[Insertion]:
    indent = _child_indent(text, root, container)
    written = _written(text, root, key, value, indent)
    if container.children:
        return _behind_the_last(text, container, written, indent)
    inner = text[container.start + 1 : container.end - 1]
    at = container.start + 1 + len(inner.rstrip(" \t\r\n"))
    if indent is None and "//" not in inner:
        return [Insertion(at, written)]
    newline = _newline(text)
    has_line_end = "\n" in text[at : container.end]
    closing = "" if has_line_end else newline + _line_indent(text, container.start)
    return [Insertion(at, f"{newline}{indent or DEFAULT_INDENT}{written}{closing}")]


def _behind_the_last(text: str, container: Node, written: str, indent: str | None) -> list[Insertion]:
    last = container.children[-1]
    behind = last.node.end if last.comma is None else last.comma + 1
    match = _SAME_LINE_COMMENTS.match(text, behind)
    assert match is not None  # it matches nothing, too
    is_inline = indent is None and "//" not in match[0]
    before = " " if is_inline else _newline(text) + (indent or _line_indent(text, container.start) + DEFAULT_INDENT)
    if last.comma is None:
        return [Insertion(last.node.end, ","), Insertion(match.end(), before + written)]
    return [Insertion(match.end(), f"{before}{written},")]


def _written(text: str, root: Node, key: str | None, value: object, indent: str | None) -> str:
    """The member or item as JSON; *indent* of its first line, None for all on one line."""
    unit = None if indent is None else _indent_unit(text, root)
    written = json.dumps(value, ensure_ascii=False, indent=unit)
    if indent:
        written = written.replace("\n", f"\n{indent}")
    written = written.replace("\n", _newline(text))  # a line end within a string is written as \n
    return written if key is None else f"{json.dumps(key, ensure_ascii=False)}: {written}"


def _child_indent(text: str, root: Node, container: Node) -> str | None:
    """The indentation of *container*'s children; None if they share one line."""
    if container.children:
        last = container.children[-1].start
        return _line_indent(text, last) if _starts_line(text, last) else None
    if root.children and not _starts_line(text, root.children[-1].start):
        return None
    return _line_indent(text, container.start) + _indent_unit(text, root)


def _indent_unit(text: str, root: Node) -> str:
    """The indentation added at each level, as the whole text has it."""
    last = root.children[-1].start if root.children else 0
    return (_line_indent(text, last) if _starts_line(text, last) else "") or DEFAULT_INDENT


def _starts_line(text: str, offset: int) -> bool:
    start = _line_start(text, offset)
    return start > 0 and not text[start:offset].strip(" \t")


def _line_indent(text: str, offset: int) -> str:
    before = text[_line_start(text, offset) : offset]
    return before[: len(before) - len(before.lstrip(" \t"))]


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _newline(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


# --- removing ---------------------------------------------------------------------------------


def without(text: str, path: Path) -> str:
    """
    *text* without the member or item at *path*, and the comma and blanks that came with it.

    Comments stay, but for those within what is removed. A key that occurs twice is removed once, the last.

    Raises:
        Malformed: *text* is no JSON.
        KeyError: There is nothing at *path*.
    """
    container = find(parse(text), path[:-1])
    place = None if container is None else place_of(container, path[-1])
    if container is None or place is None:
        raise KeyError(path)
    for span in reversed(_removed_spans(text, container, place)):
        text = text[: span.start] + text[span.end :]
    return text


def _removed_spans(text: str, container: Node, place: int) -> list[TextRange]:
    """The spans, in order, without which the child at *place* is gone."""
    child = container.children[place]
    start = len(text[: child.start].rstrip(" \t\r\n"))
    spans = [TextRange(start, child.node.end)]
    if child.comma is not None:
        spans.append(TextRange(child.comma, child.comma + 1))
    elif place > 0:
        comma = container.children[place - 1].comma
        assert comma is not None  # there is a child behind it
        spans.insert(0, TextRange(comma, comma + 1))
    line_end = _LINE_END.match(text, start)
    is_comma_next = child.comma is not None and not text[child.node.end : child.comma].strip()
    behind = spans[-1].end if is_comma_next else child.node.end
    if line_end and not _REST_OF_LINE.match(text, behind) and _is_in_line_comment(text, container, place, start):
        # what follows must not become a part of the comment
        spans = [TextRange(line_end.end(), span.end) if span.start == start else span for span in spans]
    return spans


def _is_in_line_comment(text: str, container: Node, place: int, offset: int) -> bool:
    """Whether a comment that lasts to the end of its line ends at *offset*, before the child at *place*."""
    at = container.start + 1
    if place > 0:
        comma = container.children[place - 1].comma
        assert comma is not None
        at = comma + 1
    kind = ""
    while at < offset and (token := TOKEN.match(text, at)):
        at = token.end()
        kind = token[0][:2]
    return kind == "//"
