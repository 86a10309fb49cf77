import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchfiles import Change

from quarry.types import VaultChange
from quarry.vault import watch as watching
from quarry.vault.watch import Batch, changes_of, watch_vault


@pytest.fixture(params=[False, True], ids=["notified", "polling"])
def batches(request, tmp_path) -> Iterator[Iterator[Batch]]:
    """A watch over *tmp_path* that stands already."""
    stop = threading.Event()
    watched = watch_vault(tmp_path, stop, poll=request.param, poll_ms=20)
    assert next(watched) == Batch(())
    yield watched
    stop.set()
    assert list(watched) == []


def collect(batches: Iterator[Batch], *wanted: VaultChange) -> set[VaultChange]:
    """Changes until all *wanted* were told; the suite's time limit ends a wait in vain."""
    found: set[VaultChange] = set()
    while not found >= set(wanted):
        found |= set(next(batches).changes)
    return found


def test_a_note_that_is_made_changed_and_removed_is_told(batches, tmp_path):
    (tmp_path / "a.md").write_text("one", encoding="utf-8")
    collect(batches, VaultChange("created", "a.md"))

    (tmp_path / "a.md").write_text("one and two", encoding="utf-8")
    os.utime(tmp_path / "a.md", (2e9, 2e9))  # who polls compares whole seconds
    collect(batches, VaultChange("modified", "a.md"))

    (tmp_path / "a.md").unlink()
    collect(batches, VaultChange("deleted", "a.md"))


def test_a_renamed_folder_is_told_at_both_ends(batches, tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.md").write_text("one", encoding="utf-8")
    collect(batches, VaultChange("created", "old"))

    (tmp_path / "old").rename(tmp_path / "new")

    collect(batches, VaultChange("deleted", "old"), VaultChange("created", "new"))


def test_hidden_files_and_other_files_are_not_told(batches, tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "workspace.md").write_text("x", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / "note.md").write_text("x", encoding="utf-8")

    assert collect(batches, VaultChange("created", "note.md")) == {VaultChange("created", "note.md")}


def test_a_file_put_in_the_place_of_another_is_one_change(tmp_path):
    (tmp_path / "a.md").write_text("new", encoding="utf-8")
    here = str(tmp_path / "a.md")

    changes = changes_of({(Change.deleted, here), (Change.added, here), (Change.modified, here)}, tmp_path)

    assert changes == (VaultChange("created", "a.md"),)


def test_what_is_gone_comes_first_so_that_a_rename_finds_its_old_note_free(tmp_path):
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    notices = {(Change.added, str(tmp_path / "a.md")), (Change.deleted, str(tmp_path / "z.md"))}

    assert [change.kind for change in changes_of(notices, tmp_path)] == ["deleted", "created"]


def test_a_storm_of_changes_asks_for_one_comparison_instead(tmp_path):
    stop = threading.Event()
    watched = watch_vault(tmp_path, stop, batch_limit=3)
    next(watched)

    for number in range(40):
        (tmp_path / f"{number}.md").write_text("x", encoding="utf-8")

    while not (batch := next(watched)).missed:
        pass  # the first notices of the storm may come by themselves
    assert batch == Batch((), missed=True)
    stop.set()


def test_a_vault_that_goes_away_and_comes_back_is_compared(tmp_path):
    vault, away = tmp_path / "vault", tmp_path / "away"
    vault.mkdir()

    class ComesBackMeanwhile(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            away.rename(vault)
            return False

    stop = ComesBackMeanwhile()
    watched = watch_vault(vault, stop)
    assert next(watched) == Batch(())
    vault.rename(away)

    assert next(batch for batch in watched if batch.missed) == Batch((), missed=True)
    (vault / "a.md").write_text("x", encoding="utf-8")
    collect(watched, VaultChange("created", "a.md"))
    stop.set()


def test_a_system_that_cannot_watch_is_polled(tmp_path, monkeypatch):
    real_watch = watching.watch
    asked: list[object] = []

    def watch_with_no_watches_left(*paths: Path, **options: object) -> object:
        asked.append(options["force_polling"])
        if not options["force_polling"]:
            raise OSError(28, "OS file watch limit reached")
        return real_watch(*paths, **options)

    monkeypatch.setattr(watching, "watch", watch_with_no_watches_left)
    stop = threading.Event()
    watched = watch_vault(tmp_path, stop, poll_ms=20)

    assert next(watched) == Batch((), missed=True)
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    collect(watched, VaultChange("created", "a.md"))
    assert asked == [None, True]
    stop.set()
