"""`quarry ps` and `quarry stop`, with real sidecars."""

import json
import signal
import sys

import pytest

pytestmark = pytest.mark.slow  # each test starts sidecars


@pytest.fixture
def other(tools, tmp_path):
    return tools.write_vault(tmp_path / "other", {"One.md": "# One\n\nOnly one.\n"})


def test_the_sidecars_that_run_are_listed_with_their_state(command, vault, other, start, tools):
    first, second = start(vault), start(other)
    first.talk().live()
    second.talk().live()

    # Once its watch on the files stands, a sidecar that was live compares them again: it may be seen scanning.
    shown = tools.eventually(lambda: (done := command("ps")).out.count("  live, ") == 2 and done, "two that are live")
    listed = json.loads(command("ps", "--json").out)["sidecars"]

    assert shown.code == 0
    assert f"{first.pid:>7}  {vault}  live, 3 notes" in shown.out
    assert [(one["pid"], one["vault"], one["notes"]) for one in listed] == [
        (second.pid, str(other), 1),
        (first.pid, str(vault), 3),
    ]
    if sys.platform == "linux":
        assert listed[0]["memoryBytes"] > 1_000_000


def test_where_none_runs_that_is_said(command, vault):
    assert command("ps").err == "quarry: no sidecar is running\n"
    assert json.loads(command("ps", "--json").out) == {"sidecars": []}
    assert command("stop", "--all").err == "quarry: no sidecar is running\n"
    assert command("stop", "--vault", str(vault)).err == "quarry: no sidecar is running for this vault\n"


def test_the_file_of_one_that_was_killed_is_not_listed(command, vault, start):
    sidecar = start(vault)
    sidecar.process.kill()
    sidecar.process.wait()

    assert sidecar.discovery_file.exists()
    assert command("ps").err == "quarry: no sidecar is running\n"


def test_the_sidecar_of_a_vault_is_stopped_and_no_other(command, vault, other, start, tools):
    first, second = start(vault), start(other)

    done = command("stop", "--vault", str(vault))

    assert done.code == 0
    assert done.out == f"stopped process {first.pid}, which served {vault}\n"
    assert first.process.wait(30) == 0
    assert tools.is_running(second.pid)


def test_all_are_stopped(command, vault, other, start):
    sidecars = [start(vault), start(other)]

    done = command("stop", "--all", "--json")

    assert {one["pid"] for one in json.loads(done.out)["stopped"]} == {sidecar.pid for sidecar in sidecars}
    assert [sidecar.process.wait(30) for sidecar in sidecars] == [0, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals that stop and continue a process")
def test_one_that_does_not_answer_is_listed_so(command, vault, start):
    sidecar = start(vault)
    sidecar.process.send_signal(signal.SIGSTOP)

    shown = command("ps")

    sidecar.process.send_signal(signal.SIGCONT)
    assert f"{vault}  does not answer" in shown.out
