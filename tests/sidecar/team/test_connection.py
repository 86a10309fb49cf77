"""Where the credentials of a team's database may come from, and when TLS is required."""

import socket
import threading
from pathlib import Path

import pytest
from postgres_server import PATIENCE_S, PostgresServer, TeamDatabase
from psycopg.conninfo import conninfo_to_dict

from quarry.errors import BadRequest, TeamUnavailable
from quarry.team.connection import connect, connection_string, errors_of_database, open_pool


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("PGHOST", "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGSSLMODE", "PGSSLROOTCERT", "PGPASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "url", ["postgresql://ana:tea@db.example/notes", "host=/tmp password=tea", "postgresql:///notes?sslpassword=tea"]
)
def test_a_password_in_the_address_is_refused_and_not_repeated(url: str):
    with pytest.raises(BadRequest, match="pgpass") as caught:
        connection_string(url)

    assert "tea" not in str(caught.value).replace("team", "")


@pytest.mark.parametrize("url", ["postgresql:///notes", "postgresql://localhost/notes", "host=/run dbname=notes"])
def test_on_this_machine_tls_is_not_asked_for(url: str):
    assert "sslmode" not in conninfo_to_dict(connection_string(url))


def test_another_machine_must_have_a_certificate_of_its_name(own_home: Path):
    url = "postgresql://ana@db.example/notes"

    found = conninfo_to_dict(connection_string(url))
    assert (found["sslmode"], found["sslrootcert"]) == ("verify-full", "system")
    own = conninfo_to_dict(connection_string(f"{url}?sslrootcert=/ca.pem"))
    assert (own["sslmode"], own["sslrootcert"]) == ("verify-full", "/ca.pem")
    (own_home / ".postgresql").mkdir()
    (own_home / ".postgresql" / "root.crt").touch()
    assert "sslrootcert" not in conninfo_to_dict(connection_string(url))


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require", "verify-ca"])
def test_another_machine_that_need_not_prove_its_name_is_refused(mode: str, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(BadRequest, match="sslrootcert"):
        connection_string(f"postgresql://ana@db.example,localhost/notes?sslmode={mode}")
    monkeypatch.setenv("PGSSLMODE", mode)
    with pytest.raises(BadRequest, match="sslrootcert"):
        connection_string("postgresql://ana@db.example/notes")


def test_a_service_says_where_the_server_is(own_home: Path):
    (own_home / ".pg_service.conf").write_text("[there]\nhost=db.example\nuser=ana\n[here]\nhost=localhost\n")

    assert conninfo_to_dict(connection_string("service=there"))["sslmode"] == "verify-full"
    assert "sslmode" not in conninfo_to_dict(connection_string("postgresql://?service=here"))
    # libpq may find the others where only it looks, with any host
    assert conninfo_to_dict(connection_string("service=elsewhere"))["sslmode"] == "verify-full"
    (own_home / ".pg_service.conf").write_text("no section\n")
    assert conninfo_to_dict(connection_string("service=there"))["sslmode"] == "verify-full"


def test_a_service_of_a_socket_needs_no_certificate(team_database: TeamDatabase, own_home: Path):
    server = team_database.server
    service = f"[socket]\nport={server.port}\nuser=eve\ndbname={team_database.name}\n"
    (own_home / ".pg_service.conf").write_text(f"{service}host={server.folder}\n")
    with connect("postgresql:///?service=socket") as connection:
        assert connection.execute("SELECT session_user").fetchone() == ("eve",)


def test_a_password_comes_from_the_usual_file(team_database: TeamDatabase, own_home: Path):
    team_database.rows("ALTER ROLE eve PASSWORD 'steeped'")
    server: PostgresServer = team_database.server
    url = server.tcp_url(team_database.name, "eve")
    with pytest.raises(TeamUnavailable, match="password"), connect(url):
        pass
    (own_home / ".pgpass").write_text(f"127.0.0.1:{server.port}:*:eve:steeped\n")
    (own_home / ".pgpass").chmod(0o600)

    with connect(url) as connection:
        assert connection.execute("SELECT session_user").fetchone() == ("eve",)


def test_a_pool_survives_connections_that_were_cut(team_database: TeamDatabase):
    pool = open_pool(team_database.url("alice"))
    try:
        with errors_of_database(), pool.connection() as connection:
            assert connection.execute("SELECT quarry.caller()").fetchone() == ("alice",)
        team_database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'alice'")
        with errors_of_database(), pool.connection() as connection:
            assert connection.execute("SELECT quarry.caller()").fetchone() == ("alice",)
    finally:
        pool.close()


def test_an_address_that_cannot_be_read_is_not_repeated_with_its_password():
    with pytest.raises(BadRequest, match="cannot be read") as caught:
        connection_string("postgresql://ana:oolong3times@[::1")

    assert "oolong3times" not in str(caught.value)


def test_a_server_without_tls_is_not_told_the_password(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PGPASSWORD", "oolong3times")
    received = []

    def ask_for_the_password(server: socket.socket) -> None:
        peer = server.accept()[0]
        with peer:
            while received[-1:] != [b""] and len(received) < 5:
                received.append(peer.recv(1000))
                is_startup = received[-1][4:8] == b"\0\3\0\0"
                peer.sendall(b"R\0\0\0\x08\0\0\0\x03" if is_startup else b"N")

    with socket.create_server(("127.0.0.1", 0)) as server:
        asking = threading.Thread(target=ask_for_the_password, args=(server,), daemon=True)
        asking.start()
        with pytest.raises(TeamUnavailable), connect(f"postgresql://ana@127.0.0.1:{server.getsockname()[1]}/notes"):
            pass
        asking.join(PATIENCE_S)

    assert received
    assert b"oolong3times" not in b"".join(received)


def test_a_server_that_is_not_there_is_an_error_with_its_place(tmp_path: Path):
    with pytest.raises(TeamUnavailable, match=str(tmp_path)), connect(f"host={tmp_path} dbname=notes"):
        pass
