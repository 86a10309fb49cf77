"""A publish or a migration that breaks off: what is there is whole, nothing is lost, and nothing is there twice."""

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from builders import Vault
from postgres_server import PostgresServer, TeamDatabase
from sidecars import eventually

from quarry.engine import Engine
from quarry.errors import TeamUnavailable
from quarry.team import migration
from quarry.team import publish as publishing
from quarry.team.connection import connect
from quarry.team.migration import migrate, migrations, schema_version
from quarry.team.publish import Publication, publish

COUNT = 11
CONTENTS = """SELECT path, content_hash, md5(body), frequencies, (
        SELECT array_agg((terms, frequencies, length, vector)::text ORDER BY chunk_id)::text
        FROM quarry.chunks WHERE chunk_id >> 11 = note_id)
    FROM quarry.notes ORDER BY path"""
TERMS = "SELECT term, chunks, notes, names FROM quarry.terms ORDER BY audience, term"


@pytest.fixture
def publication(vault: Vault, open_engine: Callable[..., Engine], tmp_path: Path) -> Publication:
    for number in range(COUNT):
        vault.write(f"Handbook/{number:02}.md", f"# Note {number}\n\n" + f"walnut pear{number} quince. " * 40)
    open_engine()
    return Publication("v-1", "Vault", tmp_path / "index.db", "guild", ("Handbook",))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "BATCH_NOTES", 2)


def contents(database: TeamDatabase) -> list[tuple[object, ...]]:
    return [*database.rows(CONTENTS), *database.rows(TERMS)]


def uninterrupted(database: TeamDatabase, publication: Publication) -> list[tuple[object, ...]]:
    """What there is when the same notes are published in one go, to a copy."""
    with connect(database.url()) as connection:
        publish(connection, publication)
        found = contents(database)
    database.rows("SELECT quarry.withdraw('v-1', 'guild')")
    return found


@pytest.mark.parametrize("batches", [1, 4])
def test_a_killed_publish_goes_on_from_where_it_was(
    batches: int, team_database: TeamDatabase, publication: Publication, small_batches: None
):
    expected = uninterrupted(team_database, publication)
    command = [sys.executable, "-I", str(Path(__file__).with_name("killed_publisher.py"))]
    arguments = [team_database.url(), str(publication.index)]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(batches):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    present = team_database.rows("SELECT count(*), count(DISTINCT path) FROM quarry.notes")[0]
    assert present[0] == present[1] >= batches * 2

    with connect(team_database.url()) as connection:
        _wait_for_lock(team_database)
        result = publish(connection, publication)

    assert result.added == COUNT - present[0]
    assert contents(team_database) == expected


def _wait_for_lock(database: TeamDatabase) -> None:
    """Wait until the server has noticed that its client is gone."""
    sql = "SELECT FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = %s"
    eventually(lambda: not database.rows(sql, database.name))


@pytest.mark.parametrize("how", ["connection", "server"])
def test_a_cut_connection_and_a_crashed_server_are_reported_and_nothing_is_lost(
    how: str, team_database: TeamDatabase, publication: Publication, small_batches: None
):
    expected = uninterrupted(team_database, publication)

    def cut(done: int, total: int) -> None:
        if done == 4 and how == "connection":
            team_database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pub'")
        elif done == 4:
            team_database.server.stop(signal.SIGQUIT)

    with pytest.raises(TeamUnavailable), connect(team_database.url()) as connection:
        publish(connection, publication, cut)
    if how == "server":
        with pytest.raises(TeamUnavailable), connect(team_database.url()):
            pass
        team_database.server.start()
    assert team_database.rows("SELECT count(*) FROM quarry.notes") == [(4,)]
    assert team_database.rows("SELECT completed_at FROM quarry.publications") == [(None,)]

    with connect(team_database.url()) as connection:
        publish(connection, publication)
    assert contents(team_database) == expected


def test_a_second_publisher_is_refused_while_the_first_goes_on(
    team_database: TeamDatabase, publication: Publication, small_batches: None
):
    refused: list[str] = []

    def publish_as_well(done: int, total: int) -> None:
        with pytest.raises(TeamUnavailable, match="being published") as caught, connect(team_database.url()) as second:
            publish(second, publication)
        refused.append(str(caught.value))

    with connect(team_database.url()) as connection:
        result = publish(connection, publication, publish_as_well)
        again = publish(connection, publication)

    assert len(refused) == 6
    assert (result.added, again.unchanged) == (COUNT, COUNT)


def test_another_role_may_not_take_over_a_publication(team_database: TeamDatabase, publication: Publication):
    team_database.rows("SELECT quarry.add_member('guild', 'alice', true)")
    team_database.rows("GRANT quarry_publisher TO alice")
    try:
        with connect(team_database.url()) as connection:
            publish(connection, publication)
        with pytest.raises(TeamUnavailable, match="Another role"), connect(team_database.url("alice")) as connection:
            publish(connection, publication)
        assert team_database.rows("DELETE FROM quarry.notes RETURNING path", user="alice") == []
    finally:
        team_database.rows("REVOKE quarry_publisher FROM alice")


def test_who_may_not_publish_is_told_what_an_administrator_runs(team_database: TeamDatabase, publication: Publication):
    team_database.rows("GRANT quarry_publisher TO bob")
    try:
        with (
            pytest.raises(TeamUnavailable, match="quarry team add bob --team guild --publishes"),
            connect(team_database.url("bob")) as connection,
        ):
            publish(connection, publication)
    finally:
        team_database.rows("REVOKE quarry_publisher FROM bob")


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [("model", '{"name": "other"}', "vectors of other"), ("terms", "0/0", "one version of Quarry")],
)
def test_notes_of_another_model_or_version_are_refused(
    column: str, value: str, expected: str, team_database: TeamDatabase, publication: Publication
):
    with connect(team_database.url()) as connection:
        publish(connection, publication)
        team_database.rows(f"UPDATE quarry.format SET {column} = %s", value)

        with pytest.raises(TeamUnavailable, match=expected):
            publish(connection, publication)
    assert team_database.rows("SELECT count(*) FROM quarry.notes") == [(COUNT,)]


def test_many_chunks_are_indexed_by_vector_and_few_are_not(
    team_database: TeamDatabase, publication: Publication, tmp_path: Path
):
    with connect(team_database.url()) as connection:
        publish(connection, publication)
        few = team_database.rows("SELECT indexname FROM pg_indexes WHERE indexdef ~ 'USING (hnsw|gin)'")
        team_database.rows("UPDATE quarry.audiences SET chunks = 5000")
        publish(connection, publication)
        many = team_database.rows("SELECT indexname FROM pg_indexes WHERE indexdef ~ 'USING hnsw'")

    assert {name.rpartition("_")[0] for (name,) in few} == {"chunks_by_term", "notes_by_term", "notes_by_name"}
    assert {name.rpartition("_")[0] for (name,) in many} == {"chunks_by_vector"}


# --- migrations --------------------------------------------------------------------------------------


@pytest.fixture
def empty(team_server: PostgresServer, team_template: str) -> str:
    name = "team_empty"
    with closing(team_server.connect()) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    return team_server.url(name)


def test_a_migration_that_breaks_off_leaves_what_was_there(empty: str, monkeypatch: pytest.MonkeyPatch):
    version, (name, sql) = next(iter(migrations().items()))
    broken = {version: (name, sql.replace("COMMIT;", "SELECT 1/0; COMMIT;"))}
    with monkeypatch.context() as patched:
        patched.setattr(migration, "migrations", lambda: broken)
        with pytest.raises(TeamUnavailable, match="division by zero"), connect(empty) as connection:
            migrate(connection)
    with connect(empty) as connection:
        assert schema_version(connection) == 0
        assert connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'quarry'").fetchone() is None

        assert migrate(connection) == [name for name, _ in migrations().values()]
        assert migrate(connection) == []


def test_a_database_of_a_newer_version_is_left_alone(team_database: TeamDatabase, publication: Publication):
    team_database.rows("INSERT INTO quarry.migrations VALUES (99, 'later')")

    with connect(team_database.url()) as connection, pytest.raises(TeamUnavailable, match="update Quarry"):
        publish(connection, publication)


def test_a_database_without_an_index_says_who_makes_one(empty: str, publication: Publication):
    with connect(empty) as connection, pytest.raises(TeamUnavailable, match="quarry team migrate"):
        publish(connection, publication)


def test_an_administrator_who_is_no_superuser_can_migrate(team_server: PostgresServer, empty: str):
    with closing(team_server.connect("team_empty")) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        connection.execute("CREATE ROLE admin LOGIN CREATEROLE")
        connection.execute("ALTER DATABASE team_empty OWNER TO admin")
        connection.execute("GRANT quarry_owner, quarry_member, quarry_publisher TO admin WITH ADMIN OPTION")
    with connect(team_server.url("team_empty", "admin")) as connection:
        migrate(connection)
        assert schema_version(connection) == max(migrations())


def test_a_server_that_is_too_old_is_refused_with_the_reason(empty: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("quarry.team.connection.MIN_SERVER", 990_000)
    with pytest.raises(TeamUnavailable, match=r"PostgreSQL 1\d"), connect(empty):
        pass


def test_an_extension_that_is_too_old_is_refused_by_the_sql_itself(team_server: PostgresServer, empty: str):
    with closing(team_server.connect("team_empty")) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        with pytest.raises(psycopg.errors.RaiseException, match=r"0\.7\.4"):
            connection.execute(migrations()[1][1].encode())
    with pytest.raises(TeamUnavailable, match=r"0\.8 or newer"), connect(empty):
        pass
