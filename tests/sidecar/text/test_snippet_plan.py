"""What is looked for is what every word of a wanted term begins with."""

import pytest

from quarry.terms.folding import term_of
from quarry.text.snippet_plan import Wanted


@pytest.mark.parametrize(
    "word", ["policies", "Relational", "sensibility", "hoping", "sized", "agreed", "vietnamization", "caresses", "sky"]
)
def test_a_word_begins_with_what_its_term_is_looked_for_by(word: str) -> None:
    plan = Wanted({term_of(word): 1.0}).plan

    assert word.lower().startswith(plan.probes)


def test_what_begins_with_another_beginning_is_not_looked_for_again() -> None:
    plan = Wanted({"health": 1.0, "healthcheck": 1.0, "rate": 1.0}, prefix="heal").plan

    assert plan.probes == ("heal", "rat")


def test_what_is_written_with_signs_is_looked_for_as_it_is() -> None:
    plan = Wanted({"c++": 1.0, "readme.md": 1.0, "机器": 1.0}).plan

    assert plan.literals == ("c++", "readme.md")
    assert plan.pairs == {"机器"}
