"""Results: sequences, text blocks, and whether they are complete."""

from dataclasses import FrozenInstanceError, replace

import pytest

from quarry.python.results import AnswerFreshness, NoteEntry, NoteListing, QuotedContext, VaultStatus

LIVE = AnswerFreshness(state="live", done=2, total=2, epoch=1)
ENTRIES = tuple(
    NoteEntry(
        path=f"{name}.md",
        kind="note",
        title=name,
        tags=(),
        type=None,
        domain=None,
        status=None,
        modified_ms=0,
        size_bytes=1,
    )
    for name in "ab"
)


def test_a_listing_is_a_sequence_of_its_notes():
    listing = NoteListing(notes=ENTRIES, total=9, freshness=LIVE)

    assert list(listing) == list(ENTRIES)
    assert (len(listing), listing[-1], listing[:1]) == (2, ENTRIES[1], ENTRIES[:1])
    assert ENTRIES[0] in listing
    assert not NoteListing(notes=(), total=0, freshness=LIVE)


def test_a_result_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        ENTRIES[0].path = "other.md"  # type: ignore[misc]


def test_a_context_prints_as_its_text_and_is_false_where_it_is_empty():
    context = QuotedContext(text="> quote", sources=(), tokens=2, abstained=None, missing=(), freshness=LIVE)

    assert str(context) == f"{context}" == "> quote"
    assert context
    assert not replace(context, text="", abstained="low-confidence")


@pytest.mark.parametrize(
    ("freshness", "complete"),
    [
        (LIVE, True),
        (replace(LIVE, state="paused"), True),
        (replace(LIVE, state="indexing"), False),
        (replace(LIVE, done=1), False),
    ],
)
def test_an_answer_is_complete_where_every_note_was_searched(freshness, complete):
    assert freshness.is_complete is complete


def test_a_vault_is_complete_when_its_model_is_there_and_nothing_is_pending():
    status = VaultStatus(
        state="live", notes=1, chunks=1, pending=0, excluded=0, model="bundled", model_state="ready", missing=(),
        problem_count=0, problems=(), indexed_ms=1, size_bytes=1, message=None,
    )  # fmt: skip

    assert status.is_complete
    assert replace(status, model_state="missing").is_complete
    assert not replace(status, model_state="loading").is_complete
    assert not replace(status, pending=1).is_complete
    assert not replace(status, state="scanning").is_complete
