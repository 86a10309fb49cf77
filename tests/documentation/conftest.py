"""Fixtures: a home folder, and a shell in which `quarry` is the program under test."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for `pages`
sys.path.append(str(Path(__file__).parent.parent / "sidecar"))  # for `sidecars`

from sidecars import end_those_of


@pytest.fixture
def person(tmp_path):
    """A home folder; sidecars started from it end with the test."""
    home = tmp_path / "person"
    home.mkdir()
    yield home
    end_those_of(home / "quarry")


@pytest.fixture
def run_shell(person):
    """A function that runs a shell script in the home folder; `quarry` is the program under test."""
    programs = person / "bin"
    programs.mkdir()
    program = programs / "quarry"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -I -m quarry "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("QUARRY")}
    environment = {
        **inherited,
        "HOME": str(person),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "QUARRY_HOME": str(person / "quarry"),
    }

    def run(script):
        return subprocess.run(
            ["sh", "-e", "-c", script], cwd=person, env=environment, capture_output=True, text=True, timeout=100
        )

    return run
