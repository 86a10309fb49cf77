"""Files become rows: the index is made equal the vault, and no more is done than must be."""

import os

import pytest
from builders import (
    HashEncoder,
    Quiet,
    Vault,
    find,
    paths,
    problems,
)

from quarry.index import Index
from quarry.indexing.indexer import Indexer
from quarry.settings import Settings
from quarry.vault.rules import Rules

MANY = 40  # over the floor below which a mass removal is believed


def test_nothing_is_done_for_a_vault_that_did_not_change(
    vault: Vault, index: Index, indexer: Indexer, monitor: Quiet, encoder: HashEncoder
):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(10)})
    indexer.reconcile(index)
    monitor.told.clear()

    outcome = indexer.reconcile(index)

    assert not outcome.changed_anything
    assert monitor.told == []


def test_a_touched_file_is_neither_embedded_nor_told_of(vault: Vault, index: Index, indexer: Indexer, monitor: Quiet):
    vault.write("a.md", "walnut")
    indexer.reconcile(index)
    monitor.told.clear()
    vault.write("a.md", "walnut", mtime_ns=10**18)

    outcome = indexer.reconcile(index)

    assert not outcome.changed_anything
    assert monitor.told == []
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

    assert not indexer.reconcile(index).changed_anything
    assert indexer.reconcile(index, thorough=True).upserted == 1


def test_a_vault_that_lost_most_of_its_notes_is_not_believed(vault: Vault, index: Index, indexer: Indexer):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(MANY)})
    indexer.reconcile(index)
    for n in range(MANY - 5):
        vault.remove(f"{n}.md")

    outcome = indexer.reconcile(index)

    assert (outcome.held_back, outcome.removed) == (MANY - 5, 0)
    assert len(paths(index)) == MANY


def test_changes_that_tell_of_most_notes_gone_are_not_believed_either(vault: Vault, index: Index, indexer: Indexer):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(MANY)})
    indexer.reconcile(index)
    changes = [vault.remove(f"{n}.md") for n in range(MANY - 5)]

    outcome = indexer.apply(index, changes)

    assert (outcome.held_back, outcome.removed) == (MANY - 5, 0)


def test_a_rule_may_exclude_most_notes_at_once(vault: Vault, index: Index, monitor: Quiet, encoder: HashEncoder):
    vault.write_all({f"old/{n}.md": f"walnut{n}" for n in range(MANY)} | {"a.md": "cherry"})
    Indexer(vault.root, Settings(), Rules(), monitor, lambda: encoder).reconcile(index)

    outcome = Indexer(vault.root, Settings(), Rules(exclude=["old"]), monitor, lambda: encoder).reconcile(index)

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
    vault: Vault, index: Index, indexer: Indexer, monitor: Quiet, monkeypatch, new: str
):
    vault.write_all({"a.md": "walnut", "c.md": "cherry"})
    indexer.reconcile(index)
    vault.rename("a.md", new)
    monkeypatch.setattr(monitor, "planned", lambda _: vault.rename(new, "a.md"))

    indexer.reconcile(index)

    assert paths(index) == ["a.md", "c.md"]


# --- saved notes in the middle of a run ---------------------------------------------------------------


def test_a_note_made_again_while_its_removal_is_planned_is_kept(
    vault: Vault, index: Index, indexer: Indexer, monitor: Quiet
):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    vault.remove("a.md")
    monitor.current = {"a.md"}  # somebody made it again and a nested run stored it, after this run's scan

    outcome = indexer.reconcile(index)

    assert outcome.removed == 0
    assert paths(index) == ["a.md", "b.md"]


def test_a_note_made_again_at_the_old_name_of_a_rename_stays(
    vault: Vault, index: Index, indexer: Indexer, monitor: Quiet
):
    vault.write_all({"a.md": "walnut"})
    indexer.reconcile(index)
    vault.rename("a.md", "b.md")
    monitor.current = {"a.md"}

    indexer.reconcile(index)

    assert paths(index) == ["a.md", "b.md"]


def test_a_stamp_read_before_a_save_is_not_written_after_it(
    vault: Vault, index: Index, indexer: Indexer, monitor: Quiet
):
    vault.write("a.md", "walnut", mtime_ns=10**18)
    indexer.reconcile(index)
    vault.write("a.md", "walnut", mtime_ns=2 * 10**18)
    monitor.current = {"a.md"}

    indexer.reconcile(index)

    with index.reader() as reader:
        assert reader.stamps()["a.md"].mtime_ns == 10**18


# --- vectors ----------------------------------------------------------------------------------------


def test_without_a_model_notes_are_stored_and_vectors_filled_in_later(
    vault: Vault, index: Index, monitor: Quiet, encoder: HashEncoder
):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(5)})
    Indexer(vault.root, Settings(), Rules(), monitor, lambda: None).reconcile(index)
    assert index.has_pending_vectors()

    Indexer(vault.root, Settings(), Rules(), monitor, lambda: encoder).embed_pending(index)

    assert not index.has_pending_vectors()


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
