"""Which clients are told of Quarry, in which file, and for which vault? Read from the configurations themselves."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from quarry.agents.install import jsonc, toml_tables
from quarry.agents.install.clients import CLIENTS, SCOPES, Client, Scope
from quarry.agents.install.entries import command_of, served_vault
from quarry.agents.install.files import read_state
from quarry.agents.install.json_values import json_value
from quarry.agents.install.places import Host, paths_at
from quarry.errors import BadConfiguration


class Installed(NamedTuple):
    """A server of ours in the configuration of a client."""

    client: str
    scope: Scope
    path: Path
    name: str
    vault: str
    command: tuple[str, ...]
    environment: Mapping[str, str]


class Unreadable(NamedTuple):
    """A configuration that cannot be read, and why."""

    client: str
    path: Path
    problem: str


def installed(host: Host) -> Iterator[Installed | Unreadable]:
    """All servers of ours that the clients would start here."""
    for client in CLIENTS.values():
        seen: set[Path] = set()  # in the home folder, a project's file may be the user's
        for scope in SCOPES:
            for path in paths_at(client.servers.get(scope, ()), host, "*"):
                if path.is_file() and path not in seen:
                    seen.add(path)
                    yield from _in_file(client, scope, path)


def _in_file(client: Client, scope: Scope, path: Path) -> Iterator[Installed | Unreadable]:
    try:
        servers = _servers(client, path)
    except jsonc.Malformed as error:
        yield Unreadable(client.name, path, f"line {error.line}: {error}")
        return
    except BadConfiguration as error:
        yield Unreadable(client.name, path, str(error))
        return
    for name, entry in servers.items():
        if (vault := served_vault(entry)) is not None:
            environment = entry.get("env")
            variables = environment if isinstance(environment, Mapping) else {}
            strings = {str(key): str(value) for key, value in variables.items()}
            yield Installed(client.name, scope, path, str(name), vault, tuple(command_of(entry)), strings)


def _servers(client: Client, path: Path) -> Mapping[str, Any]:
    text = read_state(path, to_write=False).text
    found: Any = toml_tables.parse(text) if client.file_format == "toml" else json_value(text)
    for key in client.servers_path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
