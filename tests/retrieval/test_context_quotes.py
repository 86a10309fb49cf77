"""What counts as an answer, and the whole path on the sample vault."""

from pathlib import Path

import pytest
from collected import SAMPLE, sample, some_queries
from context_quotes import Asked, Count, asked_of, chosen, count, in_order, is_answer, table

from quarry import protocol as wire
from quarry.search.quotes import Quotable, Quote
from quarry.server.encode.context import Quoted


def passage(path: str, text: str, confidence: float = 0.5, size: int | None = None) -> Quoted:
    source = wire.Source(path=path, heading_path=[], line=0, project=None, confidence=confidence)
    return Quoted(source, "", Quotable(text, confidence, (len(text),), (size or len(text),)), (text,))


def test_a_relevant_note_answers_and_with_spans_only_where_half_of_one_is_quoted() -> None:
    text = "The fee falls from 32 dollars to 8."
    asked = Asked(frozenset({"a.md"}), (), ())
    with_spans = Asked(frozenset({"a.md"}), ("falls  from 32".replace("  ", " "), "something else"), ())

    assert is_answer(asked, passage("a.md", text), 0)
    assert not is_answer(asked, passage("b.md", text), 0)
    assert is_answer(with_spans, passage("a.md", text.replace(" ", "\n")), 0)
    assert not is_answer(with_spans, passage("a.md", "The fee is gone."), 0)


def test_in_order_takes_whole_quotes_while_they_fit() -> None:
    asked = Asked(frozenset(), (), (passage("a.md", "x" * 400), passage("b.md", "y" * 400), passage("c.md", "z" * 90)))

    assert in_order(asked, 500) == [Quote(0, 0), Quote(2, 0)]


def test_answers_tokens_and_answered_queries_are_counted() -> None:
    asked = Asked(frozenset({"a.md"}), (), (passage("a.md", "x" * 400), passage("b.md", "y" * 400)))

    assert count(asked, [Quote(0, 0), Quote(1, 0)]) == Count(1, 200.0, 1)
    assert count(asked, []) == Count(0, 0.0, 0)


@pytest.mark.slow
def test_the_choice_has_more_answers_for_its_tokens_on_the_sample_vault(tmp_path: Path) -> None:
    asked = asked_of(some_queries(sample(), 60), tmp_path)

    before = sum((count(one, in_order(one, 6_000)) for one in asked), start=Count())
    now = sum((count(one, chosen(one, 6_000)) for one in asked), start=Count())

    assert now.answers / now.tokens > before.answers / before.tokens
    assert now.answered >= before.answered * 0.95
    assert table({SAMPLE: asked}).count(f"| {SAMPLE} ") == 3
