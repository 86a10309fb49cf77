"""Hooks in a client's settings: a handler of ours for each event, beside those of others."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from quarry.agents.install.entries import hooked_vault, is_same_vault
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
from quarry.agents.install.jsonc_edits import item_insertions, without
from quarry.agents.install.targets import Addition, KeyPath


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
        root = json_value(text)
        paths = [("hooks", event) for event in self.entries]
        additions = list(zip(paths, self.entries.values(), strict=True))
        addition = added_in_steps(text, self.scaffold, item_insertions, additions)
        wanted = root if text.strip() else json_value(self.scaffold)
        for path, entry in additions:
            present = object_at(wanted, path[:1]).get(path[1], [])
            wanted = with_member(wanted, path[:1], path[1], [*present, entry])
        check_meaning(json_value(addition.text), wanted)
        return addition._replace(
            containers=tuple(dict.fromkeys(made for path in paths for made in missing_prefixes(root, path)))
        )

    def remove(self, text: str, containers: Sequence[KeyPath]) -> str:
        """See `Target`."""
        for event, places in self._ours(text).items():
            for place in reversed(places):
                text = self._without(text, event, place)
        return without_empty(text, containers)

    def is_bare(self, text: str) -> bool:
        """See `Target`."""
        return is_like(text, self.scaffold)

    def _without(self, text: str, event: str, place: int) -> str:
        """*text* without our handlers in the group at *place*; the group stays if it has other handlers."""
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
        return object_at(json_value(text), ("hooks",))


def _handlers(entry: object) -> list[Any]:
    """The handlers of a group; a handler is one of itself."""
    if isinstance(entry, Mapping) and isinstance(handlers := entry.get("hooks"), list):
        return handlers
    return [entry]
