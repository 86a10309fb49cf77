"""
Reads canvases, JSON Canvas 1.0 (jsoncanvas.org): nodes and edges, the groups that nodes are in, and their text.

A canvas may come from anywhere. Anything that does not follow the format is left out and counted; only a file that is
not a canvas at all is refused, with the reason.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from quarry.documents.chunking import MIN_CHARS
from quarry.documents.decoding import decode_note
from quarry.documents.document import Document, TextWriter, note_of_document
from quarry.documents.markdown import shown_text
from quarry.documents.note import ParserSettings
from quarry.errors import UnreadableDocument
from quarry.kinds import bare_name, kind_of
from quarry.messages import Message, message
from quarry.types import Link, Note

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
    problems: tuple[Message, ...] = ()


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
        problems.append(message("reason.damaged.parts", count=bad_nodes + bad_edges))
    if more_nodes or more_edges:
        problems.append(message("reason.too-large.nodes", nodes=MAX_NODES, edges=MAX_EDGES))
    return Canvas(tuple(by_id.values()), tuple(edge for edge in edges if edge.label), tuple(problems))


def _parsed(source: str) -> Mapping[str, Any]:
    if source.count("{") + source.count("[") > MAX_VALUES:
        raise UnreadableDocument(message("reason.damaged.values", limit=MAX_VALUES))
    try:
        document = json.loads(source)
    except RecursionError:
        raise UnreadableDocument(message("reason.damaged.depth")) from None
    except json.JSONDecodeError as error:
        raise UnreadableDocument(message("reason.damaged.json", line=error.lineno)) from None
    except ValueError:  # a number of thousands of digits
        raise UnreadableDocument(message("reason.damaged")) from None
    if not isinstance(document, dict):
        raise UnreadableDocument(message("reason.damaged.canvas"))
    return document


def _entries(document: Mapping[str, Any], key: str, read: Any, limit: int) -> tuple[list[Any], int, bool]:
    """The first *limit* entries of a list as *read* parses them, the number it refused, and whether there are more."""
    entries = document.get(key, [])
    if not isinstance(entries, list):
        raise UnreadableDocument(message("reason.damaged.list", key=key))
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


MAX_GROUPS = 500  # compared with every node
MAX_TRAIL = 3  # labels of groups that a passage stands under: as many as there are levels of headings in a note


class NodeGroup(Struct, frozen=True):
    """Nodes that lie in the same groups, in the order in which they are read."""

    labels: tuple[str, ...]  # of the groups around them, the outermost first; those without a label are left out
    group: CanvasNode | None  # the innermost one; None: the nodes lie in none
    nodes: tuple[CanvasNode, ...]


def node_groups(canvas: Canvas) -> Iterator[NodeGroup]:
    """The nodes of *canvas* by group, those in none first; a group comes before the groups in it."""
    groups = _ordered([node for node in canvas.nodes if node.type == "group"])[:MAX_GROUPS]
    smallest_first = sorted(groups, key=_area)
    around = {group.id: _group_around(group, smallest_first) for group in groups}
    members: dict[str, list[CanvasNode]] = {}
    loose: list[CanvasNode] = []
    for node in canvas.nodes:
        if node.id not in around:
            inner = _group_around(node, smallest_first)
            (members.setdefault(inner.id, []) if inner else loose).append(node)
    if loose:
        yield NodeGroup((), None, tuple(_ordered(loose)))
    for group in _nested(groups, around):
        yield NodeGroup(_labels(group, around), group, tuple(_ordered(members.get(group.id, []))))


def _ordered(nodes: Sequence[CanvasNode]) -> list[CanvasNode]:
    """From top to bottom, then from left to right."""
    return sorted(nodes, key=lambda node: (node.y, node.x, node.id))


def _area(node: CanvasNode) -> float:
    return node.width * node.height


def _group_around(node: CanvasNode, smallest_first: Sequence[CanvasNode]) -> CanvasNode | None:
    """The smallest group that the middle of *node* lies in; for a group one that is larger than it."""
    x, y = node.x + node.width / 2, node.y + node.height / 2
    area = _area(node) if node.type == "group" else -math.inf  # no group lies in itself, nor two in each other
    for group in smallest_first:
        is_inside = group.x <= x <= group.x + group.width and group.y <= y <= group.y + group.height
        if is_inside and _area(group) > area:
            return group
    return None


def _nested(groups: Sequence[CanvasNode], around: Mapping[str, CanvasNode | None]) -> Iterator[CanvasNode]:
    """*groups*, each with the groups in it behind it."""
    inner: dict[str | None, list[CanvasNode]] = {}
    for group in groups:
        outer = around[group.id]
        inner.setdefault(outer.id if outer else None, []).append(group)
    waiting = inner.get(None, [])[::-1]
    while waiting:
        yield (group := waiting.pop())
        waiting += inner.get(group.id, [])[::-1]


def _labels(group: CanvasNode, around: Mapping[str, CanvasNode | None]) -> tuple[str, ...]:
    """The labels of *group* and of the innermost groups around it, the outermost first."""
    labels: list[str] = []
    each: CanvasNode | None = group
    while each and len(labels) < MAX_TRAIL:
        if each.text:
            labels.append(each.text)
        each = around[each.id]
    return tuple(reversed(labels))


MAX_NAMED_CHARS = 80  # of a node that an edge leads from or to


def read_canvas(path: str, data: bytes, rules: ParserSettings) -> Note:
    """
    Read a canvas; the arguments are those of `note.read_note`.

    Raises:
        UnreadableDocument: It is no canvas, or too large.
    """
    if len(data) > rules.max_bytes:
        raise UnreadableDocument(message("reason.too-large.canvas", megabytes=f"{rules.max_bytes / 2**20:g}"))
    return note_of_document(path, canvas_document(decode_note(data)), rules)


def canvas_text(data: bytes) -> str:
    """
    The text of a canvas, not scrubbed, which the offsets and lines of its chunks count in.

    Raises:
        UnreadableDocument: It is no canvas.
    """
    return canvas_document(decode_note(data)).text


def canvas_document(source: str) -> Document:
    """The text and sections of a canvas, given the text of its file; raises as `parse_canvas`."""
    canvas = parse_canvas(source)
    writer = TextWriter()
    for group in node_groups(canvas):
        _write_group(group, writer)
    _write_edges(canvas, writer)
    links = [link for node in canvas.nodes if node.type == "file" and (link := _link(node))]
    return Document("".join(writer.pieces), tuple(writer.sections), tuple(links), problems=canvas.problems)


def _write_group(group: NodeGroup, writer: TextWriter) -> None:
    texts = list(_joined_texts([node for node in group.nodes if node.type == "text"]))
    listed = [(node, line) for node in group.nodes if node.type != "text" and (line := _list_item(node))]
    if group.group and group.group.text:
        heading = f"{'#' * len(group.labels)} {group.group.text}"
        if texts or listed:
            writer.write(heading)  # the trail has it, too
        else:
            writer.section(group.group.text, group.labels[:-1], group.group.id, is_markdown=False)
    for anchor, text in texts:
        writer.section(text, group.labels, anchor)
    if listed:
        writer.section("\n".join(line for _, line in listed), group.labels, listed[0][0].id, is_markdown=False)


def _joined_texts(nodes: Sequence[CanvasNode]) -> Iterator[tuple[str, str]]:
    """The texts of *nodes*, each with the id of its node; a short one with its neighbour, under the id of the first."""
    anchor, texts = "", list[str]()
    for node in nodes:
        if text := node.text.strip():
            anchor = anchor or node.id
            texts.append(text)
            if sum(map(len, texts)) >= MIN_CHARS:
                yield anchor, "\n\n".join(texts)
                anchor, texts = "", []
    if texts:
        yield anchor, "\n\n".join(texts)


def _list_item(node: CanvasNode) -> str:
    match node.type:
        case "file":
            return f"- [[{node.text}{node.subpath}]]"
        case "link":
            return f"- {node.text}"
        case _:
            return f"- {node.text}" if node.text else ""


def _write_edges(canvas: Canvas, writer: TextWriter) -> None:
    """Write the labels of the edges of *canvas*, a line each."""
    nodes = {node.id: node for node in canvas.nodes}
    edges = [edge for edge in canvas.edges if edge.source in nodes and edge.target in nodes]
    if edges:
        lines = [f"{_name(nodes, edge.source)} → {edge.label} → {_name(nodes, edge.target)}" for edge in edges]
        writer.section("\n".join(lines), (), edges[0].source, is_markdown=False)


def _name(nodes: Mapping[str, CanvasNode], name: str) -> str:
    node = nodes[name]
    if node.type == "file":
        return bare_name(node.text)
    first = next((line for line in node.text.splitlines() if line.strip()), "…")
    return cut_at_word(shown_text(first.strip().lstrip("#").strip()), MAX_NAMED_CHARS) or "…"


def _link(node: CanvasNode) -> Link | None:
    """The link that a node with a file is; None where the file is not one that can be a note."""
    heading = node.subpath.removeprefix("#").strip() or None
    return Link("wiki", node.text, heading, None) if kind_of(node.text) else None
