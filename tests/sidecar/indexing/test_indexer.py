"""Files become rows: the index is made equal the vault, and no more is done than must be."""

import os
from collections.abc import Callable, Sequence

import pytest
from builders import (
    HashEncoder,
    Recorder,
    Vault,
    find,
    modified,
    paths,
    problems,
    settle,
    wait_until,
)

from quarry.engine import Engine
from quarry.index import Index
from quarry.indexing.indexer import Indexer
from quarry.settings import Settings
from quarry.types import VaultChange
from quarry.vault.rules import Rules

MANY = 40  # over the floor below which a mass removal is believed


def test_nothing_is_done_for_a_vault_that_did_not_change(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder, encoder: HashEncoder
):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(10)})
    indexer.reconcile(index)
    monitor.committed_paths.clear()

    outcome = indexer.reconcile(index)

    assert not outcome.changed_notes
    assert monitor.committed_paths == []


def test_a_touched_file_is_neither_embedded_nor_told_of(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder
):
    vault.write("a.md", "walnut")
    indexer.reconcile(index)
    monitor.committed_paths.clear()
    vault.write("a.md", "walnut", mtime_ns=10**18)

    outcome = indexer.reconcile(index)

    assert not outcome.changed_notes
    assert monitor.committed_paths == []
    with index.reader() as reader:
        assert reader.stamps()["a.md"].mtime_ns == 10**18


def test_other_bytes_of_the_same_size_and_time_are_noticed(vault: Vault, index: Index, indexer: Indexer):
    """A backup or a sync tool sets the time of modification back; that of the change no program can set."""
    vault.write("a.md", "walnut")
    indexer.reconcile(index)

    vault.replace_silently("a.md", "cherry")

    assert indexer.reconcile(index).upserted == 1


def test_a_change_that_leaves_no_trace_is_found_by_a_thorough_look_only(vault: Vault, index: Index, indexer: Indexer):
    vault.write("a.md", "walnut")
    indexer.reconcile(index)
    vault.replace_silently("a.md", "cherry")
    vault.hide_change(index, "a.md")

    assert not indexer.reconcile(index).changed_notes
    assert indexer.reconcile(index, thorough=True).upserted == 1


@pytest.mark.parametrize("is_told", [False, True])
def test_a_vault_that_lost_most_of_its_notes_is_not_believed(
    vault: Vault, index: Index, indexer: Indexer, is_told: bool
):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(MANY)})
    indexer.reconcile(index)
    changes = [vault.remove(f"{n}.md") for n in range(MANY - 5)]

    outcome = indexer.apply(index, changes) if is_told else indexer.reconcile(index)

    assert (outcome.held_back, outcome.removed) == (MANY - 5, 0)
    assert len(paths(index)) == MANY


def test_a_rule_may_exclude_most_notes_at_once(vault: Vault, index: Index, monitor: Recorder, encoder: HashEncoder):
    vault.write_all({f"old/{n}.md": f"walnut{n}" for n in range(MANY)} | {"a.md": "cherry"})
    Indexer(vault.root, Settings(), Rules(), monitor, lambda _: encoder).reconcile(index)

    outcome = Indexer(vault.root, Settings(), Rules(exclude=["old"]), monitor, lambda _: encoder).reconcile(index)

    assert (outcome.held_back, outcome.removed) == (0, MANY)
    assert paths(index) == ["a.md"]


def test_a_folder_that_cannot_be_listed_keeps_its_notes(vault: Vault, index: Index, indexer: Indexer, monkeypatch):
    vault.write_all({"shut/a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    real = os.scandir

    def scandir(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    indexer.reconcile(index)

    assert paths(index) == ["b.md", "shut/a.md"]
    assert problems(index, 9)[0].path == "shut"


@pytest.mark.parametrize("new", ["A.md", "b.md"])
def test_a_note_that_is_renamed_and_back_while_it_is_read_stays(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder, monkeypatch, new: str
):
    vault.write_all({"a.md": "walnut", "c.md": "cherry"})
    indexer.reconcile(index)
    vault.rename("a.md", new)
    monkeypatch.setattr(monitor, "planned", lambda _: vault.rename(new, "a.md"))

    indexer.reconcile(index)

    assert paths(index) == ["a.md", "c.md"]


# --- saved notes in the middle of a run ---------------------------------------------------------------


def at_first_checkpoint(monitor: Recorder, *changes: VaultChange, act: Callable[[], object] = lambda: None) -> None:
    """Have *changes* reported when the run that begins now first comes to a checkpoint, after *act*."""

    def report() -> Sequence[VaultChange] | None:
        monitor.at_checkpoint = lambda: None
        act()
        return changes

    monitor.at_checkpoint = report


def test_a_note_made_again_while_its_removal_is_planned_is_kept(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder
):
    vault.write_all({"a.md": "walnut", "b.md": "cherry", "c.md": "pear"})
    indexer.reconcile(index)
    vault.remove("a.md")
    vault.write("c.md", "quince")
    at_first_checkpoint(monitor, modified("a.md"), act=lambda: vault.write("a.md", "walnut"))

    outcome = indexer.reconcile(index)

    assert outcome.removed == 0
    assert paths(index) == ["a.md", "b.md", "c.md"]


def test_a_note_made_again_at_the_old_name_of_a_rename_stays(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder
):
    vault.write_all({"a.md": "walnut"})
    indexer.reconcile(index)
    vault.rename("a.md", "b.md")
    at_first_checkpoint(monitor, modified("a.md"), act=lambda: vault.write("a.md", "walnut"))

    indexer.reconcile(index)

    assert paths(index) == ["a.md", "b.md"]


def test_a_stamp_read_before_a_save_is_not_written_after_it(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder
):
    vault.write("a.md", "walnut", mtime_ns=10**18)
    indexer.reconcile(index)
    vault.write("a.md", "walnut", mtime_ns=2 * 10**18)
    save = lambda: vault.write("a.md", "cherry", mtime_ns=3 * 10**18)  # noqa: E731
    at_first_checkpoint(monitor, modified("a.md"), act=save)

    indexer.reconcile(index)

    with index.reader() as reader:
        assert reader.stamps()["a.md"].mtime_ns == 3 * 10**18


def test_a_note_read_before_a_save_is_not_stored_after_it(
    vault: Vault, index: Index, indexer: Indexer, monitor: Recorder
):
    """The first checkpoint comes when the stamps of all files are read, and their bytes are in memory."""
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    vault.write_all({"a.md": "pear", "b.md": "plum"})

    def save() -> None:
        vault.write("a.md", "# Saved\nquince")
        vault.remove("b.md")

    at_first_checkpoint(monitor, modified("a.md"), VaultChange("deleted", "b.md"), act=save)

    indexer.reconcile(index)

    with index.reader() as reader:
        saved = reader.note("a.md")
        assert saved is not None
        assert saved.note.title == "Saved"
    assert paths(index) == ["a.md"]


# --- vectors ----------------------------------------------------------------------------------------


def test_without_a_model_notes_are_stored_and_vectors_filled_in_later(
    vault: Vault, index: Index, monitor: Recorder, encoder: HashEncoder
):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(5)})
    Indexer(vault.root, Settings(), Rules(), monitor, lambda _: None).reconcile(index)
    assert index.static.has_pending()

    Indexer(vault.root, Settings(), Rules(), monitor, lambda _: encoder).embed_pending(index)

    assert not index.static.has_pending()


def test_the_same_text_twice_is_embedded_once(vault: Vault, open_engine):
    vault.write_all({"a.md": "# Same\nwalnut", "b.md": "# Same\nwalnut"})
    engine = open_engine()

    assert engine.status().notes == 2
    assert find(engine, "walnut", mode="semantic") == ["a.md", "b.md"]


def test_the_log_says_which_rules_fired_in_a_note_and_never_on_what(vault: Vault, index, indexer, caplog):
    secret = "gh" + "p_" + "A1b2C3d4E5" * 3 + "f6G7h8"
    vault.write("keys.md", f"token {secret} and {secret}")

    with caplog.at_level("INFO", logger="quarry"):
        indexer.reconcile(index)

    assert [record.getMessage() for record in caplog.records if "keys.md" in record.getMessage()] == [
        "blanked in keys.md: github-token 2"
    ]
    assert secret not in caplog.text


def start_long_run(vault: Vault, encoder: HashEncoder, open_engine, count: int = 200) -> Engine:
    """An engine in the middle of its first run, held before the first batch is stored."""
    for n in range(count):
        vault.write(f"{n:03}.md", f"# N{n}\nwalnut{n}", mtime_ns=(n + 1) * 10**9)
    encoder.hold()
    engine = open_engine(wait=False)
    wait_until(encoder.is_waiting.is_set)
    return engine


def test_a_saved_note_overtakes_a_long_run(vault: Vault, encoder: HashEncoder, open_engine):
    engine = start_long_run(vault, encoder, open_engine)
    order: list[str] = []
    engine.listen(lambda updated: order.extend(updated.indexed if updated else ()))

    vault.write("zzz.md", "# Z\ncherry")
    engine.vault_changed([VaultChange("created", "zzz.md")])
    encoder.release()
    settle(engine)

    assert order.index("zzz.md") == 64  # behind the one batch in hand
    assert find(engine, "cherry", mode="keyword") == ["zzz.md"]
    assert engine.status().notes == 201


def test_what_overtakes_neither_ends_the_state_nor_changes_the_count(vault: Vault, encoder: HashEncoder, open_engine):
    engine = start_long_run(vault, encoder, open_engine)
    seen: list[tuple[str, tuple[int, int] | None]] = []

    def look(_: object) -> None:
        progress = engine.status().progress
        count = (progress.done_notes, progress.total_notes) if progress else None
        seen.append((engine.status().state, count))

    engine.listen(look)
    vault.write("zzz.md", "# Z\ncherry")
    engine.vault_changed([VaultChange("created", "zzz.md")])
    encoder.release()
    settle(engine)

    counts = [(64, 200), (64, 200), (128, 200), (192, 200), (200, 200)]  # told twice at 64: once of what overtook
    assert seen[: len(counts)] == [("indexing", count) for count in counts]
    assert set(seen[len(counts) :]) == {("live", None)}  # told again when the model is in use


def test_progress_counts_every_planned_note(vault: Vault, open_engine, encoder: HashEncoder):
    engine = start_long_run(vault, encoder, open_engine, count=100)
    counts: list[tuple[int, int]] = []

    def look(_: object) -> None:
        if progress := engine.status().progress:
            counts.append((progress.done_notes, progress.total_notes))

    engine.listen(look)
    encoder.release()
    settle(engine)

    assert counts == [(64, 100), (100, 100)]


def test_paused_work_waits_and_remembers(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()

    engine.pause()
    vault.write("b.md", "cherry")
    engine.vault_changed([VaultChange("created", "b.md")])
    status = engine.status()
    assert (status.state, status.pending) == ("paused", 1)
    assert not engine.is_working
    assert find(engine, "walnut") == ["a.md"]
    assert find(engine, "cherry", mode="keyword") == []

    engine.resume()
    settle(engine)
    assert find(engine, "cherry", mode="keyword") == ["b.md"]


def test_a_run_pauses_between_batches_and_goes_on(vault: Vault, encoder: HashEncoder, open_engine):
    engine = start_long_run(vault, encoder, open_engine)
    engine.pause()
    encoder.release()
    wait_until(lambda: engine.status().notes == 64)
    assert engine.status().state == "paused"
    assert find(engine, "walnut199", mode="keyword") == ["199.md"]  # the newest notes are the first
    assert find(engine, "walnut3", mode="keyword") == []

    engine.resume()
    settle(engine)

    assert engine.status().notes == 200


def test_searches_never_wait_for_indexing(vault: Vault, encoder: HashEncoder, open_engine):
    """The indexing thread stands still in the middle of a batch, and every kind of question is answered."""
    engine = start_long_run(vault, encoder, open_engine)

    assert find(engine, "walnut3", mode="keyword") == []
    assert engine.status().state == "indexing"
    assert engine.status().pending == 200
