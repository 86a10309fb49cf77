"""An MCP server in a client's configuration, in JSON or in TOML."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from quarry.agents.install import toml_tables
from quarry.agents.install.entries import command_of, is_same_vault, served_vault
from quarry.agents.install.insertions import inserted
from quarry.agents.install.json_values import (
    added_in_steps,
    check_meaning,
    is_like,
    json_value,
    missing_prefixes,
    object_at,
    with_member,
    without_empty,
)
from quarry.agents.install.jsonc_edits import member_insertions, without
from quarry.agents.install.targets import Addition, KeyPath
from quarry.errors import BadConfiguration


class JsonServer(NamedTuple):
    """An MCP server in a JSON file, under its name at *path*."""

    path: KeyPath
    name: str
    entry: Mapping[str, object]
    vault: str
    scaffold: str = "{}\n"

    def is_done(self, text: str) -> bool:
        """See `Target`."""
        return self._ours(text) == [self.name] and self._servers(text)[self.name] == self.entry

    def has_ours(self, text: str) -> bool:
        """See `Target`."""
        return bool(self._ours(text))

    def add(self, text: str) -> Addition:
        """See `Target`."""
        refuse_taken(self.name, self._servers(text))
        root = json_value(text)
        addition = added_in_steps(text, self.scaffold, member_insertions, [((*self.path, self.name), self.entry)])
        check_meaning(json_value(addition.text), with_member(root, self.path, self.name, self.entry))
        return addition._replace(containers=missing_prefixes(root, self.path))

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:
        """See `Target`."""
        for name in self._ours(text):
            text = without(text, (*self.path, name))
        return without_empty(text, containers)

    def is_bare(self, text: str) -> bool:
        """See `Target`."""
        return is_like(text, self.scaffold)

    def _ours(self, text: str) -> list[str]:
        servers = self._servers(text)
        return [name for name, entry in servers.items() if is_same_vault(served_vault(entry), self.vault)]

    def _servers(self, text: str) -> Mapping[str, Any]:
        return object_at(json_value(text), self.path)


class TomlServer(NamedTuple):
    """An MCP server in a TOML file, as a table with its name at *path*."""

    path: KeyPath
    name: str
    entry: Mapping[str, object]
    vault: str

    def is_done(self, text: str) -> bool:
        """See `Target`."""
        return self._ours(text) == [self.name] and self._servers(text)[self.name] == self.entry

    def has_ours(self, text: str) -> bool:
        """See `Target`."""
        return bool(self._ours(text))

    def add(self, text: str) -> Addition:
        """See `Target`."""
        refuse_taken(self.name, self._servers(text))
        step = tuple(toml_tables.table_insertions(text, (*self.path, self.name), self.entry))
        return Addition(inserted(text, step), (step,))

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:  # noqa: ARG002 - a table makes its parents
        """See `Target`."""
        for name in self._ours(text):
            text = toml_tables.without_table(text, (*self.path, name))
        return text

    def is_bare(self, text: str) -> bool:
        """See `Target`."""
        return not text.strip()

    def _ours(self, text: str) -> list[str]:
        servers = self._servers(text)
        return [name for name, entry in servers.items() if is_same_vault(served_vault(entry), self.vault)]

    def _servers(self, text: str) -> Mapping[str, Any]:
        return object_at(toml_tables.parse(text), self.path)


def refuse_taken(name: str, servers: Mapping[str, object]) -> None:
    """
    Check that *name* is free.

    Raises:
        BadConfiguration: There is a server of that name, of another program or for another vault.
    """
    if name not in servers:
        return
    entry = servers[name]
    command = " ".join(command_of(entry))[:200] if isinstance(entry, Mapping) else ""
    what = f"starts `{command}`" if command else "is not ours"
    raise BadConfiguration(f"there is a server {name!r} already, which {what}; give another name with --name")
