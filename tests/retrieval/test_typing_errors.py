"""Floors of the correction of typing errors, in the sample vault."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from collected import HERE, SAMPLE
from typing_errors import in_other_languages, opened, quality, read_slips, touched

from quarry.engine import Engine


@pytest.fixture(scope="module")
def engine(index_of: Callable[[str], Path]) -> Iterator[Engine]:
    with opened(HERE / "vault", index_of(SAMPLE)) as engine:
        yield engine


def test_slips_beside_right_words_are_answered_nearly_as_what_was_meant(engine: Engine):
    found = quality(engine, [row for row in read_slips() if row.vault == SAMPLE])

    assert found["ndcg"] >= found["ndcg as meant"] - 0.01
    assert found["first"] >= 0.89
    assert found["corrected"] >= 0.7


def test_words_of_other_languages_are_left_alone(engine: Engine):
    assert len(touched(engine, in_other_languages())) <= 3
