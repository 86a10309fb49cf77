"""How current an index is, what is waited for, and the number that tells one state of it from another."""

import pytest
from builders import Vault, find, modified, settle, wait_until

from quarry.engine import Engine
from quarry.indexing.freshness import freshness, is_worth_waiting
from quarry.indexing.status import Progress, State

HALF_DONE = Progress(50, 100, 200, 100.0, 500)


@pytest.mark.parametrize(
    ("state", "progress", "waiting", "lag", "done", "total"),
    [("live", None, 0, 0, 7, 7), ("live", None, 1, 2, 7, 9), ("indexing", HALF_DONE, 3, 5, 50, 103)],
    ids=["at rest", "a change is not indexed", "work in progress, and notes that wait behind it"],
)
def test_what_is_done_of_what_is_known(state: State, progress, waiting: int, lag: int, done: int, total: int):
    index = freshness(state, progress, notes=7, waiting=waiting, lag=lag, epoch=3)

    assert (index.done, index.total, index.epoch) == (done, total, 3)


@pytest.mark.parametrize("state", ["live", "rebuilding", "paused", "failed"])
def test_what_no_wait_makes_more_complete_is_not_waited_for(state: State):
    assert not is_worth_waiting(state, HALF_DONE, notes=7, left_s=60.0)


@pytest.mark.parametrize("state", ["starting", "scanning", "indexing", "embedding"])
@pytest.mark.parametrize(
    ("notes", "left_s", "expected"),
    [(7, 1.0, True), (7, 0.4, False), (0, 0.4, True), (0, 0.0, False)],
    ids=["it may end in time", "it will not", "an empty index is worth any wait", "no time is left"],
)
def test_work_is_waited_for_where_that_may_help(state: State, notes: int, left_s: float, expected: bool):
    assert is_worth_waiting(state, HALF_DONE, notes, left_s) is expected


def test_work_of_unknown_length_is_waited_for():
    assert is_worth_waiting("scanning", None, notes=7, left_s=0.1)
    assert is_worth_waiting("indexing", Progress(0, 100, 0, 0.0, None), notes=7, left_s=0.1)


def test_every_commit_raises_the_epoch_and_a_search_does_not(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine: Engine = open_engine()
    before = engine.freshness.now()
    find(engine, "walnut")

    assert engine.freshness.now() == before
    vault.write("b.md", "hazel")
    engine.vault_changed([modified("b.md")])
    wait_until(lambda: find(engine, "hazel", mode="keyword"))
    assert engine.freshness.now().epoch > before.epoch


def test_a_rebuild_raises_the_epoch_though_its_index_has_had_fewer_commits(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine: Engine = open_engine()
    for number in range(5):
        vault.write("a.md", f"walnut {number} " * (number + 1))
        engine.vault_changed([modified("a.md")])
        settle(engine)
    before = engine.freshness.now().epoch
    indexed_ms = engine.status().indexed_ms

    engine.rebuild()
    wait_until(lambda: engine.status().indexed_ms != indexed_ms and engine.status().state == "live")

    assert engine.freshness.now().epoch > before
    assert find(engine, "walnut") == ["a.md"]


def test_a_paused_index_says_what_it_does_not_hold_and_is_not_waited_for(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine: Engine = open_engine()
    engine.pause()
    engine.vault_changed([modified("a.md")])
    report = engine.freshness.sequence_at()

    index = engine.freshness.now()

    assert (index.state, index.done, index.total) == ("paused", 1, 2)
    assert not engine.freshness.includes(report)
    assert not engine.freshness.is_worth_waiting(report, left_s=60.0)
    engine.resume()
    wait_until(lambda: engine.freshness.includes(report))
    index = engine.freshness.now()
    assert (index.state, index.done, index.total) == ("live", 1, 1)


def test_a_report_that_is_held_can_be_found(vault: Vault, open_engine):
    engine: Engine = open_engine()
    for number in range(20):
        vault.write(f"{number}.md", f"walnut word{number}")
        engine.vault_changed([modified(f"{number}.md")])
        report = engine.freshness.sequence_at()

        wait_until(lambda report=report: engine.freshness.includes(report))

        assert find(engine, f"word{number}", mode="keyword") == [f"{number}.md"]
