"""What a search and a capture cost; how much that is, is the machine's."""

import pytest

from quarry.bench import door_cli
from quarry.bench.door_cli import measure_capture, measure_search
from quarry.bench.measurement import PartFailed

pytestmark = pytest.mark.slow  # each test starts a sidecar and many processes


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))


def test_each_search_is_measured(vault):
    assert measure_search(vault, ["bread", "tea"]).runs == 2


def test_captured_notes_are_found_and_deleted(vault):
    before = set(vault.rglob("*.md"))

    assert measure_capture(vault, 2).runs == 2
    assert set(vault.rglob("*.md")) == before


def test_a_note_that_is_not_found_fails_the_part_and_is_deleted(vault, monkeypatch):
    before = set(vault.rglob("*.md"))
    monkeypatch.setattr(door_cli, "_search", lambda *_: [])

    with pytest.raises(PartFailed, match="was not found"):
        measure_capture(vault, 1)
    assert set(vault.rglob("*.md")) == before
