"""Tables of TOML are added and removed; every other byte stays."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.agents.install.insertions import inserted
from quarry.agents.install.jsonc import Malformed
from quarry.agents.install.toml_tables import MAX_CHARACTERS, parse, table_insertions, without_table

PATH = ("mcp_servers", "notes")
ENTRY = {"command": 'C:\\Tools\\quarry "x".exe', "args": ["mcp", "--vault", "/筆記"], "env": {"QUARRY_HOME": "/q"}}
TEXTS = [
    "",
    "\n\n",
    'model = "o3"',
    'model = "o3" # mine\r\n\r\n[tui]\r\nx = 1\r\n',
    '[mcp_servers.other]\ncommand = "x"\n',
    '[mcp_servers.other]\ncommand = "x"\n\n[tui]\nx = 1\n\n[mcp_servers.other.env]\nA = "1"\n',
    'mcp_servers = { other = { command = "x" } } # on one line\n[tui]\nx = 1\n',
    'mcp_servers.other.command = "x"\n',
    "[[hooks]]\nx = 1\n[[hooks]]\nx = 2\n",
    'text = """\n[mcp_servers.notes]\n"""\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_table_is_added_and_nothing_else_changes(text):
    after = inserted(text, table_insertions(text, PATH, ENTRY))

    found = tomllib.loads(after)
    assert found["mcp_servers"].pop("notes") == ENTRY
    found = found if found["mcp_servers"] else {key: value for key, value in found.items() if key != "mcp_servers"}
    assert found == tomllib.loads(text)


@pytest.mark.parametrize("text", TEXTS)
def test_a_table_is_removed_by_what_it_says(text):
    after = inserted(text, table_insertions(text, PATH, ENTRY))

    removed = without_table(after, PATH)

    assert parse(removed) == parse(text)
    assert removed.split() == text.split()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=20), st.lists(st.text(max_size=10), max_size=3))
def test_any_command_line_is_written_so_that_it_is_read(command, arguments):
    entry = {"command": command, "args": arguments}

    after = inserted("a = 1\n", table_insertions("a = 1\n", PATH, entry))

    assert tomllib.loads(after)["mcp_servers"]["notes"] == entry
    assert without_table(after, PATH) == "a = 1\n"


def test_a_table_in_another_spelling_is_removed_as_well():
    text = 'a = 1\n["mcp_servers" . "notes"] # by hand\ncommand = "quarry"\n\n[other]\nb = 2\n'

    assert parse(without_table(text, PATH)) == {"a": 1, "other": {"b": 2}}


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = = 2\n", 2), ("[a\n", 1), ("a = 1\na = 2\n", 2), ('a = "x', 1), ("\x00", 1)]
)
def test_malformed_text_is_refused_with_its_line(text, line):
    with pytest.raises(Malformed) as refused:
        table_insertions(text, PATH, ENTRY)

    assert refused.value.line == line


def test_what_is_no_table_is_not_written_into():
    with pytest.raises(Malformed, match="mcp_servers is not a table"):
        table_insertions("mcp_servers = 1\n", PATH, ENTRY)


def test_a_file_that_is_no_configuration_is_refused():
    with pytest.raises(Malformed, match="characters"):
        parse("#" * (MAX_CHARACTERS + 1))
