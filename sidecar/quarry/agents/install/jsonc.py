"""
JSON with comments and trailing commas, read with the place of every part; `jsonc_edits.py` changes it.

The grammar is JSON (RFC 8259) with `//` and `/* */` comments and a comma allowed behind the last member, as Visual
Studio Code and Zed read it. Offsets count characters.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

MAX_DEPTH = 200  # levels; configurations have five, and a thousand would exhaust Python's stack

Path = Sequence[str | int]

TOKEN = re.compile(
    r"""
    (?P<blank> [ \t\r\n]++ | //[^\r\n]*+ | /\*.*?\*/ )
    | (?P<string> "(?: [^"\\\x00-\x1f]++ | \\["\\/bfnrt] | \\u[0-9a-fA-F]{4} )*+" )
    | (?P<literal> -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+-]) | (?:true|false|null)(?!\w) )
    | (?P<mark> [{}\[\]:,] )
    """,
    re.VERBOSE | re.DOTALL,
)


class Malformed(ValueError):
    """The text is not JSON with comments; `line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class Node:
    """A value in the text, from `start` to `end` (exclusive)."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    children: "tuple[Child, ...]" = ()


class Child(NamedTuple):
    """A member of an object or an item of an array; `comma` is the offset of the comma behind it, if there is one."""

    key: str | None
    start: int
    node: Node
    comma: int | None


def parse(text: str) -> Node:
    """
    The value that *text* is, with the places of all its parts.

    Raises:
        Malformed: It is not one value of JSON with comments.
    """
    return _Parser(text).document()


def value_of(text: str, node: Node) -> Any:
    """The value of *node* in *text*; of members with equal keys the last counts, as in every JSON parser."""
    if node.kind == "object":
        return {child.key: value_of(text, child.node) for child in node.children}
    if node.kind == "array":
        return [value_of(text, child.node) for child in node.children]
    return json.loads(text[node.start : node.end])


def find(node: Node, path: Path) -> Node | None:
    """The node at *path* below *node*, by keys of objects and indices of arrays; None where there is none."""
    for step in path:
        child = child_at(node, step)
        if child is None:
            return None
        node = child.node
    return node


def child_at(node: Node, step: str | int) -> Child | None:
    """The child of *node* that *step* names; of several members with one key the last."""
    place = place_of(node, step)
    return None if place is None else node.children[place]


def place_of(node: Node, step: str | int) -> int | None:
    """The index, among the children of *node*, of the one that *step* names."""
    if isinstance(step, int):
        return step if node.kind == "array" and step < len(node.children) else None
    if node.kind != "object":
        return None
    places = [place for place, child in enumerate(node.children) if child.key == step]
    return places[-1] if places else None


def line_of(text: str, offset: int) -> int:
    """The line, counted from 1, of the character at *offset*."""
    return text.count("\n", 0, offset) + 1


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _Parser:
    """Reads one text; every method starts at the current token and leaves the one behind what it read current."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._lex()
        self._next()

    def document(self) -> Node:
        node = self._value(0)
        if self._token.kind != "end":
            raise self._wrong("the end of the file")
        return node

    def _lex(self) -> Iterator[_Token]:
        at = 0
        while at < len(self._text):
            found = TOKEN.match(self._text, at)
            if found is None:
                raise self._malformed(at)
            at = found.end()
            if found.lastgroup != "blank":
                yield _Token(found.lastgroup or "", found[0], found.start(), at)
        yield _Token("end", "", at, at)

    def _malformed(self, at: int) -> Malformed:
        kinds: Mapping[str, str] = {'"': "a string that is not closed or has a wrong escape", "/": "a comment"}
        shown = self._text[at : at + 20].split("\n", 1)[0]
        problem = kinds.get(self._text[at], "something that is not JSON")
        return Malformed(f"{problem}: {shown!r}", line_of(self._text, at))

    def _next(self) -> None:
        self._token = next(self._tokens)

    def _wrong(self, wanted: str) -> Malformed:
        found = "the end of the file" if self._token.kind == "end" else repr(self._token.text[:20])
        return Malformed(f"{found} where {wanted} is due", line_of(self._text, self._token.start))

    def _value(self, depth: int) -> Node:
        token = self._token
        if token.kind in ("string", "literal"):
            self._next()
            return Node("scalar", token.start, token.end)
        if token.text in ("{", "["):
            return self._container(depth)
        raise self._wrong("a value")

    def _container(self, depth: int) -> Node:
        if depth >= MAX_DEPTH:
            raise Malformed(f"more than {MAX_DEPTH} levels", line_of(self._text, self._token.start))
        start = self._token.start
        is_object = self._token.text == "{"
        closing = "}" if is_object else "]"
        self._next()
        children: list[Child] = []
        while self._token.text != closing:
            if children and children[-1].comma is None:
                raise self._wrong(f"a comma or {closing!r}")
            children.append(self._child(is_object, depth))
        end = self._token.end
        self._next()
        return Node("object" if is_object else "array", start, end, tuple(children))

    def _child(self, is_object: bool, depth: int) -> Child:
        start = self._token.start
        key = self._key() if is_object else None
        node = self._value(depth + 1)
        comma = self._token.start if self._token.text == "," else None
        if comma is not None:
            self._next()
        return Child(key, start, node, comma)

    def _key(self) -> str:
        if self._token.kind != "string":
            raise self._wrong("a key in double quotes")
        key = json.loads(self._token.text)
        self._next()
        if self._token.text != ":":
            raise self._wrong("a colon")
        self._next()
        assert isinstance(key, str)
        return key
