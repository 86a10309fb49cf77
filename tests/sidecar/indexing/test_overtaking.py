"""Saved notes are indexed in the middle of long runs, work can be paused, and nobody who searches waits for either."""

from builders import HashEncoder, Vault, find, settle, wait_until

from quarry.engine import Engine
from quarry.types import VaultChange


def start_long_run(vault: Vault, encoder: HashEncoder, open_engine, count: int = 200) -> Engine:
    """An engine in the middle of its first run, held before the first batch is stored."""
    vault.write_all({f"{n:03}.md": f"# N{n}\nwalnut{n}" for n in range(count)})
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
    assert find(engine, "walnut3", mode="keyword") == ["003.md"]

    engine.resume()
    settle(engine)

    assert engine.status().notes == 200


def test_searches_never_wait_for_indexing(vault: Vault, encoder: HashEncoder, open_engine):
    """The indexing thread stands still in the middle of a batch, and every kind of question is answered."""
    engine = start_long_run(vault, encoder, open_engine)

    assert find(engine, "walnut3", mode="keyword") == []
    assert engine.status().state == "indexing"
    assert engine.status().pending == 200
