"""`quarry index`: follows to the end, whatever happens on the way; Ctrl-C keeps what was done."""

import json
import os
import signal
import subprocess
import sys

import apsw
import msgspec
import pytest

from quarry.client.client import SidecarClient

pytestmark = pytest.mark.slow  # each test starts a sidecar

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")


def test_it_says_what_there_is_now(command, vault):
    done = command("index", str(vault))

    assert done.code == 0
    assert done.out.startswith("3 notes, 3 chunks, ")
    assert done.err in ("", f"quarry: bringing the index of {vault.name} up to date ...\n")


def test_a_second_time_there_is_nothing_to_add(command, vault):
    command("index", str(vault))

    done = command("index", str(vault))

    assert done.code == 0
    assert "(" not in done.out


def test_json_gives_the_status(command, vault):
    done = command("index", str(vault), "--json")

    status = json.loads(done.out)
    assert status["state"] == "live"
    assert status["notes"] == 3


@POSIX_ONLY
def test_a_note_that_cannot_be_read_is_told_and_the_rest_indexed(command, vault):
    os.mkfifo(vault / "Pipe.md")

    done = command("index", str(vault))

    assert done.code == 0
    assert done.out.startswith("3 notes")
    assert "quarry: Pipe.md: " in done.err
    assert "Pipe.md" not in command("index", str(vault)).err  # told once; `quarry status` lists it


def test_an_index_that_cannot_be_made_is_a_failure(command, vault, monkeypatch):
    def failed(client):
        yield msgspec.structs.replace(client.status(), state="failed", message="the disk is full; make room")

    monkeypatch.setattr(SidecarClient, "statuses", failed)

    done = command("index", str(vault))

    assert done.code == 1
    assert "the disk is full; make room" in done.err


def test_notes_that_a_rule_leaves_out_are_counted(command, vault):
    (vault / ".indexignore").write_text("Garden/\n")

    done = command("index", str(vault))

    assert done.out.startswith("2 notes")
    assert "1 notes are excluded by rules" in done.out


@pytest.fixture
def blinking(monkeypatch):
    """A client that looks away while the index is rebuilt: on a small vault that is over between two looks."""
    look = SidecarClient.statuses

    def statuses(client):
        for number, status in enumerate(look(client, poll_s=0.05)):
            assert number < 500, "it does not end"
            if status.state != "rebuilding":
                yield status

    monkeypatch.setattr(SidecarClient, "statuses", statuses)


def test_a_rebuild_ends_also_where_nobody_saw_it_begin(command, vault, blinking):
    command("index", str(vault))

    for _ in range(2):
        done = command("index", str(vault), "--rebuild")

        assert done.code == 0
        assert done.out.startswith("3 notes")


def test_a_rebuild_may_be_the_first_thing_asked(command, vault):
    assert command("index", str(vault), "--rebuild").out.startswith("3 notes")


def test_what_was_paused_goes_on(command, vault, start):
    talk = start(vault).owner_talk()
    talk.live()
    talk.result("index/pause")

    done = command("index", str(vault))

    assert done.code == 0
    assert talk.live()["state"] == "live"


def test_a_change_that_nobody_reported_is_found(command, vault, start):
    talk = start(vault, "--lifeline", stdin=subprocess.PIPE).talk()  # which leaves it to its parent to report changes
    talk.live()
    (vault / "Zephyr.md").write_text("# Zephyr\n\nThe zephyranthes flowers after rain.\n", encoding="utf-8")
    before = talk.result("notes/list")["total"]

    done = command("index", str(vault))

    assert before == 3
    assert done.out.startswith("4 notes")
    assert talk.result("notes/list")["total"] == 4


def test_a_folder_without_notes_is_done_at_once(command, tmp_path):
    (tmp_path / "empty").mkdir()

    done = command("index", str(tmp_path / "empty"))

    assert done.code == 0
    assert done.out.startswith("0 notes")
    assert f"there are no Markdown files in {tmp_path / 'empty'}; name the folder" in done.err


def test_a_folder_whose_notes_are_all_excluded_names_the_rules(command, vault):
    (vault / ".indexignore").write_text("*.md\n")

    assert "rules exclude all notes in" in command("index", str(vault)).err


@POSIX_ONLY
def test_a_folder_whose_notes_cannot_be_read_is_not_called_empty(command, tmp_path):
    (tmp_path / "broken").mkdir()
    os.mkfifo(tmp_path / "broken" / "Pipe.md")

    done = command("index", str(tmp_path / "broken"))

    assert "Pipe.md" in done.err
    assert "no Markdown files" not in done.err


def test_the_vault_may_be_named_by_the_option(command, vault):
    assert command("index", "--vault", str(vault)).out.startswith("3 notes")


def test_ctrl_c_keeps_what_was_done_and_a_second_run_finishes(vault, home, tools, command, terminal):
    """At a terminal, which also gets a bar; a pipe gets none, as every other test here shows."""
    many = {f"Many/{n}.md": f"# Number {n}\n\n" + f"word{n} among others in a sentence.\n" * 60 for n in range(1200)}
    tools.write_vault(vault, many)
    screen = terminal(home, "index", str(vault), stdout=subprocess.PIPE)

    bar = screen.until(r"[1-9]\d* chunks")
    screen.process.send_signal(signal.SIGINT)
    out, _ = screen.process.communicate()
    last_words = screen.until("Traceback")

    assert screen.end() == 130
    assert " notes" in bar
    assert "Traceback" not in last_words
    assert "indexing has stopped; what was indexed is kept" in last_words
    assert out == b""
    tools.eventually(lambda: not list((home / "data").glob("*.db-wal")), "the end of the sidecar")
    assert 0 < count_notes(next((home / "data").glob("*.db"))) < 1203
    assert command("index", str(vault)).out.startswith("1203 notes")


def count_notes(database):
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute("SELECT count(*) FROM notes").fetchone()[0]
    finally:
        connection.close()
