"""Which notes do the links of a note lead to, and which links lead to it?"""

from collections.abc import Sequence

import apsw

from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.index.links import Namesakes, target_key, target_keys, target_number
from quarry.index.note_rows import note_rows
from quarry.index.records import IncomingLink, ResolvedLink


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
