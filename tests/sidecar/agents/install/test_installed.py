"""What clients are told of is read from their own files."""

import pytest

from quarry.agents.install.clients import CLIENTS
from quarry.agents.install.installed import Installed, Unreadable, installed


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_of_ours_is_found(filled, client):
    filled.install(client)

    [found] = installed(filled.host)

    assert isinstance(found, Installed)
    assert (found.client, found.scope, found.name, found.vault) == (client, "user", "notes", str(filled.vault))
    assert found.path == filled.configuration(client)
    assert found.command == ("/opt/quarry/bin/quarry", "mcp", "--vault", str(filled.vault))
    assert set(found.environment) == {"QUARRY_HOME"}


def test_a_projects_server_is_found(desk):
    desk.install("vscode", scope="project")

    assert [(entry.client, entry.scope) for entry in installed(desk.host)] == [("vscode", "project")]


def test_in_the_home_folder_nothing_is_found_twice(desk):
    desk.host = desk.host._replace(project=desk.home)
    desk.install("cursor")

    assert len(list(installed(desk.host))) == 1


def test_others_are_not_taken_for_ours(filled):
    assert list(installed(filled.host)) == []


@pytest.mark.parametrize("content", [b"{", b"\xff", b'{"mcpServers": 1}', b"[]", b""])
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(desk, content):
    desk.install("vscode")
    desk.configuration("cursor").write_bytes(content)

    found = list(installed(desk.host))

    assert [entry.client for entry in found if isinstance(entry, Installed)] == ["vscode"]
    assert [entry.client for entry in found if isinstance(entry, Unreadable)] in ([], ["cursor"])
    assert (content in (b"{", b"\xff")) == any(isinstance(entry, Unreadable) for entry in found)
