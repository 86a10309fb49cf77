from postgres_server import PostgresServer


def test_the_server_of_the_tests_has_pgvector(team_server: PostgresServer):
    with team_server.connect() as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()

    assert row is not None
    assert row[0] >= "0.8"
