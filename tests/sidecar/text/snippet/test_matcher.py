"""What is looked for is what every word of a wanted term begins with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.terms.analysis import phrase_terms
from quarry.terms.normalize import term_of
from quarry.text.snippet.matcher import Wanted

ENDINGS = """
s ing ed y ies ied ly ness ability ibility ation er est ment ful fulness ousness ously ization izer ational alism ality
ivity iveness bly ible able ence ency ance ancy icate ical ative eli t e i l ll eed edly bility ism ous ion
"""


@given(
    st.text(st.sampled_from("aeiouybcdfghlmnrstvz"), min_size=1, max_size=8),
    st.sampled_from(["", *ENDINGS.split()]),
)
def test_a_word_begins_with_what_its_term_is_looked_for_by(stem: str, ending: str) -> None:
    plan = Wanted({term_of(stem + ending): 1.0}).plan

    assert (stem + ending).startswith(plan.probes)


@pytest.mark.parametrize("word", ["can't", "hasn’t", "presiden't", "user's", "they’ll"])
def test_so_does_a_word_with_an_apostrophe(word: str) -> None:
    [term] = phrase_terms(word)

    assert word.startswith(Wanted({term: 1.0}).plan.probes)


@pytest.mark.parametrize(
    ("word", "probe"),
    [("happy", "happ"), ("hoping", "hop"), ("sensibility", "sensib"), ("users", "user"), ("a", "a"), ("机", "机")],
)
def test_a_word_is_looked_for_by_all_of_its_term_but_a_letter_that_stemming_put_there(word: str, probe: str) -> None:
    assert Wanted({term_of(word): 1.0}).plan.probes == (probe,)


def test_what_begins_with_another_beginning_is_not_looked_for_again() -> None:
    plan = Wanted({"health": 1.0, "healthcheck": 1.0, "rate": 1.0}, prefix="heal").plan

    assert plan.probes == ("heal", "rat")


def test_what_is_written_with_signs_is_looked_for_as_it_is() -> None:
    plan = Wanted({"c++": 1.0, "readme.md": 1.0, "机器": 1.0}).plan

    assert plan.literals == ("c++", "readme.md")
    assert plan.pairs == {"机器"}
