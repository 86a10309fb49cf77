"""
Publishes folders of a vault to a team: makes its rows in the database equal to the index, change by change.

Each batch is a transaction, in which a note's old rows go as its new ones come. So a publish may be broken off at any
moment: what is there is whole, and the next one goes on from there, as it compares all notes by their hashes first.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from quarry.errors import BadRequest, TeamUnavailable
from quarry.index import TERMS_VERSION
from quarry.index.export import ExportedNote, IndexExport
from quarry.index.keys import SLOTS
from quarry.index.schema import SCHEMA_VERSION
from quarry.options import Stemming
from quarry.redaction.scrub import scrub_texts
from quarry.team.migration import check_version
from quarry.team.published import CHUNK_COLUMNS, NOTE_COLUMNS, NoteRows, Row, note_rows, row_hash, sensitivity_of
from quarry.vault.paths import nfc

if TYPE_CHECKING:
    from typing import LiteralString

    from quarry.team.connection import Connection

BATCH_NOTES = 200

_CHANGES, _, _STEMMER = TERMS_VERSION.split("/")
TERMS = f"{_CHANGES}/{_STEMMER}"  # without the version of Unicode: few notes have what a new one brings
_DELETE_CHUNKS = """DELETE FROM quarry.chunks USING unnest(%(ids)s::bigint[]) AS note_id
    WHERE audience = %(audience)s AND chunk_id BETWEEN note_id * %(slots)s AND (note_id + 1) * %(slots)s - 1"""
_DELETE_NOTES = "DELETE FROM quarry.notes WHERE audience = %(audience)s AND note_id = ANY (%(ids)s)"
_PUBLISHED_PATHS = """SELECT path FROM quarry.notes JOIN quarry.audiences USING (audience)
    JOIN quarry.publications USING (publication) WHERE vault = %s AND team = %s"""
_INSERT = "INSERT INTO quarry.{table} ({names}) SELECT {names} FROM staged_{table}"  # constants


class Publication(Struct, frozen=True):
    """The *folders* of a vault, "" for all of it, that are published to a *team*."""

    vault: str  # its id
    vault_name: str
    index: Path
    team: str
    folders: tuple[str, ...]
    stemming: Stemming = "by-language"


class Published(Struct):
    """The changes of a publish."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    left_out: list[str] = field(default_factory=list)  # paths with a credential in them, or too long


class _Present(Struct, frozen=True):
    """A note as the database has it."""

    audience: int
    note_id: int
    content_hash: bytes


_Wanted = Mapping[str, tuple[str, bytes]]
"""Path -> the audience and the hash of each note to be published."""
Report = Callable[[int, int], None]
"""Takes the number of notes that are done, and of those to do."""


def publish(connection: "Connection", publication: Publication, report: Report = lambda *_: None) -> Published:
    """
    Publish what has changed since the last time.

    Raises:
        BadRequest: A folder has no notes; nothing was changed.
        TeamUnavailable: The team uses another model or version, or the same is being published now.
    """
    check_version(connection)
    export = IndexExport(publication.index)
    with _lock(connection, publication):
        wanted = _wanted(export, publication.folders)
        _check_folders(connection, publication, wanted)
        dimension = _claim_format(connection, export.model())
        return _Publisher(connection, publication, export, dimension).publish(wanted, report)


def _prefix(folder: str) -> str:
    return f"{nfc(folder).strip('/')}/".removeprefix("./").removeprefix("/")


def _wanted(export: IndexExport, folders: Sequence[str]) -> _Wanted:
    prefixes = tuple(map(_prefix, folders))
    found = {path: note for path, note in export.hashes() if nfc(path).startswith(prefixes)}
    kinds = {path: sensitivity_of(note.properties) for path, note in found.items()}
    return {path: (kind, row_hash(found[path].content_hash)) for path, kind in kinds.items() if kind is not None}


def _check_folders(connection: "Connection", publication: Publication, wanted: _Wanted) -> None:
    """Refuse a folder that is misspelt: it has no notes here, and none were published of it; those would be deleted."""
    empty = [each for each in publication.folders if not any(nfc(path).startswith(_prefix(each)) for path in wanted)]
    if empty:
        values = (publication.vault, publication.team)
        published = [path for (path,) in connection.execute(_PUBLISHED_PATHS, values)]
        for folder in empty:
            if not any(nfc(path).startswith(_prefix(folder)) for path in published):
                raise BadRequest(
                    f"no note below {folder!r} can be published: name a folder as the vault has it; notes whose "
                    "`sensitivity` is neither public nor internal are never sent"
                )


@contextmanager
def _lock(connection: "Connection", publication: Publication) -> Iterator[None]:
    """Take the lock of *publication*, which the server releases when the connection ends."""
    name = f"quarry publish {publication.vault} {publication.team}"
    if connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (name,)).fetchone() != (True,):
        raise TeamUnavailable(
            f"this vault is being published to the team {publication.team} by another program: wait for it to end"
        )
    yield
    connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (name,))


def _claim_format(connection: "Connection", model: str | None) -> int:
    """Let the database have notes of this *model* and version alone; gives the dimension of the vectors."""
    if model is None:
        raise TeamUnavailable("the index of the vault has no vectors yet: run `quarry status` to see why")
    fingerprint = json.loads(model)
    ours = (model, fingerprint["dim"], TERMS, SCHEMA_VERSION)
    sql = "INSERT INTO quarry.format (model, dimension, terms, bodies) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
    connection.execute(sql, ours)
    theirs = connection.execute("SELECT model, dimension, terms, bodies FROM quarry.format").fetchone()
    assert theirs is not None
    if theirs[0] != model:
        raise TeamUnavailable(
            f"the team's notes have vectors of {json.loads(theirs[0])['name']}, those of this vault are of "
            f"{fingerprint['name']}: choose that one by `quarry models use`, or have all vaults withdrawn, after which "
            "the first to publish decides"
        )
    if theirs != ours:
        raise TeamUnavailable(
            f"the team's notes were analysed by version {theirs[2]}/{theirs[3]}, this program is {ours[2]}/{ours[3]}: "
            "have all members use one version of Quarry, or all vaults withdrawn and published anew"
        )
    return int(fingerprint["dim"])


class _Publisher:
    """Publishes over one connection, which has the lock."""

    def __init__(self, connection: "Connection", publication: Publication, export: IndexExport, dimension: int) -> None:
        self._db = connection
        self._publication = publication
        self._export = export
        self._dimension = dimension
        self._id = 0
        self._audiences: dict[str, int] = {}
        self._present: dict[str, list[_Present]] = {}

    def publish(self, wanted: _Wanted, report: Report) -> Published:
        """Publish what of *wanted* is not there, and first delete what is there and not wanted."""
        self._begin()
        gone = [path for path in self._present if path not in wanted]
        stale = [path for path, (kind, key) in wanted.items() if self._is_stale(path, self._audiences[kind], key)]
        stale.sort(key=lambda path: (path not in self._present, path))  # what an audience may no longer see comes first
        result = Published(unchanged=len(wanted) - len(stale), removed=len(gone))
        done = 0
        for paths in _batches(gone):
            with self._db.transaction():
                self._delete(paths)
            done += len(paths)
            report(done, len(gone) + len(stale))
        for paths in _batches(stale):
            self._replace(paths, result)
            done += len(paths)
            report(done, len(gone) + len(stale))
        self._db.execute("SELECT quarry.end_publish(%s)", (self._id,))
        return result

    def _begin(self) -> None:
        to = self._publication
        values = (to.vault, *scrub_texts([to.vault_name]), to.team, list(to.folders))
        self._id = self._one("SELECT quarry.begin_publish(%s, %s, %s, %s)", values)
        sql = "SELECT sensitivity, audience FROM quarry.audiences WHERE publication = %s"
        self._audiences = dict(self._db.execute(sql, (self._id,)).fetchall())
        sql = "SELECT path, audience, note_id, content_hash FROM quarry.notes WHERE audience = ANY (%s)"
        for path, *rest in self._db.execute(sql, ([*self._audiences.values()],)):
            self._present.setdefault(path, []).append(_Present(*rest))
        for name, columns in (("notes", NOTE_COLUMNS), ("chunks", CHUNK_COLUMNS)):
            typed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            self._run(f"CREATE TEMPORARY TABLE IF NOT EXISTS staged_{name} ({typed}) ON COMMIT DELETE ROWS")

    def _is_stale(self, path: str, audience: int, content_hash: bytes) -> bool:
        found = self._present.get(path, [])
        return len(found) != 1 or (found[0].audience, found[0].content_hash) != (audience, content_hash)

    def _replace(self, paths: Sequence[str], result: Published) -> None:
        """Make the rows of the notes at *paths* what the index has now; none where it has no such note any more."""
        rows = self._rows(self._export.notes(paths), result)
        with self._db.transaction():
            self._delete(paths)
            self._insert("notes", NOTE_COLUMNS, [found.note for found in rows])
            self._insert("chunks", CHUNK_COLUMNS, [row for found in rows for row in found.chunks])
        changed = sum(found.path in self._present for found in rows)
        result.added, result.changed = result.added + len(rows) - changed, result.changed + changed

    def _rows(self, notes: Sequence[ExportedNote], result: Published) -> list[NoteRows]:
        found: list[NoteRows] = []
        for kind, audience in self._audiences.items():
            chosen = [note for note in notes if sensitivity_of(note.note.properties) == kind]
            first = self._one("SELECT quarry.take_note_numbers(%s, %s)", (audience, len(chosen))) if chosen else 0
            for number, note in enumerate(chosen, first):
                try:
                    found.append(note_rows(note, audience, number, self._publication.stemming, self._dimension))
                except ValueError:
                    result.left_out.append(note.note.path)
        return found

    def _delete(self, paths: Sequence[str]) -> None:
        present = [note for path in paths for note in self._present.get(path, [])]
        for audience in self._audiences.values():
            ids = [note.note_id for note in present if note.audience == audience]
            if ids:
                for sql in (_DELETE_CHUNKS, _DELETE_NOTES):
                    self._db.execute(sql, {"audience": audience, "ids": ids, "slots": SLOTS})

    def _insert(self, table: str, columns: Iterable[str], rows: Sequence[Row]) -> None:
        names = ", ".join(columns)
        with self._db.cursor() as cursor, cursor.copy(f"COPY staged_{table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        self._run(_INSERT.format(table=table, names=names))

    def _one(self, sql: "LiteralString", values: Sequence[Any]) -> Any:
        row = self._db.execute(sql, values).fetchone()
        assert row is not None
        return row[0]

    def _run(self, sql: str) -> None:
        self._db.execute(sql.encode())


def _batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    return (paths[first : first + BATCH_NOTES] for first in range(0, len(paths), BATCH_NOTES))
