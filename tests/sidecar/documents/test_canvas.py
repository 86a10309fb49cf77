import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.canvas import (
    MAX_GROUPS,
    MAX_NODES,
    MAX_VALUES,
    Canvas,
    CanvasNode,
    canvas_text,
    node_groups,
    parse_canvas,
    read_canvas,
)
from quarry.documents.note import ParserSettings
from quarry.errors import UnreadableDocument
from quarry.messages import message
from quarry.types import Note

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
        ('{"nodes":{"a":1}}', "“nodes” are not a list"),
        ('{"edges":7}', "“edges” are not a list"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        ("[" * (MAX_VALUES + 1), "more than 500,000 values"),
        ('{"nodes":' + "9" * 5_000 + "}", "damaged"),
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
    assert read.problems == (message("reason.damaged.parts", count=6),)


def test_more_nodes_than_a_canvas_can_have_are_left_out_and_told():
    read = parse_canvas(canvas(*({"id": str(at), "type": "text", "text": "x"} for at in range(MAX_NODES + 1))))

    assert len(read.nodes) == MAX_NODES
    assert "first 10,000 nodes" in str(read.problems[0])


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


KEY = "AKIA" + "IOSFODNN7QWERTYU"


def text(name: str, said: str, y: int = 0, **more: object) -> dict[str, object]:
    return {"id": name, "type": "text", "text": said, "x": 0, "y": y, "width": 10, "height": 10, **more}


def group(name: str, label: str, y: int, height: int) -> dict[str, object]:
    return {"id": name, "type": "group", "label": label, "x": -5, "y": y, "width": 50, "height": height}


def file(name: str, path: str, y: int = 0, **more: object) -> dict[str, object]:
    return {"id": name, "type": "file", "file": path, "x": 0, "y": y, "width": 10, "height": 10, **more}


def written(*nodes: object, edges: object = ()) -> bytes:
    return canvas(*nodes, edges=edges).encode()


def read(*nodes: object, edges: object = (), **rules: object) -> Note:
    return read_canvas("Work/Board.canvas", written(*nodes, edges=edges), ParserSettings(**rules))  # type: ignore[arg-type]


LONG = "a thought that is long enough for a passage of its own"


def test_each_text_is_a_passage_that_knows_its_node():
    note = read(text("one", f"{LONG}, first"), text("two", f"{LONG}, second", 20))

    assert [(chunk.anchor, chunk.text) for chunk in note.chunks] == [
        ("one", f"{LONG}, first"),
        ("two", f"{LONG}, second"),
    ]
    assert note.title == "Board"
    assert note.chunks[0].context == "Board"


def test_labels_of_groups_and_headings_of_nodes_are_the_trail():
    note = read(group("g", "Backend", -5, 100), text("one", f"# Queues\n{LONG}"), text("far", LONG, 500))

    assert [chunk.heading_path for chunk in note.chunks] == [(), ("Backend", "Queues")]


def test_short_texts_of_a_group_are_one_passage_under_the_first():
    note = read(
        text("a", "milk"), text("b", "eggs", 20), text("c", "flour", 40), text("d", LONG, 60), text("e", "end", 80)
    )

    assert [(chunk.anchor, chunk.text) for chunk in note.chunks] == [
        ("a", f"milk\n\neggs\n\nflour\n\n{LONG}"),
        ("e", "end"),
    ]


def test_short_texts_of_two_groups_are_not_joined():
    note = read(group("g", "One", -5, 20), text("a", "milk"), group("h", "Two", 95, 20), text("b", "eggs", 100))

    assert [(chunk.heading_path, chunk.text) for chunk in note.chunks] == [(("One",), "milk"), (("Two",), "eggs")]


def test_a_group_with_nothing_in_it_is_found_by_its_label():
    note = read(group("g", "Someday", 0, 10))

    assert [(chunk.text, chunk.anchor) for chunk in note.chunks] == [("Someday", "g")]


def test_files_are_listed_and_linked_and_attachments_only_listed():
    note = read(file("f", "Work/Plan.md", subpath="#Goals"), file("p", "img/a.png", 20), file("c", "Other.canvas", 40))

    assert [chunk.text for chunk in note.chunks] == ["- [[Work/Plan.md#Goals]]\n- [[img/a.png]]\n- [[Other.canvas]]"]
    assert [(link.target, link.heading) for link in note.links] == [("Work/Plan.md", "Goals"), ("Other.canvas", None)]


def test_links_and_tags_in_texts_count_and_those_in_code_do_not():
    note = read(text("a", f"[[Design]] #idea/new {LONG}"), text("b", f"`[[Code]] #code` #IDEA/new {LONG}", 20))

    assert [link.target for link in note.links] == ["Design"]
    assert note.tags == ("idea/new",)


def test_an_edge_with_a_label_is_found_with_the_names_it_joins():
    edges = [
        {"fromNode": "a", "toNode": "f", "label": "is decided in"},
        {"fromNode": "a", "toNode": "gone", "label": "x"},
    ]

    note = read(text("a", f"## Storage\n{LONG}"), file("f", "Work/Plan.md", 20), edges=edges)

    assert note.chunks[-1].text == "Storage → is decided in → Plan"


def test_a_fence_that_is_never_closed_ends_with_its_node():
    note = read(text("a", f"```\n{LONG}"), text("b", f"# Heading\n#tag {LONG}", 20))

    assert note.tags == ("tag",)
    assert note.chunks[1].heading_path == ("Heading",)


def test_secrets_are_blanked_wherever_they_stand():
    note = read(
        text("a", f"key {KEY} {LONG}"),
        group("g", f"label {KEY}", 90, 30),
        text("b", LONG, 100),
        file("f", f"Notes/{KEY}.md", 300),
        edges=[{"fromNode": "a", "toNode": "b", "label": KEY}],
    )

    assert KEY not in str(note)
    assert sum(note.redactions.values()) >= 4


def test_a_secret_across_nodes_is_blanked_and_the_passages_keep_their_places():
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75mZkqWl\n\n"
    rest = "abcdefMIIEpAIBAAKCAQEA75mZ\n-----END RSA PRIVATE KEY-----"
    data = written(text("a", f"{LONG}\n{key}"), text("b", f"{rest}\nbehind it, {LONG}", 20))

    note = read_canvas("a.canvas", data, ParserSettings())

    assert "MIIEpA" not in str(note.chunks)
    lines = canvas_text(data).split("\n")
    for chunk in note.chunks:
        assert lines[chunk.line][:10] == canvas_text(data)[chunk.start : chunk.end].split("\n")[0][:10]


def test_offsets_and_lines_count_in_the_text_that_is_read():
    data = written(
        group("g", "😀 Grüße", -5, 100), text("a", f"# Ä\n{LONG}"), text("b", f"{LONG} 😀", 20), text("c", LONG, 40)
    )

    note, whole = read_canvas("a.canvas", data, ParserSettings()), canvas_text(data)

    for chunk in note.chunks:
        assert whole[chunk.start : chunk.end] == chunk.text
        assert whole[: chunk.start].count("\n") == chunk.line
        assert len(whole[: chunk.start].encode("utf-16-le")) // 2 == chunk.start_utf16


def test_sections_that_are_left_out_in_notes_are_left_out_in_nodes():
    note = read(text("a", f"{LONG}\n\n## See also\n\nsecretive {LONG}"), skip_sections=("See also",))

    assert "secretive" not in str(note.chunks)


def test_a_long_node_is_cut_and_all_of_it_opens_the_node():
    note = read(text("a", "\n\n".join(f"{at} {LONG}" for at in range(100))))

    assert len(note.chunks) > 2
    assert {chunk.anchor for chunk in note.chunks} == {"a"}


def test_more_passages_than_may_be_are_told():
    note = read(*(text(str(at), LONG, 20 * at) for at in range(5)), max_chunks=3)

    assert len(note.chunks) == 3
    assert note.problems == (message("reason.too-many-passages", limit=3, total=5),)


def test_an_empty_canvas_is_found_by_its_name():
    note = read_canvas("Board.canvas", b"", ParserSettings())

    assert [chunk.text for chunk in note.chunks] == [""]
    assert note.chunks[0].context == "Board"


def test_a_canvas_beyond_the_limit_is_refused():
    with pytest.raises(UnreadableDocument, match="larger than 1 MB"):
        read_canvas("a.canvas", b" " * (2**20 + 1), ParserSettings(max_bytes=2**20))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_read(encoding):
    data = written(text("a", LONG)).decode().encode(encoding)

    assert read_canvas("a.canvas", data, ParserSettings()).chunks[0].text == LONG


def test_bytes_that_are_no_text_are_replaced():
    data = written(text("a", f"caf# {LONG}")).replace(b"#", b"\xe9")

    assert read_canvas("a.canvas", data, ParserSettings()).chunks[0].text == f"caf\ufffd {LONG}"


NODES = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text(min_size=1, max_size=3),
            "type": st.sampled_from(["text", "file", "link", "group"]),
            "text": st.text(st.sampled_from("# \n`~%$[]()|#ab-\ud800😀"), max_size=60),
            "label": st.text(max_size=5),
            "file": st.text(max_size=9),
            "url": st.text(max_size=9),
            "x": st.integers(-50, 50),
            "y": st.integers(-50, 50),
            "width": st.integers(-10, 100),
            "height": st.integers(-10, 100),
        }
    ),
    max_size=12,
)


@given(NODES)
def test_every_canvas_is_read_and_its_places_are_right(nodes):
    data = json.dumps({"nodes": nodes, "edges": []}).encode()

    note, whole = read_canvas("a.canvas", data, ParserSettings()), canvas_text(data)

    assert note.chunks
    for chunk in note.chunks:
        if not chunk.shifts:
            assert whole[chunk.start : chunk.end] == chunk.text
        assert whole[: chunk.start].count("\n") == chunk.line


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data):
    try:
        assert read_canvas("a.canvas", data, ParserSettings()).chunks
    except UnreadableDocument:
        return
