"""
What goes into which kind of file: a server into JSON or TOML, hooks into JSON, a section into Markdown.

A target takes the text of a file and gives the text with its content, or without what is ours; it reads and writes no
file. Every text is checked to mean what it should before anybody sees it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from quarry.errors import BadConfiguration
from quarry.interfaces.install import jsonc, toml_tables
from quarry.interfaces.install.entries import command_of, hooked_vault, is_same_vault, served_vault
from quarry.interfaces.install.insertions import Insertion, inserted
from quarry.interfaces.install.jsonc import Malformed
from quarry.interfaces.install.jsonc_edits import item_insertions, member_insertions, without
from quarry.interfaces.install.sections import section, section_in, section_insertions, without_section

KeyPath = tuple[str, ...]


class Addition(NamedTuple):
    """A text with something added: the steps that led to it, and the objects that it had not before."""

    text: str
    steps: tuple[tuple[Insertion, ...], ...]
    containers: tuple[KeyPath, ...] = ()


class Target(Protocol):
    """What is wanted in a file. All methods raise `Malformed` for a text that they cannot read."""

    def is_done(self, text: str) -> bool:
        """Whether *text* has what is wanted, and nothing else of ours."""

    def has_ours(self, text: str) -> bool:
        """Whether *text* has anything that an earlier call wrote."""

    def add(self, text: str) -> Addition:
        """*text*, which has nothing of ours, with what is wanted. Raises `BadConfiguration` where a name is taken."""

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:
        """*text* without what is ours, and without those of *containers*, which we made, that are empty then."""

    def is_bare(self, text: str) -> bool:
        """Whether *text* is as good as no file."""


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
        root = _json(text)
        addition = _add_all(text, self.scaffold, [member_insertions], [((*self.path, self.name), self.entry)])
        _check(_json(addition.text), _with(root, self.path, self.name, self.entry))
        return addition._replace(containers=_missing(root, self.path))

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:
        """See `Target`."""
        for name in self._ours(text):
            text = without(text, (*self.path, name))
        return _without_empty(text, containers)

    def is_bare(self, text: str) -> bool:
        """See `Target`."""
        return _is_like(text, self.scaffold)

    def _ours(self, text: str) -> list[str]:
        servers = self._servers(text)
        return [name for name, entry in servers.items() if is_same_vault(served_vault(entry), self.vault)]

    def _servers(self, text: str) -> Mapping[str, Any]:
        return _object_at(_json(text), self.path)


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
        return _object_at(toml_tables.parse(text), self.path)


class JsonHooks(NamedTuple):
    """
    Hooks in a JSON file, one for each event.

    *entries* are what an event's list gets: a group of handlers, or where *client* knows no groups, the handler.
    """

    client: str
    entries: Mapping[str, Mapping[str, object]]
    vault: str
    scaffold: str = "{}\n"

    def is_done(self, text: str) -> bool:
        """See `Target`."""
        events = self._events(text)
        ours = {event: [events[event][at] for at in places] for event, places in self._ours(text).items()}
        return ours == {event: [entry] for event, entry in self.entries.items()}

    def has_ours(self, text: str) -> bool:
        """See `Target`."""
        return bool(self._ours(text))

    def add(self, text: str) -> Addition:
        """See `Target`."""
        root = _json(text)
        paths = [("hooks", event) for event in self.entries]
        addition = _add_all(
            text, self.scaffold, [item_insertions] * len(paths), list(zip(paths, self.entries.values(), strict=True))
        )
        wanted = root if text.strip() else _json(self.scaffold)
        for path, entry in zip(paths, self.entries.values(), strict=True):
            present = _object_at(wanted, path[:1]).get(path[1], [])
            wanted = _with(wanted, path[:1], path[1], [*present, entry])
        _check(_json(addition.text), wanted)
        return addition._replace(
            containers=tuple(dict.fromkeys(made for path in paths for made in _missing(root, path)))
        )

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:
        """See `Target`."""
        for event, places in self._ours(text).items():
            for place in reversed(places):
                text = self._without(text, event, place)
        return _without_empty(text, containers)

    def is_bare(self, text: str) -> bool:
        """See `Target`."""
        return _is_like(text, self.scaffold)

    def _without(self, text: str, event: str, place: int) -> str:
        """*text* without our handlers in the group at *place*; the group stays if somebody added others to it."""
        handlers = _handlers(self._events(text)[event][place])
        others = [at for at, handler in enumerate(handlers) if not self._is_ours(handler)]
        if not others:
            return without(text, ("hooks", event, place))
        for at in reversed(range(len(handlers))):
            if at not in others:
                text = without(text, ("hooks", event, place, "hooks", at))
        return text

    def _ours(self, text: str) -> dict[str, list[int]]:
        """Event -> the places of entries in its list that hold a handler of ours."""
        found = {
            event: [at for at, entry in enumerate(entries) if any(map(self._is_ours, _handlers(entry)))]
            for event, entries in self._events(text).items()
            if isinstance(entries, list)
        }
        return {event: places for event, places in found.items() if places}

    def _is_ours(self, handler: object) -> bool:
        return is_same_vault(hooked_vault(handler, self.client), self.vault)

    def _events(self, text: str) -> Mapping[str, Any]:
        return _object_at(_json(text), ("hooks",))


class MarkdownSection(NamedTuple):
    """A section of a file of instructions; *scaffold* is what a new file begins with."""

    name: str
    body: str
    scaffold: str = ""

    def is_done(self, text: str) -> bool:
        """See `Target`."""
        return section_in(text, self.name) == section(self.name, self.body)

    def has_ours(self, text: str) -> bool:
        """See `Target`."""
        return section_in(text, self.name) is not None

    def add(self, text: str) -> Addition:
        """See `Target`."""
        steps: list[tuple[Insertion, ...]] = []
        if self.scaffold and not text.strip():
            steps.append((Insertion(len(text), self.scaffold),))
            text = inserted(text, steps[0])
        steps.append(tuple(section_insertions(text, self.name, self.body)))
        return Addition(inserted(text, steps[-1]), tuple(steps))

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:  # noqa: ARG002 - Markdown has none
        """See `Target`."""
        return without_section(text, self.name)

    def is_bare(self, text: str) -> bool:
        """See `Target`."""
        return text.strip() in ("", self.scaffold.strip())


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


def _add_all(text: str, scaffold: str, adders: Sequence[Any], additions: Sequence[tuple[KeyPath, object]]) -> Addition:
    """*text* with all *additions*, one step each; a blank one becomes the *scaffold* first."""
    steps: list[tuple[Insertion, ...]] = []
    if not text.strip():
        steps.append((Insertion(len(text), scaffold),))
        text = inserted(text, steps[-1])
    for adder, (path, value) in zip(adders, additions, strict=True):
        steps.append(tuple(adder(text, path, value)))
        text = inserted(text, steps[-1])
    return Addition(text, tuple(steps))


def _json(text: str) -> Any:
    return jsonc.value_of(text, jsonc.parse(text)) if text.strip() else {}


def _object_at(root: object, path: Sequence[str]) -> Mapping[str, Any]:
    """The object at *path*; empty where there is none."""
    for depth in range(len(path) + 1):
        if not isinstance(root, Mapping):
            raise Malformed(f"{'.'.join(path[:depth]) or 'the file'} is not an object", 1)
        if depth < len(path):
            root = root.get(path[depth], {})
    assert isinstance(root, Mapping)
    return root


def _with(root: Mapping[str, Any], path: Sequence[str], key: str, value: object) -> dict[str, Any]:
    if not path:
        return {**root, key: value}
    return {**root, path[0]: _with(_object_at(root, path[:1]), path[1:], key, value)}


def _missing(root: object, path: Sequence[str]) -> tuple[KeyPath, ...]:
    """The prefixes of *path* at which *root* has nothing."""
    found = []
    for depth in range(1, len(path) + 1):
        root = root.get(path[depth - 1]) if isinstance(root, Mapping) else None
        if root is None:
            found.append(tuple(path[:depth]))
    return tuple(found)


def _without_empty(text: str, containers: Sequence[KeyPath]) -> str:
    for path in sorted(containers, key=len, reverse=True):
        node = jsonc.find(jsonc.parse(text), path)
        if node is not None and node.kind != "scalar" and not text[node.start + 1 : node.end - 1].strip():
            text = without(text, path)
    return text


def _handlers(entry: object) -> list[Any]:
    """The handlers of a group; a handler is one of itself."""
    if isinstance(entry, Mapping) and isinstance(handlers := entry.get("hooks"), list):
        return handlers
    return [entry]


def _is_like(text: str, scaffold: str) -> bool:
    """Whether *text* is blank or equals *scaffold* but for blanks."""
    return "".join(text.split()) in ("", "".join(scaffold.split()))


def _check(found: object, wanted: object) -> None:
    if found != wanted:
        raise Malformed("it cannot be changed so that all else stays", 1)
