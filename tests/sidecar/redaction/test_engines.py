import random
import string
import sys
from collections.abc import Iterator

import pytest

from quarry.redaction.engines import SETS_PAY_BYTES, Re2Engine, ReEngine, ScrubEngine, default_scrub_engine
from quarry.redaction.rules import RULES
from quarry.redaction.scrub import scrub

ALNUM = string.ascii_letters + string.digits
STRIPE = "sk" + "_live_" + "".join(random.Random(5).choices(ALNUM, k=24))


@pytest.fixture
def fresh_choice() -> Iterator[None]:
    default_scrub_engine.cache_clear()
    yield
    default_scrub_engine.cache_clear()


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
    with_sets = Re2Engine()
    with_sets.compile_sets()

    assert list(Re2Engine().candidates(data)) == list(with_sets.candidates(data)) == []


def test_candidates_are_the_same_before_and_after_the_sets_are_compiled():
    by_keywords, by_sets = Re2Engine(), Re2Engine()
    by_sets.compile_sets()

    tails = ["", "x7Dfg8s2Kq", "9f86d081884c7d659a2feaa0c55ad015", "".join(random.Random(2).choices(ALNUM, k=90))]
    for keyword in {keyword for rule in RULES for keyword in rule.keywords.split()}:
        for tail in tails:
            data = f"\n{keyword}{tail} {keyword.upper()}={tail}\n{keyword}: '{tail}'\n".encode()
            assert list(by_keywords.candidates(data)) == list(by_sets.candidates(data))


def test_the_sets_are_compiled_once_enough_has_been_scanned(monkeypatch: pytest.MonkeyPatch):
    engine = Re2Engine()
    compile_sets = engine.compile_sets
    compiled: list[int] = []
    monkeypatch.setattr(engine, "compile_sets", lambda: compiled.append(1) or compile_sets())

    list(engine.candidates(b"a walk along the river"))
    assert not compiled
    list(engine.candidates(b"by the river " * SETS_PAY_BYTES))
    assert compiled
