"""
Maps of content, and the maps that list a note.

A map of content is a note that is read for its links: its author says so, or most of its text is in lines that begin
with one. That is decided when a note is indexed (`notes.is_map`), so that a search only asks what leads to its hits.
"""

import re
from collections.abc import Sequence

import apsw
from msgspec import Struct, field

from quarry.index.database import select
from quarry.index.keys import fold_case, id_list, target_key, target_keys, target_number
from quarry.index.links import Namesakes, notes_named
from quarry.index.note_rows import note_rows
from quarry.index.records import MapOfContent
from quarry.lazy_pattern import lazy_pattern
from quarry.types import Note

MAX_MAPS = 2  # that are offered with a hit
MAX_KEPT = 10_000  # notes whose maps are known, 2 MB
MIN_LINKED = 5  # notes that a map leads to, unless it calls itself a MOC
MIN_SHARE = 0.5  # of the text is in lines that begin with a link; at .4 articles with a list of further topics count
_MOC = "moc"
_NAMES = frozenset({"map", "index"})  # words that other notes have in their tags and titles, too
_WORD = lazy_pattern(r"\w+")
_HEADING = lazy_pattern(r"#{1,6}\s")
# `[[note]]` or `[label](note.md)`, not `[label](https://…)` nor `[^1]`; perhaps an item, a task, emphasised
_LINK_FIRST = lazy_pattern(
    r"""
    [ \t>]*+ (?: (?: [-*+] | \d+[.)] ) [ \t]++ )? (?: \[.\] [ \t]++ )? [*_=~]*+
    (?: \[\[ | \[ [^\[\]^] [^\[\]]*+ \] \( (?! [a-z][a-z0-9+.-]*+ : ) )
    """,
    re.VERBOSE | re.IGNORECASE,
)


# By target first; a list of all maps would be made for every query, which takes longer than looking up the few notes.
_LINKING_MAPS = (
    "SELECT target, note_id FROM links WHERE target IN (SELECT value FROM json_each(?))"
    " AND EXISTS (SELECT 1 FROM notes WHERE id = note_id AND is_map)"
)


def is_map(note: Note) -> bool:
    """Whether *note* is a map of content."""
    if not note.links:
        return False
    declared = _declared(note)
    if _MOC in declared:
        return True
    linked = {link.target for link in note.links if link.kind != "embed"} - {""}
    return len(linked) >= MIN_LINKED and (not _NAMES.isdisjoint(declared) or _lists_links(note))


def _declared(note: Note) -> set[str]:
    """The kinds that *note* declares: its tags, its property `type`, the first and the last word of its title."""
    said = {part for tag in note.tags for part in fold_case(tag).split("/")}
    for value in (value for name, value in note.properties.items() if name.lower() == "type"):
        said |= {fold_case(each) for each in (value if isinstance(value, tuple) else (str(value),))}
    title = fold_case(note.title)
    words = _WORD.findall(title)
    return said | {*words[-1:]} | ({_MOC} if _MOC in words[:1] or "map of content" in title else set())


def _lists_links(note: Note) -> bool:
    """Whether *note* has enough lines that begin with a link, and most of its text in them; headings do not count."""
    lines = [line for chunk in note.chunks for line in chunk.text.splitlines()]
    listed = [line for line in lines if ("[[" in line or "](" in line) and _LINK_FIRST.match(line)]
    if len(listed) < MIN_LINKED:
        return False
    size = sum(len(line) for line in lines if not _HEADING.match(line))
    return sum(map(len, listed)) >= MIN_SHARE * size


class _Map(Struct, frozen=True):
    """A map of content, and the targets of its links by their `target_key`."""

    note: MapOfContent
    targets: dict[str, dict[str, None]]  # each spelling once


class MapsOfContent(Struct):
    """The maps of content of one snapshot, which *connection* always sees. Links are read once they are asked for."""

    is_empty: bool
    _read: dict[int, _Map] = field(default_factory=dict)
    _listing: dict[str, tuple[MapOfContent, ...]] = field(default_factory=dict)  # by path; many hits come again

    @classmethod
    def of(cls, connection: apsw.Connection) -> "MapsOfContent":
        """The maps of the snapshot that *connection* sees."""
        return cls(not select(connection, "SELECT 1 FROM notes WHERE is_map LIMIT 1"))

    def listing(self, connection: apsw.Connection, paths: Sequence[str]) -> dict[str, tuple[MapOfContent, ...]]:
        """
        The maps that link to the notes at *paths*, those of fewer links first; notes that none links to are left out.

        At most `MAX_MAPS` a note, and none for itself.
        """
        if self.is_empty:
            return {}
        known = self._listing
        if unknown := [path for path in paths if path not in known]:
            found = self._look_up(connection, unknown)
            if len(known) > MAX_KEPT:
                known = self._listing = {path: known[path] for path in paths if path in known}
            known.update(found)
        return {path: maps for path in paths if (maps := known[path])}

    def _look_up(self, connection: apsw.Connection, paths: Sequence[str]) -> dict[str, tuple[MapOfContent, ...]]:
        """The maps that link to each of *paths*."""
        numbers = {path: target_number(target_key(path)) for path in paths}
        rows: list[tuple[int, int]] = select(connection, _LINKING_MAPS, (id_list({*numbers.values()}),))
        holders: dict[int, list[int]] = {}
        for number, note_id in rows:
            holders.setdefault(number, []).append(note_id)
        named = notes_named(connection, [path for path in paths if numbers[path] in holders])
        return {
            path: self._leading_to(connection, path, named[path], holders[numbers[path]]) if path in named else ()
            for path in paths
        }

    def _leading_to(
        self, connection: apsw.Connection, path: str, namesakes: Namesakes, candidates: Sequence[int]
    ) -> tuple[MapOfContent, ...]:
        key = target_key(path)
        maps = [
            each
            for each in self._maps(connection, candidates)
            if each.note.path != path
            and any(namesakes.resolve(target, each.note.path) == path for target in each.targets.get(key, ()))
        ]
        maps.sort(key=lambda each: (len(each.targets), each.note.path))
        return tuple([each.note for each in maps[:MAX_MAPS]])

    def _maps(self, connection: apsw.Connection, note_ids: Sequence[int]) -> list[_Map]:
        unread = [note_id for note_id in note_ids if note_id not in self._read]
        for note_id, row in note_rows(connection, unread).items() if unread else ():
            targets: dict[str, dict[str, None]] = {}
            written = row.packed_note().link_targets()
            for key, target in zip(target_keys(written), written, strict=True):
                targets.setdefault(key, {})[target] = None
            self._read[note_id] = _Map(MapOfContent(row.path, row.title), targets)
        return [self._read[note_id] for note_id in note_ids if note_id in self._read]
