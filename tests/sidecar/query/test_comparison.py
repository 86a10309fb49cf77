"""Which texts compare two subjects, and which subjects."""

from pathlib import Path

import pytest

from quarry.query.comparison import read_comparison

CASES = Path(__file__).with_name("comparisons.tsv").read_text("utf-8").splitlines()


@pytest.mark.parametrize("case", CASES)
def test_a_comparison_has_two_subjects_and_other_texts_none(case: str):
    text, *subjects = case.split("\t")

    assert read_comparison(text) == (tuple(subjects) or None)
