"""
Connections to a team's database: where its credentials may come from, when TLS is required, and errors for people.

libpq finds credentials: in a service file (`service=`), the environment or `~/.pgpass`. They are never read from a
vault, nor from a URL, which shells, process lists and logs keep. Without the extra `team`, this module cannot be
imported.
"""

import configparser
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from quarry.errors import BadRequest, ExtraMissing, TeamUnavailable
from quarry.redaction.scrub import scrub_text

try:
    import psycopg
    from psycopg import conninfo
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as error:
    raise ExtraMissing("a team's index needs psycopg, which comes with the extra `team`", "team") from error

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Pool: TypeAlias = ConnectionPool[Connection]

MIN_SERVER = 160_000  # PostgreSQL 16: pg_has_role knows SET, and libpq `sslrootcert=system`
MIN_VECTOR = (0, 8)  # pgvector: halfvec with iterative scans
CANCEL_S = 1.0  # for a server to cancel a query
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_LIVENESS = {  # a peer that is gone is noticed within a minute, and with it the lock of a publish
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "application_name": "quarry",
}


def connection_string(url: str) -> str:
    """
    *url* as libpq takes it, with TLS required unless the server is on this machine.

    Raises:
        BadRequest: It cannot be read, has a password, or would not have another machine prove its name.
    """
    try:
        given: dict[str, Any] = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise BadRequest(
            f"the address of the team's database cannot be read: {scrub_text(_first_line(error))}"
        ) from None
    if any(name in given for name in _SECRETS):
        raise BadRequest(
            "the address of the team's database has a password, which other programs could read: leave it out, and put "
            "it into ~/.pgpass, a service file (service=NAME) or PGPASSWORD"
        )
    service = str(given.get("service") or os.environ.get("PGSERVICE") or "")
    of_service = _service(service)
    settings = {**_environment(), **of_service, **given}
    hosts = str(settings.get("hostaddr") or settings.get("host") or "")
    if not _is_local(hosts) or (service and not of_service):  # that of a file that only libpq knows may name any host
        mode = settings.get("sslmode") or "verify-full"
        if mode != "verify-full":
            raise BadRequest(
                f"sslmode={mode} would let another machine pass for the server and read what is sent: leave it out, "
                "and name the certificate authority of the server by sslrootcert=FILE if it is not a public one"
            )
        given["sslmode"] = mode
        if not settings.get("sslrootcert") and not (Path.home() / ".postgresql" / "root.crt").exists():
            given["sslrootcert"] = "system"
    elif "PGREQUIREAUTH" not in os.environ:  # whoever got hold of the port is not told the password
        given.setdefault("require_auth", of_service.get("require_auth", "!password"))
    return str(conninfo.make_conninfo(**{**_LIVENESS, **given}))


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """
    An autocommit connection to the database at *url*; what fails inside is reported in the words of `TeamUnavailable`.

    Raises:
        BadRequest: As `connection_string`.
        TeamUnavailable: It cannot be reached or used; the message says what to do.
    """
    address = connection_string(url)
    with errors_of_database(), psycopg.connect(address, autocommit=True) as connection:
        refuse_old_server(connection)
        yield connection


def open_pool(url: str, max_size: int = 4) -> Pool:
    """A pool that connects when it is first asked; its user wraps queries in `errors_of_database` and closes it."""
    return ConnectionPool(
        connection_string(url),
        min_size=0,
        max_size=max_size,
        open=True,
        kwargs={"autocommit": True},
        configure=refuse_old_server,
        check=ConnectionPool.check_connection,  # the server may have been restarted
        reconnect_timeout=0,
    )


def refuse_old_server(connection: Connection) -> None:
    """Raise TeamUnavailable where PostgreSQL or pgvector is too old."""
    if connection.info.server_version < MIN_SERVER:
        version = connection.info.parameter_status("server_version")
        raise TeamUnavailable(f"the server is PostgreSQL {version}, and 16 or newer is needed: have it upgraded")
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if row and tuple(map(int, row[0].split(".")))[:2] < MIN_VECTOR:
        raise TeamUnavailable(
            f"the database has pgvector {row[0]}, and 0.8 or newer is needed: an administrator installs it and runs "
            "ALTER EXTENSION vector UPDATE"
        )


def stop(connection: Connection, is_stopped: Callable[[float], bool]) -> None:
    """Cancel what *connection* is at; cut it if the server does not; *is_stopped* waits for so many seconds."""
    with suppress(psycopg.Error, OSError):
        connection.cancel_safe(timeout=CANCEL_S)
        if is_stopped(CANCEL_S):
            return
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as cut:
        cut.shutdown(socket.SHUT_RDWR)


@contextmanager
def errors_of_database() -> Iterator[None]:
    """Report errors of the database as TeamUnavailable, with what to do."""
    try:
        yield
    except (psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedTable, psycopg.errors.UndefinedFunction) as error:
        raise TeamUnavailable(
            f"the database has no team index of this version ({_first_line(error)}): an administrator runs "
            "`quarry team migrate --to URL`"
        ) from error
    except psycopg.errors.QueryCanceled as error:
        raise TeamUnavailable("the team's database took too long to answer") from error
    except PoolTimeout as error:
        raise TeamUnavailable(f"the team's database cannot be reached: {_first_line(error)}") from error
    except psycopg.DatabaseError as error:
        hint = f" {error.diag.message_hint}" if error.diag.message_hint else ""
        raise TeamUnavailable(f"the team's database refused: {_first_line(error)}{hint}") from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _is_local(hosts: str) -> bool:
    return all(host in ("", "localhost", "127.0.0.1", "::1") or host[0] in "/@" for host in hosts.split(","))


def _environment() -> Mapping[str, str]:
    names = {"host": "PGHOST", "hostaddr": "PGHOSTADDR", "sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT"}
    return {name: os.environ[variable] for name, variable in names.items() if os.environ.get(variable)}


def _service(name: str) -> Mapping[str, str]:
    """The settings of a service; libpq itself complains about one that is not there."""
    files = [os.environ.get("PGSERVICEFILE") or Path.home() / ".pg_service.conf"]
    files += [Path(folder) / "pg_service.conf" for folder in filter(None, [os.environ.get("PGSYSCONFDIR")])]
    for file in files:
        services = configparser.RawConfigParser(comment_prefixes="#", strict=False)
        with suppress(configparser.Error, UnicodeDecodeError):  # libpq complains
            services.read(file, encoding="utf-8")
        if services.has_section(name):
            return dict(services[name])
    return {}
