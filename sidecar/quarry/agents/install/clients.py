"""AI clients, with their configuration files and their own commands; `clients.toml` is the table."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

Scope = Literal["user", "project"]
SCOPES: tuple[Scope, ...] = ("user", "project")
HOOK_TIMEOUT_S = 2  # a hook answers in a fraction of it, or says nothing; a client waits no longer


class Hooks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hooks of a client: the files, and the events at which Quarry runs, with the matcher of tools for each."""

    files: Mapping[Scope, str]
    events: Mapping[str, str]  # empty for no matcher
    output_event: str | None = None  # of *events*, the one that only the settings for outputs of commands need
    grouped: bool = True  # an event has groups of handlers, with a matcher each; else handlers
    exec_form: bool = False  # a program and its arguments; else a line for the shell
    timeout: int = HOOK_TIMEOUT_S  # in the client's unit
    scaffold: Mapping[str, object] = {}  # content of a new file besides the hooks
    afterwards: str = ""


class ClientCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A client's own command that adds and removes servers.

    In the arguments, `{scope}`, `{name}`, `{command}` and `{json}` (the entry) are replaced; `{env}` and `{args}` by
    any number of arguments, `{named_json}` by the entry with its name. Without *remove*, we edit the file.
    """

    program: str
    scopes: tuple[Scope, ...] = SCOPES
    add: tuple[str, ...]
    remove: tuple[str, ...] = ()


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A client of MCP: the files that it reads, and what a person has to do when they have changed."""

    name: str
    title: str
    servers: Mapping[Scope, tuple[str, ...]]
    servers_path: tuple[str, ...] = ("mcpServers",)
    file_format: Literal["json", "toml"] = "json"
    command: ClientCommand | None = None
    has_transport: bool = False  # an entry says that it is of `type` stdio
    found_by: tuple[str, ...]
    hooks: Hooks | None = None
    instructions: Mapping[Scope, str] = {}
    afterwards: str
    documentation: str


_TABLE = tomllib.loads(Path(__file__).with_name("clients.toml").read_text(encoding="utf-8"))
CLIENTS: Mapping[str, Client] = {name: msgspec.convert({"name": name, **row}, Client) for name, row in _TABLE.items()}
"""Client by name, in the order in which they are listed."""
