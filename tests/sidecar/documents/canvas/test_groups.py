from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.canvas.groups import MAX_GROUPS, node_groups
from quarry.documents.canvas.parse import Canvas, CanvasNode

NUMBERS = st.sampled_from([0.0, 1.0, 5.0, 10.0, -10.0, 100.0, 1e308, -1e308])


def node(
    name: str, x: float, y: float, width: float = 10, height: float = 10, kind: str = "text", text: str = ""
) -> CanvasNode:
    return CanvasNode(name, kind, text or name, x, y, width, height)  # type: ignore[arg-type]


def ids(canvas: Canvas) -> list[tuple[tuple[str, ...], list[str]]]:
    return [(group.labels, [each.id for each in group.nodes]) for group in node_groups(canvas)]


def test_nodes_are_read_from_top_to_bottom_then_from_left_to_right():
    assert ids(Canvas((node("c", 0, 50), node("b", 20, 0), node("a", 0, 0)), ())) == [((), ["a", "b", "c"])]


def test_a_node_belongs_to_the_smallest_group_around_its_middle():
    outer, inner = node("outer", 0, 0, 100, 100, "group"), node("inner", 10, 10, 50, 50, "group")
    canvas = Canvas((node("in", 20, 20), node("between", 80, 80), node("out", 200, 0), inner, outer), ())

    assert ids(canvas) == [((), ["out"]), (("outer",), ["between"]), (("outer", "inner"), ["in"])]


def test_two_equal_groups_are_beside_each_other():
    same = [node(name, 0, 0, 100, 100, "group") for name in ("one", "two")]

    assert sorted(ids(Canvas(tuple(same), ()))) == [(("one",), []), (("two",), [])]


def test_of_groups_in_groups_the_innermost_labels_are_kept():
    nested = [node(str(size), -size, -size, 2 * size, 2 * size, "group") for size in (50, 40, 30, 20)]

    assert ids(Canvas((*nested, node("in", -5, -5)), ()))[-1] == (("40", "30", "20"), ["in"])


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.booleans()), max_size=30))
def test_every_node_is_in_one_group_whatever_the_places(places):
    nodes = [
        node(str(at), x, y, width, height, "group" if is_group else "text")
        for at, (x, y, width, height, is_group) in enumerate(places)
    ]

    groups = list(node_groups(Canvas(tuple(nodes), ())))

    found = [each.id for group in groups for each in group.nodes] + [group.group.id for group in groups if group.group]
    assert sorted(found) == sorted(each.id for each in nodes)


def test_groups_beyond_those_that_are_compared_are_read_as_nodes():
    many = tuple(node(f"{at:04}", at * 100, 0, 10, 10, "group") for at in range(MAX_GROUPS + 1))

    loose, *groups = node_groups(Canvas(many, ()))

    assert [each.id for each in loose.nodes] == [f"{MAX_GROUPS:04}"]
    assert len(groups) == MAX_GROUPS
