"""
How does a canvas read as a text?

Group by group, with the label of a group as a heading. Each node with text is a section of its own, but for short ones,
which are joined to a neighbour in their group. The files and addresses on a group are a list behind its texts, and the
labels of edges end it all, each between the names of the nodes that it joins.
"""

from collections.abc import Iterator, Mapping, Sequence

from quarry.documents.canvas.groups import NodeGroup, node_groups
from quarry.documents.canvas.parse import Canvas, CanvasNode, cut_at_word, parse_canvas
from quarry.documents.chunking import MIN_CHARS, TextSection
from quarry.documents.decoding import decode_note
from quarry.documents.document import Document, note_of_document
from quarry.documents.markdown import shown_text
from quarry.documents.reading_rules import ReadingRules
from quarry.errors import UnreadableDocument
from quarry.kinds import bare_name, kind_of
from quarry.types import Link, Note

MAX_NAMED_CHARS = 80  # of a node that an edge leads from or to
_BETWEEN = "\n\n"


def read_canvas(path: str, data: bytes, rules: ReadingRules) -> Note:
    """
    Read a canvas; the arguments are those of `note.read_note`.

    Raises:
        UnreadableDocument: It is no canvas, or too large.
    """
    if len(data) > rules.max_bytes:
        raise UnreadableDocument(f"it is larger than {rules.max_bytes / 2**20:g} MB; split the canvas")
    return note_of_document(path, canvas_document(decode_note(data)), rules, "canvas")


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
    writer = _Writer()
    for group in node_groups(canvas):
        _write_group(group, writer)
    _write_edges(canvas, writer)
    links = [link for node in canvas.nodes if node.type == "file" and (link := _link(node))]
    return Document("".join(writer.pieces), tuple(writer.sections), tuple(links), problems=canvas.problems)


class _Writer:
    """Puts a text together and keeps where its sections are."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.sections: list[TextSection] = []
        self._length = 0

    def write(self, text: str) -> tuple[int, int]:
        """Append *text* with an empty line before it; returns its span."""
        between = _BETWEEN if self.pieces else ""
        start = self._length + len(between)
        self.pieces += between, text
        self._length = start + len(text)
        return start, self._length

    def section(self, text: str, trail: tuple[str, ...], anchor: str, *, is_markdown: bool = True) -> None:
        """Append *text* as a section."""
        start, end = self.write(text)
        self.sections.append(TextSection(start, end, trail, anchor, is_markdown))


def _write_group(group: NodeGroup, writer: _Writer) -> None:
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
                yield anchor, _BETWEEN.join(texts)
                anchor, texts = "", []
    if texts:
        yield anchor, _BETWEEN.join(texts)


def _list_item(node: CanvasNode) -> str:
    match node.type:
        case "file":
            return f"- [[{node.text}{node.subpath}]]"
        case "link":
            return f"- {node.text}"
        case _:
            return f"- {node.text}" if node.text else ""


def _write_edges(canvas: Canvas, writer: _Writer) -> None:
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
