"""
Reads the properties in the front matter of a note.

This is not a YAML loader: the C loader crashes on 40 KB of brackets, and every loader refuses what people
write in notes (`title: Foo: bar`, `author: @bob`, `created: {{date}}`, tabs) or reads it as something else
(`status: no`, `id: 0123`, `up: [[Home]]`). A line that cannot be read costs only that line.

Values are text unless they plainly are a number or `true`/`false`. There are no anchors, aliases or type tags. Nested
maps become dotted names (`source.url`); maps in a list are gathered by name (`authors.name` -> every name).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from quarry.documents.yaml_flow import (
    MAX_DEPTH,
    QUOTED,
    FlowValue,
    YamlTooDeep,
    parse_flow,
    parse_quoted,
    parse_scalar,
)
from quarry.messages import Message, message
from quarry.types import PropertyValue

MAX_CHARS = 65_536  # of front matter; the longest seen in 18,759 notes has 4,700
MAX_CONTINUED_LINES = 1_000  # of one value; keeps lines with an unclosed bracket from being read again and again
MAX_PROBLEMS = 5  # a note with prose as front matter needs no list of its lines

_OPENING = re.compile(r"---[ \t]*\n")
_CLOSING = re.compile(r"^---[ \t]*$", re.MULTILINE)
_KEY_END = re.compile(r":(?=[ \t]|$)")
_COMMENT = re.compile(r"(?:^|[ \t])#(?=[ \t]|$)")  # `tags: #foo` is no comment here: people mean the tag
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]{0,2}(?:[ \t]+#.*)?")
_WIKI_LINK_FIRST = re.compile(r"\[\[[^\[\]]*\]\]")
_SIMPLE_NAME = re.compile(r"[\w.-]+")
_PLUGINS_OF_OTHER_DOCUMENTS = frozenset({"excalidraw-plugin", "kanban-plugin"})
SENSITIVITY = "sensitivity"  # the property with the data class of a note
_SENSITIVITY_LINE = re.compile(rf"^[\"']?{SENSITIVITY}[\"']?[ \t]*:(.*)$", re.MULTILINE | re.IGNORECASE)
_INDEXED_CLASSES = frozenset({"public", "internal"})
DataClass = Literal["sensitive", "restricted"]
_PLAIN_LISTS = frozenset({"aliases", "alias", "tags", "tag"})  # `- Foo: bar` is a text there, not a map


class FrontMatter(Struct, frozen=True):
    """The properties of a note, and where the text after them begins."""

    properties: Mapping[str, PropertyValue]
    body_start: int  # code points; 0 without front matter
    problems: tuple[Message, ...]


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter of a note. Never raises: what cannot be read is listed in `problems`."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return FrontMatter({}, 0, ())
    source = text[opening.end() : closing.start()]
    problems: tuple[Message, ...] = ()
    if len(source) > MAX_CHARS:
        source = source[:MAX_CHARS].rpartition("\n")[0]
        problems = (message("reason.front-matter.long", limit=MAX_CHARS),)
    properties, unread = read_properties(source)
    if source.strip() and not properties:  # two horizontal rules with text between them, which is indexed as text
        return FrontMatter({}, 0, ())
    return FrontMatter(properties, min(closing.end() + 1, len(text)), problems + unread)


def refused_class(text: str) -> DataClass | None:
    """
    The data class for which the note *text* must not be indexed: any value of `sensitivity` but public and internal.

    An unknown value counts as restricted; an empty one as no class. A line that begins with the name counts even where
    the front matter is not closed or the line is not YAML: in doubt, the note is left out.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    source = text[opening.end() : closing.start() if closing else opening.end() + MAX_CHARS]
    values = classes_of(read_properties(source[:MAX_CHARS])[0]) or set(map(_class, _SENSITIVITY_LINE.findall(source)))
    classes = values - {"", *_INDEXED_CLASSES}
    if not classes:
        return None
    return "sensitive" if classes == {"sensitive"} else "restricted"


def classes_of(properties: Mapping[str, PropertyValue]) -> set[str]:
    """The values of `sensitivity`, also of names below it, in lower case; "" for an empty one."""
    found: set[str] = set()
    for name, value in properties.items():
        if name.lower() == SENSITIVITY or name.lower().startswith(f"{SENSITIVITY}."):
            found.update(_class(str(item)) for item in (value if isinstance(value, tuple) else (value,)))
    return found


def _class(value: str) -> str:
    return value.strip(" \t\"'").lower()


def is_drawing_or_board(properties: Mapping[str, PropertyValue]) -> bool:
    """Whether the note is an Excalidraw drawing or a Kanban board: machine-made text that is not indexed."""
    return any(name.lower() in _PLUGINS_OF_OTHER_DOCUMENTS for name in properties)


def read_properties(source: str) -> tuple[dict[str, PropertyValue], tuple[Message, ...]]:
    """Read YAML-like lines; return the properties by dotted name, and sentences about what could not be read."""
    reader = _Reader(source)
    reader.run()
    return reader.properties(), tuple(reader.problems)


class _Open(Struct):
    """A name whose value continues on the lines below: a map, a list or nothing."""

    indent: int
    name: str  # dotted
    depth: int
    in_list: bool  # its values are gathered, as the map stands in a list


class _Reader:
    """Reads line by line; `_open` is the stack of names that enclose the line."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self._at = 0
        self._open: list[_Open] = []
        self._values: dict[str, PropertyValue | list[str]] = {}
        self.problems: list[Message] = []

    def properties(self) -> dict[str, PropertyValue]:
        return {name: tuple(value) if isinstance(value, list) else value for name, value in self._values.items()}

    def run(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            content = line.strip()
            if not content or (content[0] == "#" and content[1:2] in ("", " ", "#", "\t")):
                self._at += 1
                continue
            indent = _indent(line)
            is_item = content == "-" or content.startswith(("- ", "-\t"))
            while self._open and (self._open[-1].indent > indent or (self._open[-1].indent == indent and not is_item)):
                self._open.pop()
            parent = self._open[-1] if self._open else None
            key_end = None if is_item else _key_end(content)
            if is_item and parent is not None:
                self._read_item(parent, indent, content)
            elif key_end is not None:
                self._read_pair(parent, indent, content, key_end)
            else:
                self._note_problem(self._at)
                self._at += 1

    def _read_item(self, owner: _Open, indent: int, content: str) -> None:
        """`- value`, `- - value`, or `- name: value` with more names of the same map on the lines below."""
        item = content
        while item == "-" or item.startswith(("- ", "-\t")):
            item = item[1:].lstrip()
        key_end = _key_end(item) if item and owner.name not in _PLAIN_LISTS else None
        if key_end is not None and _SIMPLE_NAME.fullmatch(item[:key_end]):
            if not (owner.in_list and owner.indent == indent):  # else it is already open, by the item before
                owner = _Open(indent, owner.name, owner.depth, in_list=True)
                self._open.append(owner)
            self._read_pair(owner, indent + len(content) - len(item), item, key_end)
        elif item:
            self._store(owner.name, self._read_value(indent, item, as_text=True), gather=True)
        else:
            self._at += 1

    def _read_pair(self, parent: _Open | None, indent: int, content: str, key_end: int) -> None:
        """`name: value`, or `name:` with its value on the lines below."""
        name = parse_quoted(content[:key_end].strip())
        depth = parent.depth + 1 if parent else 1
        gather = parent.in_list if parent else False
        if depth > MAX_DEPTH or not name:
            self._note_problem(self._at)
            self._at += 1
            return
        dotted = f"{parent.name}.{name}" if parent else name
        if parent is not None and self._values.get(parent.name) == "":
            del self._values[parent.name]  # it has a map, so it is not empty
        self._open.append(_Open(indent, dotted, depth, gather))
        value = self._read_value(indent, content[key_end + 1 :].strip(), as_text=gather)
        if value != "" or not gather:
            self._store(dotted, value, gather=gather)

    def _read_value(self, indent: int, written: str, *, as_text: bool) -> FlowValue | PropertyValue:
        """Read the value that begins with *written* on the current line, and move past its last line."""
        line = self._at
        self._at += 1
        sign = written[:1]
        if sign in ("|", ">") and _BLOCK_SCALAR.fullmatch(written):
            return self._block_scalar(indent, folded=sign == ">")
        if sign in ("'", '"'):
            quoted = self._whole(indent, written, _read_quoted_prefix)
            if quoted is not None:
                return quoted
        elif (sign == "[" and not _WIKI_LINK_FIRST.match(written)) or (sign == "{" and not written.startswith("{{")):
            try:
                flow = self._whole(indent, written, parse_flow)
            except YamlTooDeep:
                self._note_problem(line)
                flow = None
            if flow is not None:
                return flow
        comment = _COMMENT.search(written)
        plain = written[: comment.start()].strip() if comment else written
        if plain and comment is None:
            plain += self._continuation(indent)
        return plain if as_text else parse_scalar(plain)

    def _block_scalar(self, indent: int, *, folded: bool) -> str:
        """`|` keeps line ends, `>` joins lines into paragraphs."""
        lines: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip() and _indent(line) <= indent:
                break
            lines.append(line.strip() if folded else line.rstrip())
            self._at += 1
        margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
        text = "\n".join(line[margin:] for line in lines).strip("\n")
        return re.sub(r"(?<!\n)\n(?!\n)", " ", text) if folded else text

    def _further_lines(self, indent: int) -> Iterator[str]:
        """The following lines, indented deeper than *indent* (or closing a bracket), that may belong to a value."""
        for line in self._lines[self._at : self._at + MAX_CONTINUED_LINES]:
            content = line.strip()
            if content and _indent(line) <= indent and content[0] not in "]}":
                return
            yield content

    def _whole(
        self, indent: int, written: str, read: Callable[[str], tuple[FlowValue, int] | None]
    ) -> FlowValue | None:
        """The value that *read* finds on this line or over several; None if other text follows it."""
        found = read(written)
        source, lines = written, [written]
        if found is None:
            lines += self._further_lines(indent)
            source = " ".join(lines)
            found = read(source)
        if found is None:
            return None
        value, end = found
        line_end = -1
        used = 0
        while line_end < end:
            line_end += 1 + len(lines[used])
            used += 1
        rest = source[end:line_end].strip()
        if rest and not rest.startswith("#"):
            return None
        self._at += used - 1
        return value

    def _continuation(self, indent: int) -> str:
        """The rest of a plain text that continues, indented deeper, on the following lines."""
        parts: list[str] = []
        for line in self._further_lines(indent):
            if not line or line[0] in "#]}" or line.startswith("- ") or _key_end(line) is not None:
                break
            parts.append(f" {line}")
        self._at += len(parts)
        return "".join(parts)

    def _store(self, name: str, value: FlowValue | PropertyValue, *, gather: bool) -> None:
        """Keep *value* under *name*, a map under dotted names; *gather* adds to a list instead of replacing."""
        if isinstance(value, dict):
            for inner, inner_value in value.items():
                self._store(f"{name}.{inner}", inner_value, gather=gather)
        elif isinstance(value, list | tuple):
            if not gather:
                self._values[name] = []
            for item in value:
                self._store(name, item, gather=True)
        elif gather:
            known = self._values.get(name, "")
            if isinstance(known, list):
                known.append(str(value))
            else:
                self._values[name] = [str(value)] if known == "" else [str(known), str(value)]
        else:
            self._values[name] = value

    def _note_problem(self, line: int) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            written = self._lines[line].strip()[:80]
            self.problems.append(message("reason.front-matter", line=line + 2, text=written))


def _read_quoted_prefix(written: str) -> tuple[FlowValue, int] | None:
    found = QUOTED.match(written)
    return (parse_quoted(found[0]), found.end()) if found else None


def _key_end(content: str) -> int | None:
    """Offset of the colon after the name; None if the line is not `name: value`."""
    if content[0] in "'\"":
        closing = content.find(content[0], 1)
        found = _KEY_END.match(content, closing + 1) if closing > 0 else None
        return found.start() if found else None
    found = _KEY_END.search(content)
    return found.start() if found and found.start() > 0 else None


def _indent(line: str) -> int:
    """Width of the indentation in columns; a tab, which YAML forbids, counts as in an editor."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))
