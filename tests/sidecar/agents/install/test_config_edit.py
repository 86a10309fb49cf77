"""Texts are changed so that nothing of other programs is lost, or they are refused."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.agents.install.config_edit import (
    MAX_TOML_CHARACTERS,
    Difference,
    JsonEdit,
    MarkdownEdit,
    TomlEdit,
    Unchangeable,
    missing_from,
    parse_jsonc,
    with_table,
)

ENTRY = {"command": "/opt/quarry", "args": ["mcp", "--vault", '/a "b"\\c']}
ADD = JsonEdit(lambda table: with_table(table, ("servers", "notes"), ENTRY))
REMOVE = JsonEdit(lambda table: with_table(table, ("servers", "notes"), {}))
ADD_TOML = TomlEdit(lambda table: with_table(table, ("mcp_servers", "notes"), ENTRY))
REMOVE_TOML = TomlEdit(lambda table: with_table(table, ("mcp_servers", "notes"), {}))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), json_values), st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_json_of_others_comes_back_with_its_layout(table, indent, is_ascii):
    table.pop("servers", None)
    text = json.dumps(table, indent=indent, ensure_ascii=is_ascii)
    if any("\ud800" <= character <= "\udfff" for character in text):
        return  # no file in UTF-8

    added = ADD.changed(text)

    assert json.loads(added) == {**table, "servers": {"notes": ENTRY}}
    assert ADD.changed(added) == added
    assert json.loads(REMOVE.changed(added) or "{}") == table


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"b": 2\n}'),
        ('{\r\n    "a": "é"\r\n}\r\n', '{\r\n    "a": "é",\r\n    "b": 2\r\n}\r\n'),
        ('{"a":"\\ud800"}\n', '{"a":"\\ud800","b":2}\n'),
        ('{"a": 12345678901234567890123, "c": 0.5}', '{"a": 12345678901234567890123, "c": 0.5, "b": 2}'),
        ("", '{\n  "b": 2\n}\n'),
        (" \n", '{\n  "b": 2\n}\n'),
    ],
)
def test_indentation_line_ends_and_escapes_stay(text, expected):
    assert JsonEdit(lambda table: {**table, "b": 2}).changed(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{\n// mine\n"a": 1}', "line 2 has a comment"),
        ('{"a": [1,],}', "trailing comma"),
        ('{"a": 1, "a": 2}', "the key 'a' twice"),
        ('{"a": 1', "not JSON (line 1"),
        ("[]", "a JSON object"),
        ("null", "a JSON object"),
        ('{"servers": 1}', "'servers' in it is not an object"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e400}', "cannot be written again"),
        ('{"a": ' + "1" * 5000 + "}", "cannot be parsed"),
        ('{"a": "\\ud800é"}', "cannot be written again"),
        ("[" * 100_000, "cannot be parsed"),
        ('{"a": "\\' * 100_000, "not JSON"),
        ("/*" * 1_000_000, "not JSON"),
    ],
)
def test_json_that_would_lose_something_is_refused(text, says):
    with pytest.raises(Unchangeable) as refused:
        ADD.changed(text)

    assert says in str(refused.value)


def test_json_with_comments_is_read_and_needs_no_change_where_it_is_done():
    text = '{ // one\n "a": "//no", /* two */ "servers": {"notes": ' + json.dumps(ENTRY) + ",},}"

    assert parse_jsonc(text)["a"] == "//no"
    assert ADD.changed(text) == text
    assert json.loads(REMOVE.difference(text).removed) == {"servers": {"notes": ENTRY}}


def test_a_difference_has_the_whole_part_and_nothing_else():
    before = {"a": [1, 2], "b": {"c": 1, "d": 2}, "e": 1}

    assert missing_from(before, {"a": [1, 2, {"x": 3}], "b": {"c": 1}, "e": 2}) == {"a": [{"x": 3}], "e": 2}
    long = {"args": ["x" * 5000]}
    assert json.loads(JsonEdit(lambda table: {**table, "s": long}).difference('{"z":1}').added) == {"s": long}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\na = 1   # one\n\n[mcp_servers.other] # no line end",
        '[mcp_servers.other]\ncommand = "x"\nargs = [\n  "-y", # newest\n]\n\n[tui]\nx = true\n',
        'a.b = """\n[mcp_servers.notes]\n"""\n',
        "mcp_servers = {}\n",
        "[mcp_servers]\n",
        "a = 1\r\n[mcp_servers.other]\r\nb = 2\r\n",
    ],
)
def test_toml_keeps_its_comments_and_other_tables(text):
    added = ADD_TOML.changed(text)

    assert tomllib.loads(added)["mcp_servers"]["notes"] == ENTRY
    assert all(line in added.splitlines() for line in text.splitlines() if line.startswith(("#", "a", "[tui")))
    assert ("\r\n" in added) == ("\r\n" in text)
    assert added.count("\n") == added.count("\r\n") or "\r\n" not in added
    removed = tomllib.loads(REMOVE_TOML.changed(added))
    assert removed.pop("mcp_servers", {}) == (tomllib.loads(text).pop("mcp_servers", {}))


@pytest.mark.parametrize(
    "text", ["mcp_servers = 1", "[[mcp_servers]]\n", "a = ", "a" * (MAX_TOML_CHARACTERS + 1), "a = " + "[" * 9000]
)
def test_toml_that_cannot_be_changed_is_refused(text):
    with pytest.raises(Unchangeable):
        ADD_TOML.changed(text)


@pytest.mark.parametrize("text", ["", "# Mine\n", "# Mine", "# Mine\r\n\r\nText\r\n", "\n"])
def test_a_section_comes_and_goes(text):
    added = MarkdownEdit("notes", "## New\n\nText").changed(text)
    changed = MarkdownEdit("notes", "## Newer").changed(added)

    assert "## New" in added
    assert added.count("\r\n") in (0, added.count("\n"))
    assert "## Newer" in changed
    assert "Text\n<!--" not in changed
    assert MarkdownEdit("other", None).changed(changed) == changed
    assert MarkdownEdit("notes", None).changed(changed).rstrip() == text.rstrip()


def test_a_section_without_an_end_is_refused():
    with pytest.raises(Unchangeable, match="has no end"):
        MarkdownEdit("notes", None).changed("<!-- quarry:notes:start -->\n")


def test_a_new_file_begins_with_its_scaffold_and_goes_with_the_section():
    edit = MarkdownEdit("notes", "Text", "---\na: 1\n---\n")

    added = edit.changed("")

    assert added.startswith("---\na: 1\n---\n")
    assert edit.difference("").added.startswith("---")
    assert edit._replace(body=None).changed(added) == ""
    assert edit.difference(added) == Difference("", "")
