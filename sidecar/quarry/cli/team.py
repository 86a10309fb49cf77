"""`quarry team`: publish folders to a team's index on PostgreSQL, see what is published, prepare its database."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

from tqdm import tqdm

from quarry.cli.arguments import add_json, add_vault
from quarry.cli.arguments import connect as connect_sidecar
from quarry.cli.index import update
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import counted, print_answer, print_line, print_stderr
from quarry.config import data_dir
from quarry.redaction.sanitize import path_line
from quarry.redaction.scrub import scrub_text
from quarry.settings import load_settings
from quarry.team import administration
from quarry.team.migration import check_version, migrate
from quarry.team.publish import Publication, Published, publish

if TYPE_CHECKING:
    from quarry.team.connection import Connection

TEAM = "team"
SEE_HELP = "see `quarry team --help`"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    add_vault(parser)
    actions = ("publish", "status", "migrate", "members", "add", "remove")
    about = (
        "publish: send what has changed in folders; status: what is published to you; migrate: make or update the "
        "tables (administrator); members: list them; add, remove: a login role of the database (administrator)"
    )
    parser.add_argument("action", choices=actions, help=about)
    parser.add_argument("name", nargs="?", metavar="ROLE", help="of `add` and `remove`")
    parser.add_argument(
        "--to",
        required=True,
        metavar="URL",
        help="postgresql://USER@HOST/DATABASE, or service=NAME; passwords are in ~/.pgpass, the service or PGPASSWORD",
    )
    parser.add_argument("--team", default=TEAM, metavar="NAME", help=f"whom notes are for (default: {TEAM})")
    parser.add_argument(
        "--folder",
        action="append",
        metavar="F",
        help="of the vault; once for each. What was published before and is in none of them is deleted there",
    )
    parser.add_argument("--publishes", action="store_true", help="`add`: the role may publish to the team as well")


def run(options: argparse.Namespace) -> None:
    """
    Do what is asked.

    Raises:
        BadUsage: An option is missing, or one is given that the action does not take.
        TeamUnavailable, ExtraMissing: The database cannot be used; the message says what to do.
    """
    if bool(options.name) != (options.action in ("add", "remove")):
        raise BadUsage("`add` and `remove` take a ROLE, and the others take none", SEE_HELP)
    if bool(options.folder) != (options.action == "publish"):
        raise BadUsage("`publish` takes --folder at least once, and the others do not", SEE_HELP)
    from quarry.team.connection import connect  # here, as it needs the extra

    with connect(options.to) as connection:
        _ACTIONS[options.action](options, connection)


def _publish(options: argparse.Namespace, connection: "Connection") -> None:
    with connect_sidecar(options, as_owner=True) as client:
        update(client, client.status())
        vault = client.hello.vault
    publication = Publication(
        vault=vault.id,
        vault_name=vault.name,
        index=data_dir() / f"{vault.id}.db",
        team=options.team,
        folders=tuple(options.folder),
        stemming=load_settings(Path(vault.path)).stemming,
    )
    with tqdm(unit=" notes", disable=not sys.stderr.isatty(), leave=False, dynamic_ncols=True) as bar:
        result = publish(connection, publication, lambda done, total: _draw(bar, done, total))
    print_answer(options, result, _show_published)
    for path in result.left_out:
        print_stderr(f"left out, as its path is too long or has a credential in it: {path_line(scrub_text(path))}")


def _draw(bar: "tqdm[Never]", done: int, total: int) -> None:
    bar.total, bar.n = total, done
    bar.refresh()


def _show_published(result: Published) -> None:
    changes = f"{counted(result.added, 'note')} added, {result.changed} changed, {result.removed} removed"
    print_line(f"{changes}, {result.unchanged} as they were")


def _status(options: argparse.Namespace, connection: "Connection") -> None:
    check_version(connection)
    print_answer(options, administration.publications(connection), _show_status)


def _show_status(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        when = row["completed"] or "a publish is running, or was broken off: publish again"
        print_line(f"{row['vault']} to {row['team']}, {row['sensitivity']}: {counted(row['notes'], 'note')} ({when})")
    if not rows:
        print_stderr("nothing is published that you may see; `quarry team publish` does")


def _migrate(options: argparse.Namespace, connection: "Connection") -> None:
    applied = migrate(connection)
    print_answer(options, applied, lambda _: print_line(f"applied: {', '.join(applied)}" if applied else "up to date"))


def _members(options: argparse.Namespace, connection: "Connection") -> None:
    print_answer(options, administration.members(connection), _show_members)


def _show_members(rows: list[dict[str, object]]) -> None:
    for row in rows:
        print_line(f"{row['team']}: {row['member']}{' (publishes)' if row['publishes'] else ''}")


def _add(options: argparse.Namespace, connection: "Connection") -> None:
    administration.add_member(connection, options.team, options.name, publishes=options.publishes)
    _members(options, connection)


def _remove(options: argparse.Namespace, connection: "Connection") -> None:
    administration.remove_member(connection, options.name)
    _members(options, connection)


_ACTIONS = {
    "publish": _publish,
    "status": _status,
    "migrate": _migrate,
    "members": _members,
    "add": _add,
    "remove": _remove,
}
