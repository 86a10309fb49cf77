"""Whole outputs are kept for a day: scrubbed, private, few."""

import os
import stat
import time

import pytest

from quarry.agents.hooks import outputs
from quarry.agents.hooks.outputs import keep, kept_outputs, outputs_folder, read, tidy

KEY = "gh" + "p_" + "Ab1Cd2" * 6
DAY_S = 24 * 3600


def test_an_output_is_read_back_with_its_command():
    output_id = keep("pytest -v\n", "one\ntwo\n", "three\n")

    assert read(output_id) == "$ pytest -v\none\ntwo\n\n[stderr]\nthree\n"
    assert [(kept.id, kept.command) for kept in kept_outputs()] == [(output_id, "pytest -v")]


def test_credentials_are_kept_nowhere():
    output_id = keep(f"TOKEN={KEY} make", f"using {KEY}", "")

    assert KEY not in read(output_id)
    assert all(KEY.encode() not in file.read_bytes() for file in outputs_folder().iterdir())


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_only_the_user_can_read_them():
    output_id = keep("make", "x", "")

    assert stat.S_IMODE((outputs_folder() / f"{output_id}.txt").stat().st_mode) == 0o600
    assert stat.S_IMODE(outputs_folder().stat().st_mode) == 0o700


def test_the_same_output_has_the_same_id_and_is_kept_once():
    assert keep("make", "x", "") == keep("make", "x", "")
    assert keep("make", "y", "") != keep("make", "x", "")
    assert len(kept_outputs()) == 2


def test_after_a_day_they_are_gone():
    output_id = keep("make", "x", "")
    old = time.time() - DAY_S - 1
    os.utime(outputs_folder() / f"{output_id}.txt", (old, old))

    assert read(output_id) is None
    assert kept_outputs() == []
    tidy(outputs_folder())
    assert list(outputs_folder().iterdir()) == []


def test_the_oldest_go_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(outputs, "MAX_FILES", 3)
    now = time.time()
    for number in range(5):
        file = outputs_folder() / f"{keep('make', str(number), '')}.txt"
        os.utime(file, (now - 100 + number, now - 100 + number))
    tidy(outputs_folder())

    assert [kept.command for kept in kept_outputs()] == ["make"] * 3
    assert {read(kept.id)[-2] for kept in kept_outputs()} == {"2", "3", "4"}


def test_the_oldest_go_where_they_are_too_large(monkeypatch):
    monkeypatch.setattr(outputs, "MAX_TOTAL_BYTES", 1000)
    for letter in "ab":
        keep("make", letter * 600, "")

    assert len(kept_outputs()) == 1


@pytest.mark.parametrize("wanted", ["", "../../etc/passwd", "a/b", "none", "é", "a\0b", "." * 300])
def test_what_is_no_id_of_an_output_finds_nothing(wanted):
    assert read(wanted) is None


def test_halves_of_characters_are_kept_as_marks():
    assert "?" in read(keep("make", "\ud800 x", ""))
