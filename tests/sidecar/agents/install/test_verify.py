"""A server is started and asked for its tools; a failure is described, and its process ends."""

import sys

import pytest

from quarry.agents.install.verify import verify

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
    return verify([sys.executable, "-c", program], environment, timeout_s)


def test_the_tools_of_a_server_are_listed():
    assert of(SERVER) == (("search", "read_note"), None)


def test_the_entrys_environment_is_used():
    assert of(SERVER, EXTRA="mine").tools == ("search", "mine")


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import sys; sys.stderr.write('no such vault\\n'); sys.exit(4)", "does not list its tools (no such vault)"),
        ("print('not JSON'); print('[1]'); print('{\"id\": 1}')", "does not list its tools"),
        (SERVER.replace('"tools": tools', '"tools": 1'), "does not list its tools"),
        ("print('[' * 100000)", "does not list its tools"),
    ],
)
def test_a_broken_server_is_described(program, says):
    found = of(program)

    assert found.tools == ()
    assert found.problem is not None
    assert says in found.problem


def test_a_silent_server_is_ended_though_its_child_lives_on():
    child = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])"

    found = of(f"{child}; time.sleep(600)", timeout_s=0.5)

    assert found.problem == "it does not answer in time"


def test_a_program_that_is_missing_is_named(tmp_path):
    found = verify([str(tmp_path / "quarry"), "mcp"])

    assert found.problem is not None
    assert str(tmp_path / "quarry") in found.problem


def test_quarry_itself_passes(vault):
    found = verify([sys.executable, "-m", "quarry", "mcp", "--vault", str(vault)])

    assert found.problem is None
    assert {"search", "read_note", "list_notes", "get_context"} <= set(found.tools)
