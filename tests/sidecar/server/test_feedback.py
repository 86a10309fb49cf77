"""What is kept of feedback, what is not, and for how long."""

import stat
import sys
from pathlib import Path

import pytest

from quarry.errors import IndexUnavailable
from quarry.server import feedback
from quarry.server.feedback import FeedbackLog, query_key


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.feedback"


@pytest.fixture
def log(file: Path) -> FeedbackLog:
    return FeedbackLog(file)


def test_entries_come_back_in_order_also_from_another_process(log: FeedbackLog, file: Path):
    log.add("Oolong tea", "Tea.md", "opened", 1)
    log.add("bread", "Bread.md", "used", 2)

    again = FeedbackLog(file)
    again.add("bread", "Bread.md", "copied", 3)

    assert [(entry.at_ms, entry.kind) for entry in again.entries()] == [(1, "opened"), (2, "used"), (3, "copied")]
    first, second, third = again.entries()
    assert first.query == again.hash_of(query_key("oolong  TEA"))
    assert first.path == again.hash_of("Tea.md")
    assert (second.query, second.path) == (third.query, third.path)


def test_no_word_that_was_asked_and_no_name_of_a_note_can_be_read(log: FeedbackLog, file: Path):
    log.add("diagnosis of Yusuf", "Private/Yusuf.md", "opened", 1)

    kept = file.read_text(encoding="utf-8").casefold()

    assert "yusuf" not in kept  # no letters of hexadecimal digits, which hashes are written in
    assert "diagnosis" not in kept
    assert "private" not in kept


def test_only_this_user_may_read_it(log: FeedbackLog, file: Path):
    log.add("x", "a.md", "opened", 1)

    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_deleted_file_is_begun_again_with_another_salt(log: FeedbackLog, file: Path):
    log.add("x", "a.md", "opened", 1)
    before = log.hash_of("x")
    file.unlink()

    log.add("x", "a.md", "opened", 2)

    assert [entry.at_ms for entry in log.entries()] == [2]
    assert log.hash_of("x") != before


def test_the_oldest_are_forgotten_when_there_are_too_many(log: FeedbackLog, file: Path, monkeypatch):
    monkeypatch.setattr(feedback, "MAX_ENTRIES", 10)
    monkeypatch.setattr(feedback, "KEPT_ENTRIES", 5)
    for number in range(25):
        log.add("x", "a.md", "opened", number)

        assert len(log.entries()) <= 10

    assert log.entries()[-1].at_ms == 24
    assert [entry.at_ms for entry in log.entries()] == list(range(25 - len(log.entries()), 25))


@pytest.mark.parametrize("damage", ["", "no JSON\n", '{"salt":"00"}\n', '{"salt":"zz"}\n', "[]\n", "\x00\xff"])
def test_a_file_that_makes_no_sense_is_begun_again(log: FeedbackLog, file: Path, damage: str):
    file.write_text(damage, encoding="latin-1")

    log.add("x", "a.md", "opened", 1)

    assert [entry.at_ms for entry in log.entries()] == [1]
    assert FeedbackLog(file).hash_of("x") == log.entries()[0].query


def test_a_line_that_was_cut_short_costs_that_line_alone(log: FeedbackLog, file: Path):
    log.add("x", "a.md", "opened", 1)
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"atMs":2,"ki\n')
    log.add("x", "a.md", "opened", 3)

    assert [entry.at_ms for entry in FeedbackLog(file).entries()] == [1, 3]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path):
    with pytest.raises(IndexUnavailable, match="feedback cannot be stored"):
        FeedbackLog(tmp_path / "nowhere" / "f").add("x", "a.md", "opened", 1)
