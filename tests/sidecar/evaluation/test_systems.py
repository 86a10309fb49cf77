"""The systems that are judged."""

import pytest

from quarry.evaluation.systems import SYSTEMS, USUAL


def test_the_usual_ones_are_the_baselines_and_what_ships():
    assert USUAL == ("keyword", "semantic", "rrf", "default")
    assert set(USUAL) <= SYSTEMS.keys()


@pytest.mark.parametrize("name", SYSTEMS)
def test_nothing_is_cut_and_nothing_added(name):
    request = SYSTEMS[name].request("as typed -x", 100)

    assert (request.query, request.limit) == ("as typed -x", 100)
    assert not request.expand_small_results
    assert not request.with_text
    assert request.max_tokens > 10**6


def test_baselines_are_fused_by_rank_and_what_ships_by_its_signals():
    assert {name for name, system in SYSTEMS.items() if system.fusion == "convex"} == {
        "default",
        "default-keyword",
        "default-semantic",
    }
