"""A rebuild is made beside the index that answers, and takes its place at once."""

import threading
from pathlib import Path

from builders import HashEncoder, Vault, find, settle, wait_until

from quarry.index import rebuild_path
from quarry.indexing import indexer as indexing
from quarry.types import VaultChange


def test_searches_answer_from_the_old_index_during_a_rebuild(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write_all({f"{n}.md": f"# N{n}\nwalnut{n}" for n in range(20)})
    engine = open_engine()
    encoder.hold()

    engine.rebuild()
    wait_until(encoder.is_waiting.is_set)
    status = engine.status()
    found = find(engine, "walnut3", mode="keyword")
    encoder.release()
    settle(engine)

    assert (status.state, status.notes) == ("rebuilding", 20)
    assert found == ["3.md"]
    assert engine.status().notes == 20


def test_a_note_saved_during_a_rebuild_is_found_before_and_after_it_ends(
    vault: Vault, encoder: HashEncoder, open_engine
):
    vault.write_all({f"{n:03}.md": f"# N{n}\nwalnut{n}" for n in range(100)})
    engine = open_engine()
    news: list[object] = []
    engine.listen(news.append)
    encoder.hold()
    engine.rebuild()
    wait_until(encoder.is_waiting.is_set)

    vault.replace_silently("007.md", "# N7\nchery 7")
    engine.vault_changed([VaultChange("modified", "007.md")])
    encoder.release()
    wait_until(lambda: find(engine, "chery", mode="keyword") == ["007.md"])
    settle(engine)

    assert find(engine, "chery", mode="keyword") == ["007.md"]
    assert find(engine, '"walnut7"', mode="keyword") == []  # quoted: no beginning of `walnut70`
    assert any("007.md" in updated.indexed for updated in news if updated)


def test_a_rebuild_ends_in_one_round_where_nothing_is_written(vault: Vault, open_engine, monkeypatch):
    vault.write_all({"a.md": "walnut", "Board.md": "---\nkanban-plugin: board\n---\nx"})
    engine = open_engine()
    rounds: list[Path] = []
    real = indexing.Indexer.reconcile
    monkeypatch.setattr(
        indexing.Indexer, "reconcile", lambda self, index, **o: (rounds.append(index.path), real(self, index, **o))[1]
    )

    engine.rebuild()
    settle(engine)

    beside = [path for path in rounds if path == rebuild_path(engine._maintenance.index.path)]
    assert len(beside) == 2  # one that fills, one that finds nothing more to do


def test_a_rebuild_that_is_stopped_leaves_the_old_index(
    vault: Vault, encoder: HashEncoder, tmp_path: Path, open_engine
):
    vault.write_all({f"{n}.md": f"# N{n}\nwalnut{n}" for n in range(20)})
    engine = open_engine()
    encoder.hold()
    engine.rebuild()
    wait_until(encoder.is_waiting.is_set)
    closing = threading.Thread(target=engine.close)
    closing.start()
    wait_until(lambda: engine._worker._stopping)
    encoder.release()
    closing.join()

    assert not list(tmp_path.glob("*rebuild*"))
    assert find(open_engine(), "walnut3", mode="keyword") == ["3.md"]
