"""Reasons of silence: each has a sentence, and none is made up elsewhere."""

import pytest

from quarry.agents.hooks.outcome import REASONS, Silence


def test_each_reason_has_a_sentence_for_a_person():
    assert all(sentence and sentence[-1] != "." for sentence in REASONS.values())
    assert {"low-confidence", "all-seen", "indexing", "budget"} <= REASONS.keys()  # those of the wire


def test_a_reason_that_nobody_listed_is_a_defect():
    with pytest.raises(AssertionError):
        Silence("because")
