"""The command as a whole: usage, exit codes, and what a pipe or a hostile note gets to see."""

import json
import os
import subprocess
import sys

import pytest

from quarry.__main__ import main
from quarry.cli.arguments import protected_arguments, unprotected
from quarry.cli.failure import MEANINGS
from quarry.cli.main import full_parser
from quarry.protocol import PROTOCOL_VERSION

HOSTILE = "\x1b]52;c;cm0gLXJm\x07\x1b[2J\x9b31m\u202etxt\u2066\U000e0041\x7f\r"
STEERING = set("\x1b\x07\x9b\u202e\u2066\U000e0041\x7f\r")


def test_it_says_its_version_and_protocol(capsys):
    assert main(["--version"]) == 0

    said = capsys.readouterr().out
    assert said.startswith("quarry ")
    assert f"(protocol {PROTOCOL_VERSION})" in said


def test_help_lists_every_command_and_every_exit_code(command):
    done = command("--help")

    for name in ("search", "index", "read", "list", "ps", "stop", "status", "doctor", "serve", "mcp"):
        assert f"\n    {name} " in done.out
    for code, meaning in MEANINGS.items():
        assert f"\n  {code:>3}  {meaning}\n" in f"{done.out}\n"
    assert {"search:", "agents:", "index:", "advanced:"} <= set(done.out.splitlines())
    assert "\nexamples:\n  quarry search " in done.out
    assert (command().code, command().out) == (0, done.out)


@pytest.mark.parametrize(
    "arguments",
    [("git", "--limit", "1", "-draft"), ("git", "-draft", "--limit", "1"), ("--limit", "1", "git", "-draft")],
)
def test_words_of_a_query_may_come_behind_options(arguments):
    options = full_parser().parse_args(protected_arguments(["search", *arguments]))

    assert [unprotected(word) for word in options.query] == ["git", "-draft"]
    assert options.limit == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "tea", "--limit", "1", "--nope"), "`quarry search` does not take --nope"),
        (("serch", "tea"), "there is no command 'serch'; did you mean 'search'?"),
        (("zzz",), "there is no command 'zzz'"),
        (("search", "--colour", "tea"), "`quarry search` does not take --colour"),
        (("read",), "`quarry read` needs NOTE"),
        (("search", "--limit", "x", "tea"), "--limit is 'x'; it takes a number from 1 to 100"),
        (("search", "--mode", "odd", "tea"), "--mode is 'odd'; it takes hybrid, keyword or semantic"),
        (("search", "--vault"), "--vault needs a value"),
        (("search", "--vault", "a", "--vault", "b", "tea"), "--vault is given twice; one command asks one vault"),
        (("index", "--vault", "a", "--vault", "b"), "--vault is given twice; one command asks one vault"),
        (("search", "--json", "--files", "tea"), "give either --files or --json"),
        (("index", "a", "--vault", "b"), "give either --vault or DIR"),
        (("stop", "--all", "--vault", "a"), "give either --all or --vault"),
        (("completion", "tcsh"), "SHELL is 'tcsh'; it takes "),
        (("help", "cooking"), "there is no topic 'cooking'; there are query, exit-codes, settings, agents"),
        (("search", "--wait=soon", "tea"), "--wait is 'soon'; it takes a number from 0 to 3,600"),
        (("search", "x" * 5000), "the query has 5,000 characters; it takes up to 4,096"),
        (("explain", "x" * 5000, "Home.md"), "the query has 5,000 characters; it takes up to 4,096"),
        (("read", "Home.md", "--from-line", "0"), "--from-line is '0'; it takes a number from 1 to 1,000,000,000"),
        (("search", "tea", "--limit", "101"), "--limit is '101'; it takes a number from 1 to 100"),
        (("related", "Home.md", "--limit", "0"), "--limit is '0'; it takes a number from 1 to 100"),
        (("explain", "tea", "Home.md", "--limit", "0"), "--limit is '0'; it takes a number from 1 to 100"),
        (("list", "--limit", "0"), "--limit is '0'; it takes a number from 1 to 1,000"),
        (("list", "--offset", "-1"), "--offset is '-1'; it takes a number from 0 to 1,000,000,000"),
        (("search", "--max-tokens", "1", "tea"), "--max-tokens is '1'; it takes a number from 50 to "),
    ],
)
def test_bad_usage_is_told_in_the_words_of_the_command_line(command, arguments, message):
    done = command(*arguments)

    assert done.code == 2
    what, way_out = done.err.splitlines()
    assert what.startswith(f"quarry: {message}")
    assert way_out.startswith("quarry: ")


def error_of(done):
    """The one line of JSON on standard output."""
    (line,) = done.out.splitlines()
    return json.loads(line)["error"]


@pytest.mark.parametrize(
    ("arguments", "kind", "position", "code"),
    [
        (("search", "--json", "tea", "modified:someday"), "bad-query", 13, 2),
        (("search", "--json", "--limit", "0", "tea"), "bad-request", None, 2),
        (("search", "--json", "--vault", "/nowhere", "tea"), "vault-missing", None, 4),
        (("read", "--json", "nope/nothing"), "note-not-found", None, 1),
    ],
)
def test_an_error_is_one_line_of_json_where_json_is_asked_for(at_shared, command, arguments, kind, position, code):
    done = command(*arguments)

    error = error_of(done)
    assert done.code == code
    assert (error["kind"], error["position"]) == (kind, position)
    assert error["message"]
    assert f"quarry: {error['next']}" in done.err


def test_a_word_that_looks_like_the_option_asks_for_no_json(at_shared, command):
    assert command("search", "--limit", "1", "--", "modified:someday", "--json").out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "-x"),
        ("search", ""),
        ("search", "--", "-only"),
        ("search", "caf\udce9"),
        ("list", "--since", "yesterday"),
        ("read", "x" * 5000),
        ("serve", "--idle", "-1"),
        ("serve", "--idle", "nan"),
        ("serve", "--parent-pid", "0"),
    ],
)
def test_what_cannot_be_asked_ends_with_2_and_says_why(at_shared, command, arguments):
    done = command(*arguments)

    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("quarry: ")


@pytest.mark.parametrize("name", ["search", "status", "list", "index", "doctor", "read", "serve", "mcp", "attach"])
def test_a_vault_that_is_not_there_ends_with_4(command, tmp_path, name):
    where = [str(tmp_path / "nowhere")] if name == "index" else ["--vault", str(tmp_path / "nowhere")]
    what = ["x"] if name in ("search", "read") else []

    done = command(name, *what, *where)

    assert done.code == 4
    assert "nowhere" in done.err


def test_outside_every_vault_it_asks_for_one(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = command("status")

    assert done.code == 4
    assert "--vault DIR" in done.err


@pytest.mark.slow
def test_a_sidecar_of_another_protocol_ends_with_6(command, vault, start):
    file = start(vault).discovery_file
    file.write_text(json.dumps({**json.loads(file.read_text()), "protocol": PROTOCOL_VERSION + 1}))

    done = command("status", "--vault", str(vault))

    assert done.code == 6
    assert "update the older" in done.err


@pytest.mark.slow
def test_an_index_of_a_newer_version_ends_with_5(command, vault, home, tools):
    assert command("index", str(vault)).code == 0
    assert command("status", "--vault", str(vault)).code == 0
    end_sidecar(home, tools)
    (database,) = (home / "data").glob("*.db")
    sql = "import apsw, sys; apsw.Connection(sys.argv[1]).execute('PRAGMA user_version = 9999')"
    subprocess.run([sys.executable, "-c", sql, str(database)], check=True)

    done = command("search", "--vault", str(vault), "tea")

    assert done.code == 5
    assert "rebuild" in done.err


def end_sidecar(home, tools):
    (file,) = (home / "run").glob("*.json")
    pid = json.loads(file.read_text())["pid"]
    os.kill(pid, 15)
    tools.eventually(lambda: not tools.is_running(pid))


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "accordion"),
        ("search", "--full", "accordion"),
        ("list",),
        ("status",),
        ("read", "Home.md"),
        ("doctor",),
    ],
)
def test_a_pipe_gets_no_decoration(at_shared, command, arguments):
    done = command(*arguments)

    assert done.code == 0
    assert done.out
    assert "\x1b" not in done.out + done.err


@pytest.fixture
def hostile(vault, tools):
    """A vault in which every text is an attack on who prints it."""
    name = "Trap \x1b[2J\u202e.md"
    tools.write_vault(
        vault,
        {
            name: f'---\ntitle: "Trap {HOSTILE[-3:-1]}"\ntags: [a]\n---\n# Trap {HOSTILE}\n\n## Zanzibar {HOSTILE}\n\n'
            f"zanzibar {HOSTILE} end\n",
            "Plain.md": f"# Plain {HOSTILE}\n\nzanzibar {HOSTILE}\n",
        },
    )
    return vault


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_that_a_note_says_steers_the_terminal(hostile, command, monkeypatch, terminal):
    assert command("index", str(hostile)).code == 0
    if terminal:
        monkeypatch.setattr("quarry.cli.terminal.is_decorated", lambda: True)
    at = ("--vault", str(hostile))

    outputs = [
        command("search", *at, "zanzibar"),
        command("search", *at, "--full", "zanzibar"),
        command("list", *at),
        command("read", *at, "Plain.md"),
        command("read", *at, "Trap \x1b[2J\u202e.md"),
        command("read", *at, "No\x1b[2J.md"),
        command("status", *at),
    ]

    text = "".join(done.out + done.err for done in outputs)
    for ours in ("\x1b[1m", "\x1b[2m", "\x1b[0m") if terminal else ():
        assert ours in text
        text = text.replace(ours, "")
    assert "zanzibar" in text
    assert not set(text) & STEERING


def test_json_tells_hostile_text_to_the_letter_in_characters_that_harm_nobody(hostile, command):
    assert command("index", str(hostile)).code == 0

    done = command("read", "--vault", str(hostile), "--json", "Plain.md")

    assert "\x9b31m\u202etxt\u2066\U000e0041\x7f" in json.loads(done.out)["text"]
    assert not set(done.out) & STEERING


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["1", "1000"])  # within Python's own buffer, and beyond it
def test_a_pipe_that_is_closed_early_is_no_failure(at_shared, tools, limit):
    code = (
        "import subprocess, sys;"
        "p = subprocess.Popen([sys.executable, *'-I -m quarry list --json --limit'.split(), sys.argv[1]],"
        "stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL);"
        "p.stdout.close(); err = p.stderr.read(); print(p.wait(), err)"
    )
    env = tools.environment(at_shared.home, QUARRY_VAULT=str(at_shared.vault))

    done = subprocess.run([sys.executable, "-c", code, limit], capture_output=True, text=True, env=env, check=True)

    assert done.stdout.strip() == "0 b''"


def test_a_terminal_of_another_encoding_shows_something(at_shared, tools):
    env = tools.environment(at_shared.home, QUARRY_VAULT=str(at_shared.vault), PYTHONIOENCODING="ascii")
    command = [sys.executable, "-m", "quarry", "list", "--limit", "1000"]

    done = subprocess.run(command, capture_output=True, env=env, stdin=subprocess.DEVNULL, check=False)

    assert done.returncode == 0
    assert b"?" in done.stdout


def test_a_key_press_of_ctrl_c_ends_with_130(at_shared, command, monkeypatch):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("quarry.cli.list.connect", interrupted)

    assert command("list").code == 130
