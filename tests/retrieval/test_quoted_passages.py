"""What a hook must quote of the vaults of this folder: the passage that answers, and both sides of a comparison."""

from collections.abc import Callable
from pathlib import Path

import pytest
from collected import HERE, LANGUAGES
from quoted_passages import Found, interval, letters, measure, read_comparisons, read_passages, table

from quarry.evaluation.runner import indexed


def found_in(name: str, vault: Path, index_path: Path) -> Found:
    with indexed(vault, index_path) as engine:
        return measure(engine, read_passages(name), read_comparisons(name))


def test_the_passage_that_answers_is_quoted_from_the_sample_vault(index_of: Callable[[str], Path]):
    found = found_in("sample", HERE / "vault", index_of("sample"))

    assert found.with_note >= 0.9 * found.prompts
    assert found.with_passage >= 0.85 * found.with_note
    assert found.with_sides >= 0.8 * found.comparisons
    assert "| sample" in table({"sample": found})


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_both_sides_of_a_comparison_are_quoted_in_other_languages(index_of: Callable[[str], Path], language: str):
    found = found_in(language, LANGUAGES / language / "vault", index_of(language))

    assert found.with_sides >= found.comparisons - 1 > 0


def test_marks_are_no_difference_and_a_share_has_its_interval():
    assert letters("> **Two** people\n> carry") == letters("two people carry")
    assert interval(0, 0) == "-"
    assert interval(8, 10) == "8 of 10, 80% (49% to 94%)"
