import random
import string
import sys
from collections.abc import Iterator

import pytest

from quarry.text.secrets import engines
from quarry.text.secrets.engines import Re2Engine, ReEngine, ScrubEngine, default_scrub_engine
from quarry.text.secrets.rules import RULES
from quarry.text.secrets.scrub import scrub

STRIPE = "sk" + "_live_" + "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=24))


@pytest.fixture
def fresh_choice() -> Iterator[None]:
    engines._compiled_engine.cache_clear()
    yield
    engines._compiled_engine.cache_clear()


def test_re2_is_chosen_where_it_can_be_imported(fresh_choice: None):
    assert isinstance(default_scrub_engine(), Re2Engine)


def test_re_takes_over_where_re2_cannot_be_imported(fresh_choice: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "re2", None)

    scrubbed = scrub(f"pay with {STRIPE}")

    assert isinstance(default_scrub_engine(), ReEngine)
    assert scrubbed.text == "pay with [REDACTED:stripe-key]"


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_candidates_hold_every_rule_that_matches(engine: ScrubEngine):
    data = f"\nnothing, then {STRIPE} and password: x7dfg8s\n".encode()

    candidates = list(engine.candidates(data))

    assert candidates == sorted(candidates)
    assert {index for index in range(len(RULES)) if engine.search(index, data, 0)} <= set(candidates)


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_search_goes_on_behind_a_span_and_sees_the_character_before_it(engine: ScrubEngine):
    index = next(index for index, rule in enumerate(RULES) if rule.name == "stripe-key")
    data = f"\n{STRIPE},{STRIPE}Z {STRIPE}\n".encode()

    first = engine.search(index, data, 0)
    assert first == (1, 1 + len(STRIPE))
    second = engine.search(index, data, first[1])
    assert second == (first[1] + 1, first[1] + 2 + len(STRIPE))  # open-ended, so with its Z
    third = engine.search(index, data, second[1])
    assert third == (second[1] + 1, len(data) - 1)
    assert engine.search(index, data, third[1]) is None


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_place_is_where_a_rule_begins_to_match_whatever_stands_around_it(engine: ScrubEngine):
    index = next(index for index, rule in enumerate(RULES) if rule.name == "stripe-key")
    data = f"\nZ{STRIPE} {STRIPE}\n".encode()

    first = engine.place(index, data, 0)
    assert first == 2
    second = engine.place(index, data, first + 1)
    assert second == first + len(STRIPE) + 1
    assert engine.place(index, data, second + 1) is None


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_no_rule_begins_at_the_line_ends_around_a_text(engine: ScrubEngine):
    assert [index for index in range(len(RULES)) if engine.place(index, b"\n\n", 0) is not None] == []


def test_clean_prose_has_no_candidates():
    data = b"\nA walk along the river, then lunch with Ana. We spoke of her garden and of nothing else.\n"

    assert list(Re2Engine().candidates(data)) == []
