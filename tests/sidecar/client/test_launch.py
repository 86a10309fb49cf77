"""Starting a sidecar from a tool: what is run, what is made of its one line, and of its last words."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quarry import errors
from quarry.client import launch
from quarry.client.launch import start_sidecar

pytestmark = pytest.mark.slow  # each test starts a sidecar

PATIENCE_S = 30.0


@pytest.fixture
def impostor(monkeypatch, tmp_path):
    """Have another program started in the sidecar's place."""

    def take_its_place(code):
        script = tmp_path / "impostor.py"
        script.write_text(code)
        real = subprocess.Popen

        def popen(command, **options):
            return real([sys.executable, str(script)], **options)

        monkeypatch.setattr(subprocess, "Popen", popen)

    return take_its_place


def test_it_waits_until_the_sidecar_can_answer(vault, home, found):
    line = start_sidecar(vault)

    assert line.ready
    assert line.protocol == 1
    assert found(home, vault).port == line.port


def test_a_second_start_is_told_who_was_first(vault, home, found):
    start_sidecar(vault)

    line = start_sidecar(vault)

    assert not line.ready
    assert line.holder.pid == found(home, vault).pid


def test_it_outlives_a_starter_that_ends(vault, home, found, tools):
    code = "import pathlib, sys; from quarry.client.launch import *; start_sidecar(pathlib.Path(sys.argv[1]))"

    subprocess.run([sys.executable, "-c", code, str(vault)], check=True, timeout=PATIENCE_S)

    assert tools.is_running(found(home, vault).pid)


@pytest.mark.skipif(sys.platform == "win32", reason="sessions are POSIX's")
def test_it_stands_in_a_session_of_its_own_away_from_the_vault(vault, home, found):
    start_sidecar(vault)

    pid = found(home, vault).pid
    assert os.getsid(pid) == pid
    if sys.platform == "linux":
        assert Path(f"/proc/{pid}/cwd").readlink() == home / "run"


def test_one_that_ends_is_buried(vault, home, found, tools):
    start_sidecar(vault)
    pid = found(home, vault).pid
    os.kill(pid, 15)

    def is_buried():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    assert tools.eventually(is_buried)


def test_a_module_in_the_vault_or_the_working_directory_is_not_imported(vault, tmp_path, monkeypatch, home, found):
    planted = tmp_path / "planted"
    planted.mkdir()
    trace = tmp_path / "was-imported"
    for folder in (vault, planted):
        for name in ("json", "websockets", "sitecustomize", "quarry", "asyncio"):
            (folder / f"{name}.py").write_text(f"open({str(trace)!r}, 'w').close()\n")
    monkeypatch.chdir(vault)
    monkeypatch.setenv("PYTHONPATH", str(planted))
    monkeypatch.setenv("PYTHONSTARTUP", str(planted / "json.py"))

    assert start_sidecar(vault).ready

    assert not trace.exists()


def test_its_last_words_become_the_error(impostor, vault):
    impostor(
        "import sys; print('a warning of a library', file=sys.stderr);"
        "print('quarry: the disk is full', file=sys.stderr);"
        "print('quarry: make room', file=sys.stderr); sys.exit(1)"
    )

    with pytest.raises(errors.ConnectionFailed, match=r"^the disk is full$"):
        start_sidecar(vault)


@pytest.mark.parametrize(
    ("exit_code", "kind"), [(1, errors.ConnectionFailed), (4, errors.VaultMissing), (5, errors.SchemaTooNew)]
)
def test_its_exit_code_tells_what_kind_of_error_it_was(impostor, vault, exit_code, kind):
    impostor(f"import sys; print('quarry: no', file=sys.stderr); sys.exit({exit_code})")

    with pytest.raises(errors.QuarryError, match=r"^no$") as raised:
        start_sidecar(vault)

    assert type(raised.value) is kind


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise RuntimeError('no such library')", r"exited with code 1 \(RuntimeError: no such library\)"),
        ("import os; os._exit(7)", "exited with code 7"),
    ],
)
def test_one_that_dies_of_something_else_is_told_with_what_it_said(impostor, vault, code, says):
    impostor(code)

    with pytest.raises(errors.ConnectionFailed, match=says):
        start_sidecar(vault)


def test_one_that_says_nothing_is_ended_in_time(impostor, vault, monkeypatch, tmp_path, tools):
    monkeypatch.setattr(launch, "START_TIMEOUT_S", 0.3)
    pid_file = tmp_path / "pid"
    impostor(f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)")

    with pytest.raises(errors.ConnectionFailed, match="did not start"):
        start_sidecar(vault)
    if pid_file.exists():
        assert not tools.is_running(int(pid_file.read_text()))


def test_one_that_talks_nonsense_and_stays_is_ended(impostor, vault, monkeypatch, tmp_path, tools):
    monkeypatch.setattr(launch, "LEAVE_TIMEOUT_S", 0.2)
    pid_file = tmp_path / "pid"
    impostor(
        f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); print('hello', flush=True);"
        "time.sleep(60)"
    )
    began_s = time.monotonic()

    with pytest.raises(errors.ConnectionFailed, match="did not start"):
        start_sidecar(vault)

    assert time.monotonic() - began_s < PATIENCE_S
    assert not tools.is_running(int(pid_file.read_text()))
