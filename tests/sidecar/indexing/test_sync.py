"""The index keeps up with what its owner decides: settings, rules, models, and a vault that comes and goes."""

import os
import threading
from pathlib import Path

import pytest
from builders import (
    DIM,
    EAGER,
    IMPATIENT,
    HashEncoder,
    Vault,
    ask,
    everything_found,
    find,
    index_bytes,
    settle,
    wait_until,
)
from msgspec.structs import replace

from quarry.errors import ModelMissing
from quarry.indexing import current_index, preparation, sync
from quarry.indexing.process import IndexingLimits
from quarry.messages import message
from quarry.redaction.secret_rules import Re2Engine
from quarry.types import VaultChange

MANY = 40  # over the floor below which a mass removal is believed


def test_a_start_has_the_vectors_in_memory_before_anyone_asks(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()

    engine = open_engine()

    wait_until(lambda: engine._sync.index._memory.vectors._cache.newest is not None)


def test_a_start_over_an_index_that_equals_its_vault_carries_nothing_out(vault: Vault, open_engine, monkeypatch):
    vault.write("a.md", "walnut")
    open_engine().close()
    monkeypatch.setattr(sync, "Indexer", None)

    engine = open_engine()

    assert engine.status().state == "live"
    assert engine.status().message is None
    assert find(engine, "walnut") == ["a.md"]


# --- settings and rules -----------------------------------------------------------------------------


def test_a_settings_change_takes_effect_by_itself(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "Archive/b.md": "walnut"})
    engine = open_engine()

    vault.write(".quarry.toml", '[folders]\nexclude = ["Archive"]\n')
    wait_until(lambda: find(engine, "walnut") == ["a.md"])

    assert engine.status().excluded == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [(".indexignore", "/Archive/\n"), (".obsidian/app.json", '{"userIgnoreFilters": ["Archive/"]}')],
)
def test_a_change_of_an_ignore_file_takes_effect_by_itself(vault: Vault, open_engine, file: str, text: str):
    vault.write_all({"a.md": "walnut", "Archive/b.md": "walnut"})
    engine = open_engine()
    assert len(find(engine, "walnut")) == 2

    vault.write(file, text)
    wait_until(lambda: find(engine, "walnut") == ["a.md"])

    (vault.root / file).unlink()
    wait_until(lambda: len(find(engine, "walnut")) == 2)


def test_settings_written_through_the_engine_take_effect(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "Archive/b.md": "walnut"})
    engine = open_engine()

    engine.write_settings({"exclude_folders": ["Archive"]})
    settle(engine)

    assert find(engine, "walnut") == ["a.md"]


def test_excluding_a_folder_leaves_no_byte_of_its_notes(vault: Vault, tmp_path: Path, open_engine):
    vault.write_all(
        {"a.md": "walnut"} | {f"Private/{n}.md": f"# Kittiwake {n}\nplumage{n} #rookery" for n in range(30)}
    )
    engine = open_engine()
    find(engine, "kittiwake plumage3")
    assert b"plumage3" in index_bytes(tmp_path)

    engine.write_settings({"exclude_folders": ["Private"]})
    settle(engine)

    left = index_bytes(tmp_path).lower()
    assert [word for word in (b"kittiwak", b"plumage", b"rookeri", b"private/") if word in left] == []


@pytest.mark.slow
def test_a_removed_passage_leaves_no_byte_soon_after(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "# Title\nkittiwake plumage\n\n## Other\n" + "walnut " * 20)
    engine = open_engine()

    vault.write("a.md", "# Title\n\n## Other\n" + "walnut " * 20)
    engine.vault_changed([VaultChange("modified", "a.md")])
    wait_until(lambda: b"kittiwak" not in index_bytes(tmp_path).lower())

    assert find(engine, "walnut") == ["a.md"]


def test_other_skipped_sections_have_every_note_read_anew(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": f"# N{n}\nwalnut and more words\n\n## Sources\n" + "cherry " * 10 for n in range(5)})
    engine = open_engine()
    assert len(find(engine, "cherry", mode="keyword")) == 5

    engine.write_settings({"skip_sections": ["Sources"]})
    settle(engine)

    assert find(engine, "cherry", mode="keyword") == []
    assert len(find(engine, "walnut", mode="keyword")) == 5


@pytest.mark.parametrize("version", ["SCRUBBER_VERSION", "READER_VERSION"])
def test_another_version_of_reading_reads_every_note_anew(vault: Vault, open_engine, monkeypatch, version: str):
    vault.write("a.md", "walnut cherry")
    open_engine().close()
    real = preparation.read_note
    monkeypatch.setattr(current_index, version, 999)
    monkeypatch.setattr(
        preparation, "read_note", lambda path, data, rules: real(path, data.replace(b"cherry", b"[gone]"), rules)
    )

    engine = open_engine()

    assert find(engine, "cherry", mode="keyword") == []
    assert find(engine, "walnut", mode="keyword") == ["a.md"]


def test_a_first_run_that_was_cut_short_goes_on_where_it_stopped(
    vault: Vault, encoder: HashEncoder, open_engine, monkeypatch
):
    vault.write_all({f"{n:03}.md": f"walnut{n}" for n in range(200)})
    encoder.hold()
    engine = open_engine(wait=False)
    wait_until(encoder.is_waiting.is_set)
    closing = threading.Thread(target=engine.close)
    closing.start()
    wait_until(lambda: engine._requests.is_stopping)
    encoder.release()
    closing.join()
    read: list[str] = []
    real = preparation.read_note
    monkeypatch.setattr(preparation, "read_note", lambda path, *rest: (read.append(path), real(path, *rest))[1])

    again = open_engine()

    assert again.status().notes == 200
    assert 0 < len(read) < 200


def test_broken_settings_leave_those_from_before_in_force(vault: Vault, open_engine):
    vault.write(".quarry.toml", '[folders]\nexclude = ["Archive"]\n')
    vault.write_all({"a.md": "walnut", "Archive/b.md": "walnut"})
    engine = open_engine()

    vault.write(".quarry.toml", "[folders\n")
    wait_until(lambda: engine.status().problem_count)

    assert find(engine, "walnut") == ["a.md"]
    assert "from before" in str(engine.status().problems[0].reason)


def test_broken_rules_at_the_start_index_nothing_until_they_are_mended(vault: Vault, open_engine):
    """Going on without them would index what someone wanted left out."""
    vault.write(".quarry.toml", "[folders\n")
    vault.write_all({"a.md": "walnut", "Archive/b.md": "walnut"})
    engine = open_engine(wait=False)
    wait_until(lambda: engine.status().state == "failed")
    assert find(engine, "walnut") == []
    assert ".quarry.toml" in str(engine.status().message)
    assert engine.status().message.code == "status.settings-unreadable"

    vault.write(".quarry.toml", '[folders]\nexclude = ["Archive"]\n')
    settle(engine)

    assert find(engine, "walnut") == ["a.md"]
    assert engine.status().message is None


# --- the vault folder -------------------------------------------------------------------------------


def test_a_vault_that_is_gone_keeps_its_index_until_it_is_back(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(3)})
    engine = open_engine()
    away = vault.root.with_name("away")

    vault.root.rename(away)
    engine.reconcile()
    wait_until(lambda: engine.status().state == "failed")
    assert "not there" in str(engine.status().message)
    assert engine.status().message.code == "status.vault-missing"
    assert find(engine, "walnut1", mode="keyword") == ["1.md"]
    assert not engine.is_working

    away.rename(vault.root)
    vault.write("new.md", "cherry")
    settle(engine)
    assert engine.status().message is None
    assert find(engine, "cherry", mode="keyword") == ["new.md"]


def test_changes_seen_while_the_vault_is_gone_are_not_lost(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    away = vault.root.with_name("away")
    vault.root.rename(away)
    engine.vault_changed([VaultChange("deleted", "a.md")])
    wait_until(lambda: engine.status().state == "failed")
    assert find(engine, "walnut") == ["a.md"]

    before = (away / "a.md").stat()
    (away / "a.md").write_text("cherry", "utf-8")  # of the same size and time: only a reported change has it read
    os.utime(away / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    away.rename(vault.root)
    settle(engine)

    assert find(engine, "cherry", mode="keyword") == ["a.md"]


def test_an_emptied_vault_is_kept_with_a_word_until_a_rebuild_accepts_it(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(MANY)})
    engine = open_engine()
    for n in range(MANY):
        vault.remove(f"{n}.md")

    engine.reconcile()
    settle(engine)
    assert engine.status().notes == MANY
    assert f"{MANY} notes are gone at once" in str(engine.status().message)
    assert engine.status().message == message("status.notes-kept", count=MANY)

    engine.rebuild()
    settle(engine)
    assert engine.status().notes == 0
    assert engine.status().message is None


def test_the_word_about_missing_notes_goes_when_they_come_back(vault: Vault, open_engine):
    notes = {f"{n}.md": f"walnut{n}" for n in range(MANY)}
    vault.write_all(notes)
    engine = open_engine()
    for path in notes:
        vault.remove(path)
    engine.reconcile()
    wait_until(lambda: engine.status().message)

    vault.write_all(notes)
    engine.reconcile()
    settle(engine)

    assert engine.status().message is None
    assert engine.status().notes == MANY


def test_a_silent_change_is_found_in_idle_time(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine(limits=IndexingLimits(timing=replace(EAGER, deep_check_after_s=0.1, deep_check_every_s=0.1)))
    vault.replace_silently("a.md", "cherry")

    wait_until(lambda: find(engine, "cherry", mode="keyword") == ["a.md"])

    settle(engine)
    assert engine.status().chunks == 1


# --- models -----------------------------------------------------------------------------------------


def test_while_the_model_loads_keywords_answer_and_say_so(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write("a.md", "walnut")
    is_loaded = threading.Event()
    hasty = replace(IMPATIENT, model_wait_s=0.01)
    engine = open_engine(wait=False, load=lambda _: (is_loaded.wait(30), encoder)[1], limits=hasty)
    wait_until(lambda: engine.status().notes == 1)

    answer = ask(engine, "walnut")
    assert answer.retrievers == ("keyword",)
    assert "loading" in str(answer.missing["dense"])
    assert engine.is_working

    is_loaded.set()
    settle(engine)
    assert ask(engine, "walnut").retrievers == ("keyword", "dense")
    assert ask(engine, "walnut", mode="semantic").hits[0].path == "a.md"


def test_over_an_index_that_needs_nothing_it_is_told_when_the_model_is_there(
    vault: Vault, encoder: HashEncoder, open_engine
):
    vault.write("a.md", "walnut")
    open_engine().close()
    is_loaded = threading.Event()
    engine = open_engine(wait=False, load=lambda _: (is_loaded.wait(30), encoder)[1])
    told: list[str] = []
    engine.listen(lambda _: told.append(engine.status().model_state))
    wait_until(lambda: engine.status().state == "live")

    is_loaded.set()

    wait_until(lambda: "ready" in told)


def test_a_missing_model_costs_the_meaning_leg_only(vault: Vault, open_engine):
    def load(name: str) -> HashEncoder:
        raise ModelMissing(f"there is no model {name!r}; run quarry doctor")

    vault.write("a.md", "walnut")
    engine = open_engine(load=load)

    assert engine.status().model_state == "missing"
    assert "quarry doctor" in str(ask(engine, "walnut").missing["dense"])
    assert find(engine, "walnut") == ["a.md"]


def test_another_model_has_all_vectors_made_anew_while_keywords_go_on(vault: Vault, open_engine):
    first, second = HashEncoder("first", DIM), HashEncoder("second", 2 * DIM)
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(10)})
    engine = open_engine(load=lambda name: second if name == "other" else first)
    second.hold()

    engine.write_settings({"model": "other"})
    wait_until(second.is_waiting.is_set)
    status = engine.status()
    assert find(engine, "walnut3", mode="keyword") == ["3.md"]
    assert "second" in str(status.message)
    assert status.state == "embedding"

    second.release()
    settle(engine)
    assert engine.status().message is None
    assert len(second.embedded) == 20  # ten passages, ten titles
    assert find(engine, "walnut3", mode="semantic", limit=1) == ["3.md"]


def test_a_model_of_the_same_bytes_is_not_made_anew(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()
    encoder.embedded.clear()

    engine = open_engine()

    assert encoder.embedded == []
    assert find(engine, "walnut", mode="semantic") == ["a.md"]


# --- answers ----------------------------------------------------------------------------------------


def test_whatever_happened_the_answers_are_those_of_a_fresh_index(vault: Vault, tmp_path: Path, open_engine):
    vault.write_all({f"f{n % 4}/{n:02}.md": f"# N{n}\nwalnut cherry{n % 7} #tag{n % 3}" for n in range(60)})
    engine = open_engine()
    changes = [vault.rename("f1", "g/f1"), vault.remove("f2/02.md"), vault.rename("f3/03.md", "f2/02.md")]
    vault.write("f0/00.md", "oak")
    engine.vault_changed([*changes, VaultChange("modified", "f0/00.md")])
    settle(engine)
    queries = ["walnut", "cherry3", "oak", "tag:tag1", "folder:g cherry1", '"walnut cherry2"', "walnut -cherry5"]
    followed = everything_found(engine, queries)
    engine.close()
    for file in tmp_path.glob("index.db*"):
        file.unlink()

    assert everything_found(open_engine(), queries) == followed


def test_the_message_of_a_failure_goes_with_it(vault: Vault, open_engine, monkeypatch):
    vault.write("a.md", "walnut")
    engine = open_engine()
    with monkeypatch.context() as patch:
        patch.setattr(preparation, "read_file", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        vault.write("a.md", "cherry")
        engine.vault_changed([VaultChange("modified", "a.md")])
        wait_until(lambda: engine.status().state == "failed")
        assert engine.status().message

    settle(engine)

    assert engine.status().message is None
    assert find(engine, "cherry", mode="keyword") == ["a.md"]


# --- readiness --------------------------------------------------------------------------------------


def test_what_the_first_saved_note_would_wait_for_is_done_when_idle(
    vault: Vault, encoder: HashEncoder, open_engine, monkeypatch
):
    compiled: list[Re2Engine] = []
    monkeypatch.setattr(Re2Engine, "compile_sets", lambda engine: compiled.append(engine))
    engine = open_engine()
    wait_until(lambda: compiled)

    assert encoder.embedded == []
    assert engine.status().notes == 0
