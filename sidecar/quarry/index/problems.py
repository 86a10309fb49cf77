"""Problems of files, as they are told to the vault's owner: recorded by the indexer, or found in an indexed note."""

from collections.abc import Iterable, Mapping

import apsw

from quarry.index.database import select
from quarry.index.records import Problem

_ALL = (
    " FROM (SELECT path, reason, skipped FROM problems UNION ALL"
    " SELECT n.path, p.value, 0 FROM notes n, json_each(n.problems) p WHERE n.problems <> '[]')"
)
_FIRST = "SELECT path, reason, skipped" + _ALL + " ORDER BY path, reason LIMIT ?"
_OF_PATH = "SELECT path, reason, skipped" + _ALL + " WHERE path = ?"
_COUNT = "SELECT count(*)" + _ALL


def record(connection: apsw.Connection, path: str, reason: str, skipped: bool) -> None:
    """Record a problem of the file at *path*, in place of an earlier one; *skipped*: it is not in the index."""
    connection.execute(
        "INSERT INTO problems VALUES (?1,?2,?3) ON CONFLICT DO UPDATE SET reason = ?2, skipped = ?3",
        (_printable(path), _printable(reason), int(skipped)),
    )


def recorded(connection: apsw.Connection, paths: Iterable[str]) -> list[str]:
    """The subset of *paths* that have a recorded problem."""
    sql = "SELECT 1 FROM problems WHERE path = ?"
    return [path for path in paths if select(connection, sql, (_printable(path),))]


def clear(connection: apsw.Connection, path: str) -> None:
    """Delete the recorded problem of the file at *path*, if there is one."""
    connection.execute("DELETE FROM problems WHERE path = ?", (_printable(path),))


def replace_skipped(connection: apsw.Connection, skipped: Mapping[str, str]) -> None:
    """Record *skipped*, path -> reason, in place of all files that were skipped before; other problems stay."""
    connection.execute("DELETE FROM problems WHERE skipped")
    rows = [(_printable(path), _printable(reason)) for path, reason in skipped.items()]
    connection.executemany("INSERT OR REPLACE INTO problems VALUES (?, ?, 1)", rows)


def first_problems(connection: apsw.Connection, limit: int) -> list[Problem]:
    """The first *limit* problems, by path and reason: those recorded and those of indexed notes."""
    return [Problem(path, reason, bool(skipped)) for path, reason, skipped in select(connection, _FIRST, (limit,))]


def problems_of(connection: apsw.Connection, path: str) -> list[Problem]:
    """The problems of the file at *path*, spelled as on disk."""
    return [Problem(path, reason, bool(skipped)) for path, reason, skipped in select(connection, _OF_PATH, (path,))]


def problem_count(connection: apsw.Connection) -> int:
    """The number of all problems."""
    found: list[tuple[int]] = select(connection, _COUNT)
    return found[0][0]


def _printable(text: str) -> str:
    """*text* with invalid Unicode escaped: a file name of odd bytes must not keep its own report away."""
    return text.encode("utf-8", "backslashreplace").decode()
