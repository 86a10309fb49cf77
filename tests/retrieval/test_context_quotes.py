"""What counts as an answer, and the whole path on the sample vault."""

from pathlib import Path

import pytest
from collected import SAMPLE, sample, some_queries
from context_quotes import Asked, Count, asked_of, chosen, count, is_answer, table

from quarry import protocol as wire
from quarry.index.records import StoredChunk
from quarry.search.answer import Hit, Passage, RankedChunk
from quarry.search.quotes import Quotable, Quote
from quarry.search.snippet.snippet import beginning
from quarry.server.encode.context import Quoted
from quarry.types import Chunk


def passage(path: str, text: str, confidence: float = 0.5) -> Quoted:
    chunk = StoredChunk(1, path, path, (), (), 0, "", Chunk(0, (), text, 0, len(text), 0, 0, ""))
    ranked = RankedChunk(1, path, 1.0)
    shown = Passage(chunk, ranked, beginning(text, len(text)), "")
    hit = Hit(path, 1.0, frozenset({"keyword"}), {}, (ranked,), confidence=confidence, passages=(shown,))
    source = wire.Source(path=path, heading_path=[], line=0, project=None, confidence=confidence)
    quotable = Quotable(text, confidence, (len(text),), (len(text),))
    return Quoted(hit, shown, source, (), quotable, (path, ""), (text,))


def test_a_relevant_note_answers_and_with_spans_only_where_half_of_one_is_quoted() -> None:
    text = "The fee falls from 32 dollars to 8."
    asked = Asked(frozenset({"a.md"}), (), ())
    with_spans = Asked(frozenset({"a.md"}), ("falls  from 32".replace("  ", " "), "something else"), ())

    assert is_answer(asked, passage("a.md", text), 0)
    assert not is_answer(asked, passage("b.md", text), 0)
    assert is_answer(with_spans, passage("a.md", text.replace(" ", "\n")), 0)
    assert not is_answer(with_spans, passage("a.md", "The fee is gone."), 0)


def test_answers_tokens_and_answered_queries_are_counted() -> None:
    asked = Asked(frozenset({"a.md"}), (), (passage("a.md", "x" * 400), passage("b.md", "y" * 400)))

    assert count(asked, [Quote(0, 0), Quote(1, 0)]) == Count(1, 200.5, 1)
    assert count(asked, []) == Count(0, 0.0, 0)


@pytest.mark.slow
def test_what_is_quoted_of_the_sample_vault_mostly_answers(tmp_path: Path) -> None:
    asked = asked_of(some_queries(sample(), 60), tmp_path)

    found = sum((count(one, chosen(one, 6_000)) for one in asked), start=Count())

    assert found.answers / found.tokens > 0.008
    assert table({SAMPLE: asked}).count(f"| {SAMPLE} ") == 3
