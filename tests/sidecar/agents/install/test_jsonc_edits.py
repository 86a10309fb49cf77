"""Members and items are added and removed; every other byte stays."""

import copy
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonc_texts import KEYS, OBJECTS, VALUES, documents

from quarry.agents.install.insertions import inserted, taken_out
from quarry.agents.install.jsonc import Malformed, parse, value_of
from quarry.agents.install.jsonc_edits import item_insertions, member_insertions, without

SERVER = {"command": "/usr/bin/quarry", "args": ["mcp", "--vault", "/Notes"]}


def added(text, path, value=SERVER):
    return inserted(text, member_insertions(text, path, value))


def meaning(text):
    return value_of(text, parse(text))


def paths_of(value, path=()):
    """Every path to a member or item in *value*."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from paths_of(inner, (*path, step))


@settings(max_examples=300, deadline=None)
@given(documents(), st.lists(KEYS, max_size=2), VALUES)
def test_a_member_is_added_and_taken_out_to_the_byte(case, path, value):
    expected, text = case
    inner = expected
    for key in path:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        with pytest.raises(Malformed):
            member_insertions(text, [*path, "new"], value)
        return
    inner["new"] = value

    insertions = member_insertions(text, [*path, "new"], value)

    after = inserted(text, insertions)
    assert meaning(after) == expected
    assert list(meaning(after)) == list(expected)
    assert taken_out(after, insertions) == text


@settings(max_examples=300, deadline=None)
@given(documents(), KEYS, VALUES)
def test_an_item_is_added_and_taken_out_to_the_byte(case, key, value):
    expected, text = case
    if not isinstance(expected.setdefault(key, []), list):
        with pytest.raises(Malformed):
            item_insertions(text, [key], value)
        return
    expected[key].append(value)

    insertions = item_insertions(text, [key], value)

    after = inserted(text, insertions)
    assert meaning(after) == expected
    assert taken_out(after, insertions) == text


@settings(max_examples=300, deadline=None)
@given(documents(OBJECTS.filter(bool)), VALUES)
def test_where_there_were_members_a_removal_needs_no_memory(case, value):
    _, text = case

    assert without(added(text, ["new"], value), ["new"]) == text


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_part_is_removed_and_the_rest_means_what_it_did(data):
    value, text = data.draw(documents(OBJECTS.filter(bool)))
    path = data.draw(st.sampled_from(list(paths_of(value))))
    expected = copy.deepcopy(value)
    inner = expected
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]

    after = without(text, path)

    assert meaning(after) == expected
    assert is_subsequence(after, text)


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(character in rest for character in part)


def test_a_new_member_looks_like_the_others():
    text = '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n'

    assert added(text, ["mcpServers", "notes"], {"command": "q"}) == (
        '{\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t},\n'
        '\t\t"notes": {\n\t\t\t"command": "q"\n\t\t}\n\t}\n}\n'
    )


def test_line_ends_stay_as_they_are():
    text = '{\r\n  "a": 1\r\n}\r\n'

    after = added(text, ["mcpServers", "notes"])

    assert re.findall(r"(?<!\r)\n", after) == []
    assert after.count("\r\n") > text.count("\r\n")


def test_what_is_on_one_line_stays_on_one_line():
    assert added('{"a": 1}', ["b"], {"c": [1, 2]}) == '{"a": 1, "b": {"c": [1, 2]}}'


def test_an_empty_object_gets_lines():
    assert added("{}", ["a"], 1) == '{\n  "a": 1\n}'
    assert added("{\n}\n", ["a"], 1) == '{\n  "a": 1\n}\n'
    assert added("{ // nothing yet\n}\n", ["a"], 1) == '{ // nothing yet\n  "a": 1\n}\n'


def test_a_trailing_comma_stays_a_trailing_comma():
    text = '{\n  "a": 1, // the first\n}\n'

    assert added(text, ["b"], 2) == '{\n  "a": 1, // the first\n  "b": 2,\n}\n'


def test_the_comment_behind_the_last_member_stays_with_it():
    assert added('{\n  "a": 1 // the first\n}\n', ["b"], 2) == '{\n  "a": 1, // the first\n  "b": 2\n}\n'


def test_a_removal_does_not_let_a_comment_swallow_what_follows():
    text = '{\n  "a": 1, // the first\n  "b": 2, "c": 3 }'

    after = without(text, ["b"])

    assert meaning(after) == {"a": 1, "c": 3}
    assert "// the first\n" in after


def test_of_two_members_with_one_key_the_last_is_removed():
    assert without('{"a": 1, "a": 2}', ["a"]) == '{"a": 1}'


def test_a_removal_of_nothing_is_an_error():
    with pytest.raises(KeyError):
        without('{"a": 1}', ["b"])
    with pytest.raises(KeyError):
        without('{"a": 1}', ["b", "c"])


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}', '{"mcpServers": "x"}', "[]"])
def test_what_is_no_object_is_not_written_into(text):
    with pytest.raises(Malformed, match="is not an object"):
        member_insertions(text, ["mcpServers", "notes"], SERVER)


def test_text_of_every_script_is_written_as_it_is():
    assert json.loads(added("{}", ["笔记"], "Ω \u2028 \x1f")) == {"笔记": "Ω \u2028 \x1f"}
