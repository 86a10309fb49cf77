"""Fixtures of a team's index: one PostgreSQL server for all tests of a process."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest
from postgres_server import PostgresServer, TeamDatabase

from quarry.team.connection import connect
from quarry.team.migration import migrate


@pytest.fixture(scope="session")
def team_server() -> Iterator[PostgresServer]:
    """The server, started when the first test asks for it."""
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def team_template(team_server: PostgresServer) -> str:
    """The name of a migrated database, which others are copied from."""
    with closing(team_server.connect()) as connection:
        connection.execute("CREATE DATABASE team_template")
    with connect(team_server.url("team_template")) as connection:
        migrate(connection)
        for role in ("alice", "bob", "eve", "pub"):
            connection.execute(f"CREATE ROLE {role} LOGIN IN ROLE quarry_member".encode())
        connection.execute("GRANT quarry_publisher TO pub")
        connection.execute("SELECT quarry.add_member('guild', 'alice'), quarry.add_member('guild', 'pub', true)")
        connection.execute("SELECT quarry.add_member('others', 'bob')")
    return "team_template"


@pytest.fixture
def team_database(team_server: PostgresServer, team_template: str) -> Iterator[TeamDatabase]:
    name = f"team_{next(_NUMBERS)}"
    with closing(team_server.connect()) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {team_template}".encode())
    yield TeamDatabase(team_server, name)
    with closing(team_server.connect()) as connection:  # the server may have been restarted
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


_NUMBERS = count(1)
