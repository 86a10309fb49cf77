"""What is to stand in which file of a client, or no longer to."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from quarry.agents.install.clients import Client, Hooks, Scope
from quarry.agents.install.entries import Launcher, entry_name, hook_entries, is_same_vault, server_entry
from quarry.agents.install.hook_targets import JsonHooks
from quarry.agents.install.installed import Installed, installed
from quarry.agents.install.instructions import CURSOR_RULE, MarkdownSection, instructions
from quarry.agents.install.places import Host, paths_at
from quarry.agents.install.plan import InstallRequest
from quarry.agents.install.server_targets import JsonServer, TomlServer
from quarry.agents.install.targets import Target
from quarry.errors import BadConfiguration


class ClientSetup(NamedTuple):
    """The parts that a person wants installed in one client."""

    client: Client
    scope: Scope
    vault: str  # its path
    name: str | None  # of the server; None for that of the vault's folder
    launcher: Launcher
    hooks: bool = False
    instructions: bool = False


def requests_to_install(setup: ClientSetup, host: Host) -> Iterator[InstallRequest]:
    """
    The requests that meet *setup*, as far as its client can; `left_out` says what it cannot.

    Raises:
        BadConfiguration: The client has no configuration in this scope.
    """
    name = setup.name or entry_name(Path(setup.vault))
    yield from _servers(setup, host, name)
    if setup.hooks and setup.client.hooks:
        yield _hooks(setup, setup.client.hooks, host)
    if setup.instructions and setup.scope in setup.client.instructions:
        yield _section(setup, host, name)


def left_out(setup: ClientSetup) -> Iterator[str]:
    """Sentences on what of *setup* its client cannot do."""
    client = setup.client
    if setup.hooks and client.hooks is None:
        yield f"{client.title} has no hooks that Quarry can use; --hooks does nothing for it"
    if setup.instructions and setup.scope not in client.instructions:
        scopes = " or ".join(f"--scope {scope}" for scope in client.instructions)
        yield f"{client.title} reads no instructions there; {f'use {scopes}' if scopes else 'it has the server alone'}"


def requests_to_remove(setup: ClientSetup, host: Host) -> Iterator[InstallRequest]:
    """
    The requests for what a client may have for the vault in this scope, under whichever name, last written first.

    Where *setup* names hooks or instructions, only those are removed, else everything.
    """
    client = setup.client
    is_all = not (setup.hooks or setup.instructions)
    names = [setup.name or entry_name(Path(setup.vault)), *_names_of(setup, host)]
    if (is_all or setup.instructions) and setup.scope in client.instructions:
        for name in dict.fromkeys(names):
            yield _section(setup, host, name)
    if (is_all or setup.hooks) and client.hooks:
        yield _hooks(setup, client.hooks, host)
    if is_all:
        for name in dict.fromkeys(names):
            yield from _servers(setup, host, name)


def _names_of(setup: ClientSetup, host: Host) -> Iterator[str]:
    """The names of the client's servers for the vault."""
    for entry in installed(host):
        if (
            isinstance(entry, Installed)
            and (entry.client, entry.scope) == (setup.client.name, setup.scope)
            and is_same_vault(entry.vault, setup.vault)
            and setup.name in (None, entry.name)
        ):
            yield entry.name


def _servers(setup: ClientSetup, host: Host, name: str) -> Iterator[InstallRequest]:
    client = setup.client
    if setup.scope not in client.servers:
        raise BadConfiguration(f"{client.title} has one configuration for all projects; leave --scope out")
    entry = server_entry(client, setup.launcher, setup.vault)
    for path in paths_at(client.servers[setup.scope], host, name):
        target: Target = JsonServer(client.servers_path, name, entry, setup.vault)
        if client.file_format == "toml":
            target = TomlServer(client.servers_path, name, entry, setup.vault)
        yield InstallRequest(client.name, path, target)


def _hooks(setup: ClientSetup, hooks: Hooks, host: Host) -> InstallRequest:
    [path] = paths_at([hooks.files[setup.scope]], host)
    entries = hook_entries(setup.client, hooks, setup.launcher, setup.vault)
    return InstallRequest(setup.client.name, path, JsonHooks(setup.client.name, entries, setup.vault, hooks.scaffold))


def _section(setup: ClientSetup, host: Host, name: str) -> InstallRequest:
    [path] = paths_at([setup.client.instructions[setup.scope]], host)
    scaffold = CURSOR_RULE if path.suffix == ".mdc" else ""
    return InstallRequest(setup.client.name, path, MarkdownSection(name, instructions(name), scaffold))
