"""Which notes do the links of a note lead to, and which links lead to it?"""

from collections.abc import Sequence

import apsw

from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.index.links import resolve, target_key, target_number
from quarry.index.note_rows import note_rows
from quarry.index.records import IncomingLink, ResolvedLink


def links_from(connection: apsw.Connection, path: str) -> list[ResolvedLink]:
    """The links in the note at *path* in order, each with the note it leads to."""
    ids = select(connection, "SELECT id FROM notes WHERE path = ?", (path,))
    rows = note_rows(connection, [note_id for (note_id,) in ids]).values()
    links = [link for row in rows for link in row.packed_note().links()]
    named = notes_named(connection, [link.target for link in links])
    return [ResolvedLink(link, resolve(link.target, path, named[link.target])) for link in links]


def links_to(connection: apsw.Connection, path: str) -> list[IncomingLink]:
    """The links in other notes that lead to the note at *path*, by the path of the note they are in."""
    key, candidates = target_key(path), notes_named(connection, [path])[path]
    found = select(connection, "SELECT note_id FROM links WHERE target = ?", (target_number(key),))
    rows = note_rows(connection, [note_id for (note_id,) in found])
    sources = {row.path: row.packed_note().links() for row in rows.values()}
    return [
        IncomingLink(source, link)
        for source in sorted(sources.keys() - {path})
        for link in sources[source]
        if target_key(link.target) == key and resolve(link.target, source, candidates) == path
    ]


def notes_named(connection: apsw.Connection, targets: Sequence[str]) -> dict[str, list[str]]:
    """For each of *targets* the paths of the notes whose name is its last part."""
    if not targets:
        return {}
    keys = {target: target_key(target) for target in targets}
    sql = "SELECT path FROM notes WHERE name IN (SELECT value FROM json_each(?)) ORDER BY path"
    of_key: dict[str, list[str]] = {}
    for (path,) in select(connection, sql, (id_list({*map(target_number, keys.values())}),)):
        of_key.setdefault(target_key(path), []).append(path)
    return {target: of_key.get(key, []) for target, key in keys.items()}
