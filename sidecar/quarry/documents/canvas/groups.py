"""
In which order is a canvas read, and which group does a node lie in?

A canvas has no order and does not say what a group holds: both follow from the places of the nodes. The order is that
of a page, group by group, whatever the order in the file.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from quarry.documents.canvas.parse import Canvas, CanvasNode

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
