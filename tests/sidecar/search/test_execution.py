"""Which retrievers serve: those that are wanted and there or, where none is, those that are there."""

import logging

import pytest
from builders import Vault, ask

from quarry.errors import Cancelled, DeadlineExceeded
from quarry.search.execution import Ornament, serving_retrievers


@pytest.mark.parametrize(
    ("missing", "mode", "retrievers"),
    [
        ((), "hybrid", ("keyword", "dense")),
        ((), "keyword", ("keyword",)),
        ((), "semantic", ("dense",)),
        (("dense",), "hybrid", ("keyword",)),
        (("dense",), "semantic", ("keyword",)),
        (("keyword",), "keyword", ("dense",)),
        (("keyword", "dense"), "hybrid", ()),
        (("keyword", "dense"), "semantic", ()),
    ],
)
def test_what_is_there_stands_in_for_what_is_missing(missing, mode, retrievers):
    assert serving_retrievers(mode, dict.fromkeys(missing, "not here")) == retrievers


SECRET = "a word of the note"


def fail(*_: object, **__: object) -> None:
    raise KeyError(SECRET)


@pytest.mark.parametrize(
    ("computed_by", "part"),
    [
        ("index.reader.Reader.maps_listing", "maps"),
        ("search.snippets.words_missing", "missing words"),
        ("search.pipeline.extract_answer", "extract"),
        ("search.pipeline._weakness", "weakness"),
        ("search.prepare.correct_words", "corrections"),
        ("search.confidence.default_confidence_weights", "confidence"),
        ("search.snippets.find_matches", "marks"),
        ("search.snippets.highlight", "marks"),
        ("search.snippets.SnippetBuilder._nearest_sentences", "nearest sentences"),
        ("search.snippets.make_snippet", "snippet"),
    ],
)
@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_an_answer_goes_without_what_failed(vault: Vault, open_engine, monkeypatch, caplog, computed_by, part, fusion):
    vault.write_all({"zebra.md": "# Zebra\nWhat is a zebra? A zebra is a striped horse.", "map.md": "[[zebra]] " * 3})
    engine = open_engine()
    whole = ask(engine, "what is a zebra", fusion=fusion, extract=True)
    monkeypatch.setattr(f"quarry.{computed_by}", fail)

    with caplog.at_level(logging.ERROR):
        answer = ask(engine, "what is a zebra", fusion=fusion, extract=True)

    assert [(hit.path, hit.score) for hit in answer.hits] == [(hit.path, hit.score) for hit in whole.hits]
    assert all(hit.passages[0].snippet.text for hit in answer.hits)
    if part not in ("corrections", "extract", "nearest sentences"):  # which not every query asks for
        assert f"its {part}: KeyError" in caplog.text
        assert SECRET not in caplog.text


@pytest.mark.parametrize("error", [DeadlineExceeded("too slow"), Cancelled("not wanted")])
def test_the_end_of_the_time_ends_the_answer(error):
    with pytest.raises(type(error)), Ornament("part"):
        raise error
