"""
Resolves links as Obsidian does: by path, else by name, the nearest and shortest path first. Finds maps of content.

A map of content is a note that is read for its links: its author says so, or most of its text is in lines that begin
with one. That is decided when a note is indexed (`is_map`), so that a search only asks which maps link to its hits.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence

import apsw
from msgspec import Struct, field
from rapidfuzz import fuzz, process

from quarry.index.database import select
from quarry.index.keys import (
    fold_case,
    fold_case_of_each,
    id_list,
    target_key,
    target_keys,
    target_number,
)
from quarry.index.note_rows import note_rows, read_list
from quarry.index.records import IncomingLink, MapOfContent, ResolvedLink
from quarry.lazy_pattern import lazy_pattern
from quarry.types import Note


class Namesakes:
    """
    Notes of one name, to one of which a link with that name leads.

    Their paths are folded once for all links: a vault in which each folder has its `index.md` has thousands.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._keys = [folded.removesuffix(".md") for folded in fold_case_of_each(self._paths)]
        self._by_key = dict(zip(reversed(self._keys), reversed(self._paths), strict=True))  # the first of equals

    def resolve(self, target: str, source: str) -> str | None:
        """The path that *target*, written in the note *source*, leads to: *source* itself where it is empty."""
        if not target:
            return source
        wanted = fold_case(target).removesuffix(".md")
        folder = fold_case(posixpath.dirname(source))
        if wanted.startswith(("./", "../")):
            return self._by_key.get(posixpath.normpath(posixpath.join(folder, wanted)))
        wanted = wanted.lstrip("/")
        at_root = self._by_key.get(wanted)
        if at_root or target.startswith("/"):
            return at_root
        ending = "/" + wanted
        fitting = [(key, path) for key, path in zip(self._keys, self._paths, strict=True) if key.endswith(ending)]
        below = [path for key, path in fitting if key.startswith(folder + "/")] if folder else []
        nearest = below or [path for _, path in fitting]
        shortest = min(map(len, nearest), default=0)
        return next((path for path in nearest if len(path) == shortest), None)


def links_from(connection: apsw.Connection, path: str) -> list[ResolvedLink]:
    """The links in the note at *path* in order, each with the note it leads to."""
    ids = select(connection, "SELECT id FROM notes WHERE path = ?", (path,))
    rows = note_rows(connection, [note_id for (note_id,) in ids]).values()
    links = [link for row in rows for link in row.packed_note().links()]
    named = notes_named(connection, [link.target for link in links])
    return [ResolvedLink(link, named[link.target].resolve(link.target, path)) for link in links]


def links_to(connection: apsw.Connection, path: str) -> list[IncomingLink]:
    """The links in other notes that lead to the note at *path*, by the path of the note they are in."""
    key, namesakes = target_key(path), notes_named(connection, [path])[path]
    found = select(connection, "SELECT note_id FROM links WHERE target = ?", (target_number(key),))
    rows = note_rows(connection, [note_id for (note_id,) in found])
    sources = {row.path: row.packed_note().links() for row in rows.values()}
    return [
        IncomingLink(source, link)
        for source in sorted(sources.keys() - {path})
        for link in sources[source]
        if target_key(link.target) == key and namesakes.resolve(link.target, source) == path
    ]


def notes_named(connection: apsw.Connection, targets: Sequence[str]) -> dict[str, Namesakes]:
    """For each of *targets* the notes whose name is its last part."""
    if not targets:
        return {}
    keys = dict(zip(targets, target_keys(targets), strict=True))
    sql = "SELECT path FROM notes WHERE name IN (SELECT value FROM json_each(?))"
    paths = [path for (path,) in select(connection, sql, (id_list({*map(target_number, keys.values())}),))]
    of_key: dict[str, list[str]] = {}
    for key, path in zip(target_keys(paths), paths, strict=True):
        of_key.setdefault(key, []).append(path)
    namesakes = {key: Namesakes(of_key.get(key, ())) for key in set(keys.values())}
    return {target: namesakes[key] for target, key in keys.items()}


MIN_SIMILARITY = 75.0  # of 100: `sourdow rye` is 83 like `Sourdough rye`, `templates` 67 like `emptiness`
MIN_PART = 7  # characters of a name that may be a part of another; `nope` is in many, but for a letter


def note_paths(connection: apsw.Connection, name: str) -> list[str]:
    """
    Paths of the notes that *name* may mean: the one that a link with it leads to, else all with that title or alias.

    A note at the path *name* itself is to be looked for before. The signs of a wiki-link, its label and its heading are
    left out: `[[Work/Plan#Next|the plan]]` means `Work/Plan`.
    """
    name = link_target(name)
    key = target_key(name)
    rows = select(connection, "SELECT path FROM notes WHERE name = ?", (target_number(key),))
    if linked := Namesakes([path for (path,) in rows if target_key(path) == key]).resolve(name, ""):
        return [linked]
    wanted = fold_case(name)
    return [path for path, names in _names(connection) if wanted in names]


def link_target(text: str) -> str:
    """The note that *text*, perhaps a wiki-link with a label or a heading, names; *text* itself if it names none."""
    inner = text.strip().removeprefix("!").removeprefix("[[").removesuffix("]]")
    return inner.partition("|")[0].partition("#")[0].strip() or text


def similar_paths(connection: apsw.Connection, name: str, limit: int) -> list[str]:
    """Paths of the notes whose file name, title or alias is most like *name*, best first."""
    names = [(path, each) for path, all_names in _names(connection) for each in all_names]
    found = process.extract(
        target_key(name), [each for _, each in names], scorer=_similarity, limit=4 * limit, score_cutoff=MIN_SIMILARITY
    )
    return list(dict.fromkeys(names[position][0] for _, _, position in found))[:limit]


def _similarity(wanted: str, name: str, **_options: object) -> float:
    """How alike two names are as sets of words, or a long one to a part of the other, of 100."""
    words = fuzz.token_set_ratio(wanted, name)
    return max(words, fuzz.partial_ratio(wanted, name)) if MIN_PART <= len(wanted) <= len(name) else words


def _names(connection: apsw.Connection) -> list[tuple[str, list[str]]]:
    """The path of every note with its file name, title and aliases, case ignored."""
    rows = select(connection, "SELECT path, title, aliases FROM notes ORDER BY path", ())
    return [
        (path, [target_key(path), *(fold_case(name) for name in (title, *read_list(aliases)))])
        for path, title, aliases in rows
    ]


# --- maps of content ----------------------------------------------------------------------------

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
