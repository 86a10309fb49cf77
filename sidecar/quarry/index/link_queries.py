"""Which notes do the links of a note lead to, and which links lead to it?"""

import apsw

from quarry.index.database import select
from quarry.index.links import resolve, target_key, target_number
from quarry.index.note_rows import note_rows
from quarry.index.records import IncomingLink, ResolvedLink


def links_from(connection: apsw.Connection, path: str) -> list[ResolvedLink]:
    """The links in the note at *path* in order, each with the note it leads to."""
    ids = select(connection, "SELECT id FROM notes WHERE path = ?", (path,))
    return [
        ResolvedLink(link, resolve(link.target, path, notes_named(connection, link.target)))
        for row in note_rows(connection, [note_id for (note_id,) in ids]).values()
        for link in row.packed_note().links()
    ]


def links_to(connection: apsw.Connection, path: str) -> list[IncomingLink]:
    """The links in other notes that lead to the note at *path*, by the path of the note they are in."""
    key, candidates = target_key(path), notes_named(connection, path)
    found = select(connection, "SELECT note_id FROM links WHERE target = ?", (target_number(key),))
    rows = note_rows(connection, [note_id for (note_id,) in found])
    sources = {row.path: row.packed_note().links() for row in rows.values()}
    return [
        IncomingLink(source, link)
        for source in sorted(sources.keys() - {path})
        for link in sources[source]
        if target_key(link.target) == key and resolve(link.target, source, candidates) == path
    ]


def notes_named(connection: apsw.Connection, target: str) -> list[str]:
    """Paths of the notes whose name is the last part of *target*."""
    key = target_key(target)
    rows = select(connection, "SELECT path FROM notes WHERE name = ? ORDER BY path", (target_number(key),))
    return [path for (path,) in rows if target_key(path) == key]
