"""A home of its own for every test, a small vault, and a terminal at which the command runs."""

import contextlib
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from sidecars import in_home  # noqa: F401  (a fixture)
from sidecars import small_vault as vault  # noqa: F401

PATIENCE_S = 60.0


@pytest.fixture
def held_up(vault, home, command, tools):  # noqa: F811
    """A vault with a note more than its index, which nothing is written to before `let_go`."""
    command("index", str(vault))
    command("stop", "--vault", str(vault))
    tools.write_vault(vault, {"Zephyr.md": "# Zephyr\n\nA mild wind.\n"})
    (index,) = (home / "data").glob("*.db")
    writing = sqlite3.connect(index, isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    yield SimpleNamespace(vault=str(vault), let_go=writing.rollback)
    writing.close()


class Terminal:
    """The command at a pseudo-terminal."""

    def __init__(self, *arguments, env, stdout=None):
        import pty
        import termios

        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))  # in a window without columns there is no progress bar
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "quarry", *arguments],
            stdin=theirs,
            stdout=stdout or theirs,
            stderr=theirs,
            env=env,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def until(self, pattern):
        """Read until *pattern* has been shown anew, or the command has ended; all that was shown for it."""
        seen = ""
        deadline_s = time.monotonic() + PATIENCE_S
        while not re.search(pattern, seen):
            assert time.monotonic() < deadline_s, f"{pattern!r} was not shown: {seen!r}"
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.ours, 65536).decode(errors="replace")
                except OSError:
                    break
        self.shown += seen
        return seen

    def type(self, text):
        os.write(self.ours, text.encode())

    def interrupt(self):
        """Ctrl-C, and again: Python notices one that comes between the prompt and the reading only with the next."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)

    def end(self):
        code = self.process.wait(PATIENCE_S)
        os.close(self.ours)
        return code


@pytest.fixture
def terminal(tools):
    """Run the command of a home at a pseudo-terminal."""
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    opened = []

    def open_(home, *arguments, stdout=None, **env):
        env = tools.environment(home, **{"TERM": "xterm", **env})
        opened.append(Terminal(*arguments, env=env, stdout=stdout))
        return opened[-1]

    yield open_
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()
