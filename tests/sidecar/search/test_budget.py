"""The token budget is filled in ranked order."""

from hypothesis import given
from hypothesis import strategies as st

from quarry.search.answer import CHARACTERS_PER_TOKEN, SHORTEST_CUT, estimate_tokens, fit


def test_texts_that_fit_are_taken_whole():
    fitted = fit(["a" * 400, "b" * 400], max_tokens=200)

    assert [(len(f.text), f.truncated) for f in fitted] == [(400, False), (400, False)]


def test_the_text_that_overflows_is_cut_with_dots_when_enough_of_it_fits():
    fitted = fit(["a" * 400, "b" * 2000], max_tokens=200)

    assert fitted[1].truncated
    assert fitted[1].text == "b" * 397 + "..."


def test_the_text_that_overflows_is_dropped_when_too_little_of_it_fits():
    fitted = fit(["a" * 600, "b" * 2000], max_tokens=200)

    assert [f.text[0] for f in fitted] == ["a"]


def test_filling_stops_at_the_first_text_that_does_not_fit():
    fitted = fit(["a" * 600, "b" * 2000, "c"], max_tokens=200)

    assert [f.text[0] for f in fitted] == ["a"]


def test_no_text_is_asked_for_behind_the_first_that_does_not_fit():
    texts = iter(["a" * 100, "b" * 900, "c"])

    fit(texts, 100)

    assert list(texts) == ["c"]


def test_tokens_are_rounded_up():
    assert [estimate_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


@given(st.lists(st.text(max_size=3 * SHORTEST_CUT)), st.integers(50, 1000))
def test_the_budget_is_never_exceeded(texts: list[str], max_tokens: int):
    fitted = fit(texts, max_tokens)

    assert sum(len(f.text) for f in fitted) <= max_tokens * CHARACTERS_PER_TOKEN
    assert all(not f.truncated for f in fitted[:-1])
