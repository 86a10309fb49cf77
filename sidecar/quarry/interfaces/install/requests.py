"""What is to stand in which file of a client, or no longer to."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from quarry.errors import BadConfiguration
from quarry.interfaces.install.clients import Client, Hooks, Scope
from quarry.interfaces.install.entries import Launcher, entry_name, hook_entries, is_same_vault, server_entry
from quarry.interfaces.install.hook_targets import JsonHooks
from quarry.interfaces.install.installed import Installed, installed
from quarry.interfaces.install.instructions import CURSOR_RULE, MarkdownSection, instructions
from quarry.interfaces.install.places import Surroundings, paths_at
from quarry.interfaces.install.plan import InstallRequest
from quarry.interfaces.install.server_targets import JsonServer, TomlServer
from quarry.interfaces.install.targets import Target


class Wish(NamedTuple):
    """What a person asked for, of one client."""

    client: Client
    scope: Scope
    vault: str  # its path
    name: str | None  # of the server; None for that of the vault's folder
    launcher: Launcher
    hooks: bool = False
    instructions: bool = False


def requests_to_install(wish: Wish, around: Surroundings) -> Iterator[InstallRequest]:
    """
    The requests that meet *wish*, as far as its client can; `left_out` says what it cannot.

    Raises:
        BadConfiguration: The client has no configuration in this scope.
    """
    name = wish.name or entry_name(Path(wish.vault))
    yield from _servers(wish, around, name)
    if wish.hooks and wish.client.hooks:
        yield _hooks(wish, wish.client.hooks, around)
    if wish.instructions and wish.scope in wish.client.instructions:
        yield _section(wish, around, name)


def left_out(wish: Wish) -> Iterator[str]:
    """Sentences on what of *wish* its client cannot do."""
    client = wish.client
    if wish.hooks and client.hooks is None:
        yield f"{client.title} has no hooks that Quarry can use; --hooks does nothing for it"
    if wish.instructions and wish.scope not in client.instructions:
        scopes = " or ".join(f"--scope {scope}" for scope in client.instructions)
        yield f"{client.title} reads no instructions there; {f'use {scopes}' if scopes else 'it has the server alone'}"


def requests_to_remove(wish: Wish, around: Surroundings) -> Iterator[InstallRequest]:
    """
    The requests for what a client may have for the vault in this scope, under whichever name, last written first.

    Where *wish* names hooks or instructions, only those are removed, else everything.
    """
    client = wish.client
    is_all = not (wish.hooks or wish.instructions)
    names = [wish.name or entry_name(Path(wish.vault)), *_names_of(wish, around)]
    if (is_all or wish.instructions) and wish.scope in client.instructions:
        for name in dict.fromkeys(names):
            yield _section(wish, around, name)
    if (is_all or wish.hooks) and client.hooks:
        yield _hooks(wish, client.hooks, around)
    if is_all:
        for name in dict.fromkeys(names):
            yield from _servers(wish, around, name)


def _names_of(wish: Wish, around: Surroundings) -> Iterator[str]:
    """The names of the client's servers for the vault."""
    for entry in installed(around):
        if (
            isinstance(entry, Installed)
            and (entry.client, entry.scope) == (wish.client.name, wish.scope)
            and is_same_vault(entry.vault, wish.vault)
            and wish.name in (None, entry.name)
        ):
            yield entry.name


def _servers(wish: Wish, around: Surroundings, name: str) -> Iterator[InstallRequest]:
    client = wish.client
    if wish.scope not in client.servers:
        raise BadConfiguration(f"{client.title} has one configuration for all projects; leave --scope out")
    entry = server_entry(client, wish.launcher, wish.vault)
    for path in paths_at(client.servers[wish.scope], around, name):
        target: Target = JsonServer(client.servers_path, name, entry, wish.vault)
        if client.file_format == "toml":
            target = TomlServer(client.servers_path, name, entry, wish.vault)
        yield InstallRequest(client.name, path, target)


def _hooks(wish: Wish, hooks: Hooks, around: Surroundings) -> InstallRequest:
    [path] = paths_at([hooks.files[wish.scope]], around)
    entries = hook_entries(wish.client, hooks, wish.launcher, wish.vault)
    return InstallRequest(wish.client.name, path, JsonHooks(wish.client.name, entries, wish.vault, hooks.scaffold))


def _section(wish: Wish, around: Surroundings, name: str) -> InstallRequest:
    [path] = paths_at([wish.client.instructions[wish.scope]], around)
    scaffold = CURSOR_RULE if path.suffix == ".mdc" else ""
    return InstallRequest(wish.client.name, path, MarkdownSection(name, instructions(name), scaffold))
