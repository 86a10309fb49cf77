"""Front matter as people write it is read as they mean it, and nothing in it can do harm."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarry.documents.frontmatter import is_drawing_or_board, read_front_matter, read_properties, refused_class
from quarry.messages import message
from quarry.types import PropertyValue


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("title: Foo: bar", "title", "Foo: bar"),
        ("author: @bob", "author", "@bob"),
        ("created: {{date}}", "created", "{{date}}"),
        ("status: no", "status", "no"),
        ("id: 0123", "id", "0123"),
        ("tags: #foo", "tags", "#foo"),
        ("up: [[Home]]", "up", "[[Home]]"),
        ("related: [[a]], [[b]]", "related", "[[a]], [[b]]"),
        ('title: "Foo" bar', "title", '"Foo" bar'),
        ("d: 2024-13-45", "d", "2024-13-45"),
        ("n: " + "9" * 5000, "n", "9" * 5000),
        ("n: 1" + ":1" * 30_000, "n", "1" + ":1" * 30_000),
        ("f: 1.0e999", "f", "1.0e999"),
        ("x: !!python/object/apply:os.system [ls]", "x", "!!python/object/apply:os.system [ls]"),
        ("a: &anchor value", "a", "&anchor value"),
        ("a: *alias", "a", "*alias"),
        ("<<: *base", "<<", "*base"),
        ("done: true", "done", True),
        ("done: False", "done", False),
        ("rating: 5", "rating", 5),
        ("rating: -4.5", "rating", -4.5),
        ("url: https://x.example/a#b", "url", "https://x.example/a#b"),
        ("key: value # a comment", "key", "value"),
        ("empty:", "empty", ""),
        ("empty: ~", "empty", ""),
        ('q: "a \\"b\\" \\u00e9"', "q", 'a "b" é'),
        ("q: 'it''s'", "q", "it's"),
        ('"quoted key": 1', "quoted key", 1),
        ("dc:title: x", "dc:title", "x"),
        ('tags: [a, "b, c", [[x]], [d, e]]', "tags", ("a", "b, c", "[[x]]", "d", "e")),
        ("tags: []", "tags", ()),
        ("versions: [1.10, 007, true]", "versions", ("1.10", "007", "true")),
    ],
)
def test_a_line_says_what_its_author_meant(line: str, name: str, value: PropertyValue) -> None:
    front = read_front_matter(f"---\n{line}\n---\nbody")

    assert front.properties == {name: value}
    assert type(front.properties[name]) is type(value)
    assert front.problems == ()


@pytest.mark.parametrize(
    ("lines", "properties"),
    [
        ("tags:\n- a\n- b", {"tags": ("a", "b")}),
        ("tags:\n\t- a\n\t- b", {"tags": ("a", "b")}),
        ("tags:\n  - a # why\n\n  - 'b'", {"tags": ("a", "b")}),
        ("aliases:\n  - Foo: bar\n  - x", {"aliases": ("Foo: bar", "x")}),
        ("a:\n  - - b\n    - c\n  - d", {"a": ("b", "c", "d")}),
        ("source:\n  url: x\n  by:\n    name: q\nz: 1", {"source.url": "x", "source.by.name": "q", "z": 1}),
        ("by:\n  - name: A\n    url: x\n  - name: B\n    url: y", {"by.name": ("A", "B"), "by.url": ("x", "y")}),
        ("m: {a: 1, b: {c: d}}", {"m.a": "1", "m.b.c": "d"}),
        ("l: [a,\n  b,\n  c]\nm: 3", {"l": ("a", "b", "c"), "m": 3}),
        ("l: [\n  a,\n]\nm: 3", {"l": ("a",), "m": 3}),
        ('t: "one\n  two"\nm: 3', {"t": "one two", "m": 3}),
        ("t: one\n  two\nm: 3", {"t": "one two", "m": 3}),
        ("t: |\n  one\n   two\n\n  three\nm: 3", {"t": "one\n two\n\nthree", "m": 3}),
        ("t: >-\n  one\n  two\n\n  three\nm: 3", {"t": "one two\n\nthree", "m": 3}),
        ("# a comment\na: 1\n#\nb: 2", {"a": 1, "b": 2}),
        ("a: 1\na: 2", {"a": 2}),
        ("a: [b\nc: d", {"a": "[b", "c": "d"}),
    ],
)
def test_values_over_several_lines(lines: str, properties: dict[str, PropertyValue]) -> None:
    front = read_front_matter(f"---\n{lines}\n---\n")

    assert front.properties == properties
    assert front.problems == ()


def test_a_line_that_cannot_be_read_costs_that_line_only() -> None:
    front = read_front_matter("---\ntitle: A\n? [x]\n: y\nstatus: draft\n---\nbody")

    assert front.properties == {"title": "A", "status": "draft"}
    assert front.problems == (
        message("reason.front-matter", line=3, text="? [x]"),
        message("reason.front-matter", line=4, text=": y"),
    )


def test_the_body_begins_behind_the_closing_line() -> None:
    text = "---\ntitle: A\n---  \n\n# Body"

    assert text[read_front_matter(text).body_start :] == "\n# Body"


@pytest.mark.parametrize(
    "text", ["", "# A\n---\na: 1\n---\n", "---\na: 1\n", "----\na: 1\n---\n", "---\nno pairs here\n---\nb"]
)
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    assert read_front_matter(text).body_start == 0


def test_brackets_too_deep_are_text_and_a_problem() -> None:
    front = read_front_matter("---\na: " + "[" * 20_000 + "\nb: 1\n---\n")

    assert front.properties["b"] == 1
    assert len(front.problems) == 1


def test_maps_too_deep_are_left_out() -> None:
    properties, problems = read_properties("\n".join(" " * depth + "k:" for depth in range(25)) + " v")

    assert max(name.count(".") for name in properties) == 19
    assert problems


def test_only_the_first_64_kb_are_read() -> None:
    front = read_front_matter("---\na: 1\n" + "b: 2\n" * 20_000 + "z: 3\n---\nbody")

    assert front.properties == {"a": 1, "b": 2}
    assert "65,536" in str(front.problems[0])
    assert front.body_start == 4 + 5 + 100_000 + 5 + 4


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        *(("sensitivity: public", None), ("Sensitivity: Internal", None), ("sensitivity:", None), ("title: x", None)),
        *(("sensitivity: [internal, public]", None), ("text: |\n  sensitivity: high", None)),
        *(("sensitivity: sensitive", "sensitive"), ("Sensitivity: 'Restricted' # mine", "restricted")),
        *(("sensitivity: my acme merger", "restricted"), ("sensitivity: true", "restricted")),
        *(("sensitivity: [public, secret]", "restricted"), ("sensitivity: {a: restricted}", "restricted")),
        *(("sensitivity:restricted", "restricted"), ("sensitivity:\n- restricted", "restricted")),
    ],
)
@pytest.mark.parametrize("end", ["\n---\nbody", "\nbody that goes on"])
def test_a_note_is_refused_for_any_class_but_public_and_internal(lines: str, end: str, expected: str | None) -> None:
    assert refused_class(f"---\n{lines}{end}") == expected
    assert refused_class(f"text\n---\n{lines}{end}") is None


def test_a_class_beyond_64_kb_counts() -> None:
    assert refused_class("---\n" + "b: 2\n" * 20_000 + "sensitivity: restricted\n---\nbody") == "restricted"


@pytest.mark.parametrize("key", ["excalidraw-plugin", "Kanban-Plugin"])
def test_drawings_and_boards_are_known_by_their_plugin(key: str) -> None:
    assert is_drawing_or_board({key: "parsed"})
    assert not is_drawing_or_board({"title": key})


YAML_LIKE = st.text(alphabet=st.sampled_from(list("ab:#-[]{},'\"|>&*!? \t\n\\01.~é"))).map(
    lambda text: f"---\n{text}\n---\nx"
)


@given(st.one_of(st.text(), YAML_LIKE))
@example("---\na: '\n" + "\n" * 500 + "---\n")
def test_any_text_is_read_without_an_error(text: str) -> None:
    front = read_front_matter(text)

    assert 0 <= front.body_start <= len(text)
    assert all(isinstance(value, str | int | float | bool | tuple) for value in front.properties.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["a: [\n", 'a: "\n', '"a": [\n', "- ", "a: {b: [c, ", "- b: c\n", "a: x\n  y\n", "a: '\n\n\n"]
)
def test_hostile_front_matter_of_64_kb_is_read_to_its_end(unit: str) -> None:
    properties, _ = read_properties(unit * (60_000 // len(unit)) + "\nlast: 1")

    assert properties["last"] == 1
