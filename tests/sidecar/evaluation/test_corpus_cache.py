"""Kept vaults and indexes: used again only where nothing that matters changed, and never in anybody's way."""

import subprocess
import sys

from quarry.evaluation.collections import read_collection
from quarry.evaluation.corpus_cache import NOT_IN_FINGERPRINT, prepare


def test_a_vault_is_written_with_the_ids_of_its_notes(tmp_path, write_collection):
    prepared = prepare(read_collection(write_collection()), tmp_path / "work", keep=False)

    assert prepared.ids == {
        "Howto/Kettle.md": "Howto/Kettle.md",
        "000/000001.md": "https://example.org/a#b",
        "000/000002.md": "7",
    }
    assert all((prepared.vault / path).is_file() for path in prepared.ids)
    assert prepared.vault not in prepared.index_path.parents


def test_a_kept_vault_is_taken_again(tmp_path, write_collection):
    collection = read_collection(write_collection())
    first = prepare(collection, tmp_path, keep=True)
    (first.vault / "mark.md").touch()

    again = prepare(collection, tmp_path, keep=True)

    assert again == first
    assert (again.vault / "mark.md").exists()


def test_another_corpus_takes_the_place_of_the_kept_one(tmp_path, write_collection):
    folder = write_collection()
    kept = tmp_path / "kept"
    first = prepare(read_collection(folder), kept, keep=True)
    (kept / "small-mine").mkdir()
    (folder / "corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "x"}\n', "utf-8")

    second = prepare(read_collection(folder), kept, keep=True)

    assert second.vault != first.vault
    assert not first.vault.exists()
    assert (kept / "small-mine").exists()


def test_an_interrupted_vault_is_written_anew(tmp_path, write_collection):
    collection = read_collection(write_collection())
    first = prepare(collection, tmp_path, keep=True)
    (first.vault.parent / "ids.json").unlink()

    assert prepare(collection, tmp_path, keep=True) == first


def test_a_vault_that_is_there_is_not_copied(tmp_path, write_collection):
    folder = write_collection()
    (folder / "corpus.jsonl").unlink()
    (folder / "vault").mkdir()

    prepared = prepare(read_collection(folder), tmp_path / "work", keep=False)

    assert prepared.vault == folder / "vault"
    assert folder not in prepared.index_path.parents


def test_indexing_does_not_load_what_the_fingerprint_leaves_out():
    code = "import sys, quarry.indexing.worker, quarry.indexing.sync; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    parts = {f"quarry.{part}" for part in NOT_IN_FINGERPRINT}
    assert not [name for name in loaded if any(name == part or name.startswith(f"{part}.") for part in parts)]
