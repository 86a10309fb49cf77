"""The schema of a team's index, in SQL files that an administrator can read and run by hand as well."""

from importlib.resources import files
from typing import TYPE_CHECKING

from quarry.errors import TeamUnavailable

if TYPE_CHECKING:
    from quarry.team.connection import Connection

LOCK = "SELECT pg_advisory_lock(hashtext('quarry migrate'))"  # two at once would meet halfway


def migrations() -> dict[int, tuple[str, str]]:
    """Version -> name and SQL of each migration, ascending; each file is one transaction."""
    folder = files("quarry.team").joinpath("migrations")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    return {int(name[:3]): (name[4:-4], folder.joinpath(name).read_text(encoding="utf-8")) for name in names}


def schema_version(connection: "Connection") -> int:
    """The version of the schema in the database; 0 where there is none."""
    if connection.execute("SELECT to_regclass('quarry.migrations')").fetchone() == (None,):
        return 0
    row = connection.execute("SELECT max(version) FROM quarry.migrations").fetchone()
    return row[0] if row else 0


def migrate(connection: "Connection") -> list[str]:
    """
    Bring the schema up to date, and return the names of the migrations that were applied.

    Raises:
        TeamUnavailable: A newer version of Quarry made it. A migration that fails leaves nothing behind.
    """
    connection.execute(LOCK)
    known = migrations()
    present = check_version(connection, at_least=0)
    wanted = {version: migration for version, migration in known.items() if version > present}
    for _, sql in wanted.values():
        connection.execute(sql.encode())  # without parameters, so that it may be many statements
    return [name for name, _ in wanted.values()]


def check_version(connection: "Connection", at_least: int | None = None) -> int:
    """
    The version of the schema, which this program can use.

    Args:
        at_least: None: the newest that is known here.

    Raises:
        TeamUnavailable: It is older than that, or newer than is known here.
    """
    present, newest = schema_version(connection), max(migrations())
    if present < (newest if at_least is None else at_least):
        found = (
            f"its team index has schema {present}, and {newest} is needed" if present else "it has no team index yet"
        )
        raise TeamUnavailable(f"the database cannot be used, as {found}: an administrator runs `quarry team migrate`")
    if present > newest:
        raise TeamUnavailable(f"the team index has schema {present}, and this version knows {newest}: update Quarry")
    return present
