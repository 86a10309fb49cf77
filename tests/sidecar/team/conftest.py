"""Fixtures of a team's index: one PostgreSQL server for all tests of a process."""

from collections.abc import Iterator

import pytest
from postgres_server import PostgresServer


@pytest.fixture(scope="session")
def team_server() -> Iterator[PostgresServer]:
    """The server, started when the first test asks for it."""
    server = PostgresServer()
    yield server
    server.close()
