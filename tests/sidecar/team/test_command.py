"""`quarry team` as an administrator, a publisher and a member run it."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from types import SimpleNamespace

from builders import Vault
from postgres_server import PostgresServer, TeamDatabase

Command = Callable[..., SimpleNamespace]


def test_from_nothing_to_published_notes(team_server: PostgresServer, vault: Vault, command: Command):
    with closing(team_server.connect()) as connection:
        connection.execute("CREATE DATABASE notes")
        connection.execute("CREATE ROLE ana LOGIN")
        connection.execute("CREATE ROLE ben LOGIN")
    admin, ana, ben = (team_server.url("notes", user) for user in ("postgres", "ana", "ben"))
    vault.write("Handbook/Tea.md", "# Tea\nSteep the oolong.\n")
    vault.write("Handbook/Board.md", "---\nsensitivity: restricted\n---\n# Board\n")

    assert "no team index yet" in command("team", "status", "--to", admin).err
    assert "applied: index" in command("team", "migrate", "--to", admin).out
    command("team", "add", "ana", "--team", "handbook", "--publishes", "--to", admin)
    assert "handbook: ben" in command("team", "add", "ben", "--team", "handbook", "--to", admin).out
    refused = command("team", "publish", "--folder", "Handbook", "--vault", str(vault.root), "--to", ana)
    assert (refused.code, "may not publish to the team team" in refused.err) == (1, True)
    sent = ("team", "publish", "--folder", "Handbook", "--team", "handbook", "--vault", str(vault.root), "--to", ana)
    assert command(*sent).out == "1 note added, 0 changed, 0 removed, 0 as they were\n"
    assert json.loads(command(*sent, "--json").out)["unchanged"] == 1
    rows = json.loads(command("team", "status", "--json", "--to", ben).out)
    assert [(row["sensitivity"], row["notes"]) for row in rows] == [("internal", 1), ("public", 0)]

    command("team", "remove", "ben", "--to", admin)
    assert "ask its administrator" in command("team", "status", "--to", ben).err


def test_a_connection_that_fails_says_what_to_look_at(team_database: TeamDatabase, command: Command):
    without_password = team_database.server.tcp_url(team_database.name, "eve")

    assert "check the address and ~/.pgpass" in command("team", "status", "--to", without_password).err


def test_an_option_that_an_action_does_not_take_is_refused(command: Command, team_database: TeamDatabase):
    for wrong in (["publish"], ["status", "ana"], ["add"], ["status", "--folder", "F"]):
        assert command("team", *wrong, "--to", team_database.url()).code == 2


def test_without_the_extra_it_says_what_to_install():
    code = "import sys; sys.modules['psycopg'] = None; from quarry.cli.main import main; sys.exit(main(sys.argv[1:]))"
    arguments = [sys.executable, "-I", "-c", code, "team", "status", "--to", "x"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "quarry-search[team]" in done.stderr or "[team]" in done.stderr
