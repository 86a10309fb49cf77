import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.canvas.parse import MAX_NODES, MAX_VALUES, parse_canvas
from quarry.errors import UnreadableDocument

PLACE = {"x": 0, "y": 0, "width": 10, "height": 10}
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["id", "type", "text", "file", "subpath", "url", "label", "x", "y", "width", "height", "fromNode", "toNode"]
)
VALUES = (
    st.sampled_from(["a", "b", "text", "file", "link", "group", 0, -1.5, 1e308, 10**400, "\ud800", "x.md", True])
    | ANY_JSON
)
ENTRIES = st.lists(st.dictionaries(KEYS, VALUES) | ANY_JSON, max_size=8)


def canvas(*nodes: object, edges: object = ()) -> str:
    return json.dumps({"nodes": list(nodes), "edges": list(edges)})  # type: ignore[call-overload]


def test_nodes_of_each_type_are_read():
    read = parse_canvas(
        canvas(
            {"id": "1", "type": "text", "text": "one\r\ntwo", **PLACE},
            {"id": "2", "type": "file", "file": "Work/Plan.md", "subpath": "#Goals", **PLACE},
            {"id": "3", "type": "link", "url": "https://example.org", **PLACE},
            {"id": "4", "type": "group", "label": "Ideas", **PLACE},
        )
    )

    assert [(node.type, node.text, node.subpath) for node in read.nodes] == [
        ("text", "one\ntwo", ""),
        ("file", "Work/Plan.md", "#Goals"),
        ("link", "https://example.org", ""),
        ("group", "Ideas", ""),
    ]
    assert read.problems == ()


def test_only_edges_with_a_label_are_read():
    edges = [
        {"id": "a", "fromNode": "1", "toNode": "2", "label": " leads\nto "},
        {"id": "b", "fromNode": "1", "toNode": "2"},
    ]

    read = parse_canvas(canvas(edges=edges))

    assert [(edge.source, edge.label, edge.target) for edge in read.edges] == [("1", "leads to", "2")]


@pytest.mark.parametrize("source", ["", " \n", "{}", '{"nodes":[]}'])
def test_an_empty_canvas_is_one(source):
    assert parse_canvas(source).nodes == ()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{", "not JSON"),
        ('{"nodes":[\n{"id" 1}]}', r"not JSON \(line 2\)"),
        ("[]", "not a canvas"),
        ("null", "not a canvas"),
        ('{"nodes":{"a":1}}', "'nodes' are not a list"),
        ('{"edges":7}', "'edges' are not a list"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        ("[" * (MAX_VALUES + 1), "more than 500,000 values"),
        ('{"nodes":' + "9" * 5_000 + "}", "not JSON"),
    ],
)
def test_what_is_no_canvas_is_refused_with_the_reason(source, reason):
    with pytest.raises(UnreadableDocument, match=reason):
        parse_canvas(source)


def test_of_two_equal_keys_the_last_counts_as_in_obsidian():
    node = '{"id":"1","type":"text","text":"first","text":"second"}'

    assert parse_canvas(f'{{"nodes":[],"nodes":[{node}]}}').nodes[0].text == "second"


def test_entries_that_are_none_are_left_out_and_counted():
    read = parse_canvas(
        canvas(
            "text",
            {"id": "1", "type": "video"},
            {"id": 7, "type": "text", "text": "x"},
            {"id": "same", "type": "text", "text": "kept"},
            {"id": "same", "type": "text", "text": "dropped"},
            {"id": "file", "type": "file"},
            edges=[{"fromNode": "1"}],
        )
    )

    assert [node.text for node in read.nodes] == ["kept"]
    assert read.problems == ("6 of its nodes and edges are not as JSON Canvas has them",)


def test_more_nodes_than_a_canvas_can_have_are_left_out_and_told():
    read = parse_canvas(canvas(*({"id": str(at), "type": "text", "text": "x"} for at in range(MAX_NODES + 1))))

    assert len(read.nodes) == MAX_NODES
    assert "only its first 10,000 nodes" in read.problems[0]


def test_numbers_that_are_none_count_as_zero():
    read = parse_canvas('{"nodes":[{"id":"1","type":"text","text":"x","x":NaN,"y":1e999,"width":true,"height":"9"}]}')

    assert (read.nodes[0].x, read.nodes[0].y, read.nodes[0].width, read.nodes[0].height) == (0, 0, 0, 0)


@given(ENTRIES, ENTRIES)
def test_no_json_does_more_than_be_refused(nodes, edges):
    try:
        read = parse_canvas(json.dumps({"nodes": nodes, "edges": edges}))
    except UnreadableDocument:
        return

    "".join(node.id + node.text + node.subpath for node in read.nodes).encode()
    assert len({node.id for node in read.nodes}) == len(read.nodes)


@given(st.text() | st.binary().map(lambda data: data.decode("utf-8", "replace")))
def test_no_text_does_more_than_be_refused(source):
    try:
        parse_canvas(source)
    except UnreadableDocument:
        return
