"""JSON with comments is read with the place of every part, and what is malformed is refused with its line."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonc_texts import VALUES, documents

from quarry.agents.install.jsonc import MAX_DEPTH, Malformed, find, line_of, parse, value_of


@settings(max_examples=300, deadline=None)
@given(documents(VALUES))
def test_a_text_means_its_value(case):
    value, text = case

    assert value_of(text, parse(text)) == value


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]":,/*\\ntrue1.e-\n a', max_size=30))
def test_what_pythons_parser_takes_is_taken_and_means_the_same(text):
    try:
        value = json.loads(text)
    except ValueError:
        return
    assert value_of(text, parse(text)) == value


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(Malformed):
        value_of(text, parse(text))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n  "a": 1,,\n}', 2),
        ("{\n  a: 1\n}", 2),
        ("{\n\n'a': 1}", 3),
        ('{"a": "not closed\n}', 1),
        ('{"a": 01}', 1),
        ('{"a": NaN}', 1),
        ('{"a": truer}', 1),
        ('{"a": "\\x"}', 1),
        ("{\n/* never closed\n}", 2),
        ('{"a": 1} {"b": 2}', 1),
        ("[1, 2", 1),
        ("[,]", 1),
        ("\ufeff{}", 1),
    ],
)
def test_malformed_text_is_refused_with_its_line(text, line):
    with pytest.raises(Malformed) as refused:
        parse(text)

    assert refused.value.line == line


def test_nesting_is_limited():
    parse("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(Malformed, match="levels"):
        parse("[" * 100_000)


def test_of_two_members_with_one_key_the_last_counts():
    text = '{"a": 1, "b": 0, "a": {"c": 2}}'

    node = find(parse(text), ["a", "c"])

    assert node is not None
    assert value_of(text, node) == 2
    assert value_of(text, parse(text)) == json.loads(text)


def test_nothing_is_found_where_nothing_is():
    root = parse('{"a": [1]}')

    assert find(root, ["b"]) is None
    assert find(root, ["a", "c"]) is None
    assert find(root, ["a", 1]) is None
    assert find(root, ["a", 0, "x"]) is None


def test_lines_count_from_1():
    assert line_of("one\ntwo", 4) == 2
