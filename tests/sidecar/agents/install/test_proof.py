"""A server is started and asked for its tools; one that is silent, mad or gone is told of and ended."""

import sys

import pytest

from quarry.agents.install.proof import prove

SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        tools = [{"name": "search"}, {"name": os.environ.get("EXTRA", "read_note")}]
        result = {"tools": tools} if message["method"] == "tools/list" else {"protocolVersion": "2025-06-18"}
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def of(program, timeout_s=20, **environment):
    return prove([sys.executable, "-c", program], environment, timeout_s, leave_timeout_s=0.3)


def test_the_tools_of_a_server_are_listed():
    assert of(SERVER) == (("search", "read_note"), None)


def test_the_entrys_environment_is_used():
    assert of(SERVER, EXTRA="mine").tools == ("search", "mine")


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import sys; sys.stderr.write('no such vault\\n'); sys.exit(4)", "ended without an answer (no such vault)"),
        ("print('not JSON'); print('[1]'); print('{\"id\": 1}')", "answers with an error: null"),
        ('import time; print(\'{"id": 1, "error": {"message": "no"}}\', flush=True); time.sleep(60)', '"no"'),
        (SERVER.replace('"tools": tools', '"tools": 1'), "lists no tools"),
        ("print('[' * 100000)", "ended without an answer"),
    ],
)
def test_what_is_wrong_with_a_server_is_said(program, says):
    found = of(program)

    assert found.tools == ()
    assert found.problem is not None
    assert says in found.problem


def test_a_silent_server_is_not_waited_for_without_end():
    found = of("import time; time.sleep(600)", timeout_s=0.2)

    assert found.problem == "it does not answer in time"


def test_a_program_that_is_not_there_is_named(tmp_path):
    found = prove([str(tmp_path / "quarry"), "mcp"])

    assert found.problem is not None
    assert str(tmp_path / "quarry") in found.problem


def test_quarry_itself_passes(vault):
    found = prove([sys.executable, "-m", "quarry", "mcp", "--vault", str(vault)])

    assert found.problem is None
    assert {"search", "read_note", "list_notes", "get_context"} <= set(found.tools)
