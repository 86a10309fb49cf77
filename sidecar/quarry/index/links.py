"""Resolves links as Obsidian does: by path, else by name, the nearest and shortest path first."""

import posixpath
from collections.abc import Iterable, Sequence

import apsw
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
from quarry.index.records import IncomingLink, ResolvedLink


class Namesakes:
    """
    Notes of one name, to one of which a link with that name leads.

    Their paths are folded once for all links: a vault in which each folder has its `index.md` has thousands.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._keys = [folded.removesuffix(".md") for folded in fold_case_of_each(self._paths)]
        self._by_key = dict(zip(reversed(self._keys), reversed(self._paths), strict=True))  # the first of equals

    def __len__(self) -> int:
        """How many notes have the name."""
        return len(self._paths)

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


MIN_SIMILARITY = 60.0  # of 100: `Sourdogh` is 94 like `Sourdough rye`, `nope` 57 like `Open questions`


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
        target_key(name), [each for _, each in names], scorer=fuzz.WRatio, limit=4 * limit, score_cutoff=MIN_SIMILARITY
    )
    return list(dict.fromkeys(names[position][0] for _, _, position in found))[:limit]


def _names(connection: apsw.Connection) -> list[tuple[str, list[str]]]:
    """The path of every note with its file name, title and aliases, case ignored."""
    rows = select(connection, "SELECT path, title, aliases FROM notes ORDER BY path", ())
    return [
        (path, [target_key(path), *(fold_case(name) for name in (title, *read_list(aliases)))])
        for path, title, aliases in rows
    ]
