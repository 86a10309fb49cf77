"""Servers of others are left alone, and ours are known by their vault."""

import pytest

from quarry.agents.install.jsonc import Malformed
from quarry.agents.install.server_targets import JsonServer, TomlServer, refuse_taken
from quarry.errors import BadConfiguration

ENTRY = {"command": "/opt/quarry", "args": ["mcp", "--vault", "/Notes"]}
SERVER = JsonServer(("mcpServers",), "notes", ENTRY, "/Notes")


def test_an_entry_of_another_path_is_ours_and_not_done():
    text = '{"mcpServers": {"old": {"command": "/old/quarry", "args": ["mcp", "--vault", "/Notes"]}}}'

    assert SERVER.has_ours(text)
    assert not SERVER.is_done(text)
    assert SERVER.remove(text, []) == '{"mcpServers": {}}'


def test_an_entry_of_another_vault_is_not_ours():
    text = '{"mcpServers": {"work": {"command": "/opt/quarry", "args": ["mcp", "--vault", "/Work"]}}}'

    assert not SERVER.has_ours(text)
    assert SERVER.remove(text, []) == text


@pytest.mark.parametrize("entry", [{"command": "x", "args": ["y"]}, {"url": "https://example.com"}, None, 1])
def test_a_name_that_is_taken_is_refused(entry):
    with pytest.raises(BadConfiguration, match="there is a server 'notes' already"):
        refuse_taken("notes", {"notes": entry})


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}', "[]", "1"])
def test_what_is_no_object_is_malformed(text):
    with pytest.raises(Malformed, match="is not an object"):
        SERVER.add(text)


def test_toml_knows_ours_as_well():
    server = TomlServer(("mcp_servers",), "notes", ENTRY, "/Notes")
    text = '[mcp_servers.old]\ncommand = "quarry"\nargs = ["mcp", "--vault", "/Notes"]\n'

    assert server.has_ours(text)
    assert not server.is_done(text)
    assert server.is_bare(server.remove(text, []))
