"""The log of hooks."""

import re
import time

from quarry.agents.hooks.journal import MAX_BYTES, NAME, note


def test_a_line_says_when_what_and_how_long(home):
    note("claude-code", "SessionStart", "cold", time.monotonic())

    line = (home / "log" / NAME).read_text(encoding="utf-8")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ claude-code SessionStart cold \d+ ms\n", line)
    assert (home / "log" / NAME).stat().st_mode & 0o777 == 0o600


def test_the_log_does_not_grow_without_end(home):
    note("claude-code", "SessionStart", "cold", time.monotonic())
    log = home / "log" / NAME
    log.write_text("x" * (MAX_BYTES + 1), encoding="utf-8")

    note("claude-code", "SessionStart", "cold", time.monotonic())

    assert log.stat().st_size < 200
    assert (home / "log" / f"{NAME}.1").stat().st_size == MAX_BYTES + 1


def test_what_lies_in_its_place_is_not_followed_and_nothing_is_said(home, tmp_path):
    (home / "log").mkdir(parents=True, mode=0o700)
    (home / "log" / NAME).symlink_to(tmp_path / "elsewhere")

    note("claude-code", "SessionStart", "cold", time.monotonic())

    assert not (tmp_path / "elsewhere").exists()
