"""A sidecar that is started without waiting for it: its environment, and what it does not keep open."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.client.detached import serve_command, sidecar_environment

START = """
import sys, pathlib
from quarry.client.detached import start_detached
start_detached(*map(pathlib.Path, sys.argv[1:]))
"""


def test_the_markers_of_an_agent_are_not_passed_on():
    own = {
        "PATH": "/bin",
        "CLAUDECODE": "1",
        "CLAUDE_PROJECT_DIR": "/x",
        "CURSOR_VERSION": "3",
        "CODEX_HOME": "/y",
        "HOME": "/z",
    }

    assert sidecar_environment(own) == {"PATH": "/bin", "HOME": "/z"}


def test_a_home_of_ours_is_passed_on_whole(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    assert sidecar_environment({"QUARRY_HOME": "here"})["QUARRY_HOME"] == str(tmp_path / "here")


def test_the_command_names_the_vault_by_its_real_path(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "vault")

    assert str(tmp_path / "vault") in serve_command(tmp_path / "link")


@pytest.mark.slow
def test_it_holds_open_nothing_of_whoever_started_it(home, vault, tools, found):
    (home / "run").mkdir(parents=True, mode=0o700)
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    done = subprocess.run(
        [sys.executable, "-c", START, str(vault), str(home / "run")],
        capture_output=True,
        check=True,
        pass_fds=[writer],
        cwd=vault,
        timeout=60,
    )
    os.close(writer)
    ended = os.read(reader, 1)  # returns when nobody has the other end any more
    os.close(reader)
    discovery = tools.eventually(lambda: found(home, vault), "a sidecar")

    assert (done.stdout, done.stderr, ended) == (b"", b"", b"")
    assert os.getsid(discovery.pid) == discovery.pid
    assert Path(f"/proc/{discovery.pid}/cwd").readlink() == home / "run"
    assert json.loads((home / "run" / f"{discovery.vault.id}.json").read_text(encoding="utf-8"))["pid"] == discovery.pid
