"""
Which nodes and edges does a canvas have, given the text of its file? By JSON Canvas 1.0 (jsoncanvas.org).

A canvas may come from anywhere. Whatever is not as the format has it is left out and counted; only a file that is no
canvas at all is refused, with the reason.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

from msgspec import Struct

from quarry.errors import UnreadableDocument

NodeType = Literal["text", "file", "link", "group"]
NODE_TYPES: tuple[NodeType, ...] = get_args(NodeType)
MAX_VALUES = 500_000  # objects and lists of a file: some 100 MB once they are parsed
MAX_NODES = 10_000  # a canvas of a thousand can hardly be moved about in
MAX_EDGES = 20_000
MAX_ID_CHARS = 200  # Obsidian's have 16
MAX_NAME_CHARS = 1_000  # of a path, an address or a label

_SIDES = ("x", "y", "width", "height")


class CanvasNode(Struct, frozen=True):
    """A node: `text` is its Markdown, its path with `subpath`, its address or its label, by type."""

    id: str
    type: NodeType
    text: str
    x: float
    y: float
    width: float
    height: float
    subpath: str = ""  # of a file: `#heading` or `#^block`


class CanvasEdge(Struct, frozen=True):
    """A labelled edge between two nodes."""

    source: str
    target: str
    label: str


class Canvas(Struct, frozen=True):
    """The nodes and the labelled edges of a canvas in the order of the file."""

    nodes: tuple[CanvasNode, ...]
    edges: tuple[CanvasEdge, ...]
    problems: tuple[str, ...] = ()


def parse_canvas(source: str) -> Canvas:
    """
    Read *source*, the text of a `.canvas` file; a blank one is an empty canvas, as Obsidian makes them.

    Raises:
        UnreadableDocument: It is not JSON, or not that of a canvas.
    """
    if not source.strip():
        return Canvas((), ())
    document = _parsed(source)
    nodes, bad_nodes, more_nodes = _entries(document, "nodes", _node, MAX_NODES)
    edges, bad_edges, more_edges = _entries(document, "edges", _edge, MAX_EDGES)
    by_id: dict[str, CanvasNode] = {}
    for node in nodes:
        by_id.setdefault(node.id, node)
    bad_nodes += len(nodes) - len(by_id)
    problems = []
    if bad_nodes or bad_edges:
        bad = bad_nodes + bad_edges
        problems.append(f"{bad:,} of its nodes and edges {'is' if bad == 1 else 'are'} not as JSON Canvas has them")
    if more_nodes or more_edges:
        problems.append(f"only its first {MAX_NODES:,} nodes and {MAX_EDGES:,} edges are indexed; split the canvas")
    return Canvas(tuple(by_id.values()), tuple(edge for edge in edges if edge.label), tuple(problems))


def _parsed(source: str) -> Mapping[str, Any]:
    if source.count("{") + source.count("[") > MAX_VALUES:
        raise UnreadableDocument(f"it has more than {MAX_VALUES:,} values, which no canvas needs")
    try:
        document = json.loads(source)
    except RecursionError:
        raise UnreadableDocument("it is nested too deeply to be a canvas") from None
    except ValueError as error:  # no JSON, or a number of thousands of digits
        place = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise UnreadableDocument(f"it is not JSON{place}; Obsidian cannot open it either") from None
    if not isinstance(document, dict):
        raise UnreadableDocument("it is JSON, but not a canvas")
    return document


def _entries(document: Mapping[str, Any], key: str, read: Any, limit: int) -> tuple[list[Any], int, bool]:
    """The first *limit* entries of a list as *read* parses them, the number it refused, and whether there are more."""
    entries = document.get(key, [])
    if not isinstance(entries, list):
        raise UnreadableDocument(f"its {key!r} are not a list")
    found = [read(entry) for entry in entries[:limit]]
    kept = [entry for entry in found if entry is not None]
    return kept, len(found) - len(kept), len(entries) > limit


def _node(entry: object) -> CanvasNode | None:
    if not isinstance(entry, dict):
        return None
    kind, name = entry.get("type"), _text(entry.get("id"))
    if kind not in NODE_TYPES or not name or len(name) > MAX_ID_CHARS:
        return None
    x, y, width, height = [_number(entry.get(side, 0)) for side in _SIDES]
    if kind == "text":
        return CanvasNode(name, "text", _text(entry.get("text")), x, y, width, height)
    if kind == "group":
        return CanvasNode(name, "group", _line(entry.get("label")), x, y, width, height)
    said = _line(entry.get("file" if kind == "file" else "url"))
    return CanvasNode(name, kind, said, x, y, width, height, _line(entry.get("subpath"))) if said else None


def _edge(entry: object) -> CanvasEdge | None:
    if not isinstance(entry, dict):
        return None
    source, target = _text(entry.get("fromNode")), _text(entry.get("toNode"))
    return CanvasEdge(source, target, _line(entry.get("label"))) if source and target else None


def _text(value: object) -> str:
    """*value* if it is text, with line ends as an editor has them and without halves of characters."""
    if not isinstance(value, str):
        return ""
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _line(value: object) -> str:
    return cut_at_word(" ".join(_text(value).split()), MAX_NAME_CHARS)


def cut_at_word(text: str, max_chars: int) -> str:
    """The first words of *text*: nothing is scrubbed yet, and half a credential would not be recognised as one."""
    return text if len(text) <= max_chars else text[: max_chars + 1].rpartition(" ")[0]


def _number(value: object) -> float:
    """*value* as a finite number; 0 for anything else: a node without a place is still read."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0
