"""Which texts compare two subjects, and which subjects."""

from pathlib import Path
from time import process_time

import pytest

from quarry.query.comparison import read_comparison

CASES = Path(__file__).with_name("comparisons.tsv").read_text("utf-8").splitlines()


@pytest.mark.parametrize("case", CASES)
def test_a_comparison_has_two_subjects_and_other_texts_none(case: str):
    text, *subjects = case.split("\t")

    assert read_comparison(text) == (tuple(subjects) or None)


def test_long_runs_of_spaces_take_no_time():
    begun_s = process_time()

    assert read_comparison(f"compare reeds{' ' * 4000}with flues") == ("reeds", "flues")
    assert read_comparison(f"difference between reeds{' ' * 4000}flues") is None
    assert process_time() - begun_s < 1  # 8 s where each run is tried from each of its spaces
