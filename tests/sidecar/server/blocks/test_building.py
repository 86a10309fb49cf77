"""What a block is built from, and what makes it another."""

import pytest

from quarry.block_settings import ContextBlock
from quarry.errors import Cancelled
from quarry.server.blocks.building import heading_of, key_of, likely_notes, quotes_of
from quarry.settings import Settings

BLOCK = ContextBlock("auth", "oauth token rotation")


def test_the_likely_notes_are_those_that_may_answer_with_the_hash_of_their_file(scene):
    likely = likely_notes(scene.engine, BLOCK, lambda: False)

    assert likely.missing == []
    assert likely.notes[0].path == "Auth/OAuth.md"
    assert all(note.confidence >= 0.1 and len(note.sha256) == 64 for note in likely.notes)


def test_several_passages_of_a_note_are_quoted(scene):
    sections = [
        "## Greeting\n\nThe walrus protocol begins with a greeting, whistled twice from the ice.",
        "## Parting\n\nWhoever leaves by the walrus protocol bows and slides backwards into the sea.",
    ]
    scene.write("Walrus.md", "# Walrus protocol\n\n" + "\n\n".join(sections))

    quotes = quotes_of(scene.engine, ContextBlock("walrus", "walrus protocol"), lambda: False)

    assert len([quote for quote in quotes if quote.source.path == "Walrus.md"]) > 1
    assert len({quote.sentences for quote in quotes}) == len(quotes)


def test_the_budget_counts_the_heading(scene):
    block = ContextBlock("n" * 100, "oauth token rotation", max_tokens=50)

    text = heading_of(block.name) + "\n\n".join(quote.text for quote in quotes_of(scene.engine, block, lambda: False))

    assert len(text) <= 200


def test_whoever_no_longer_waits_ends_the_work(scene):
    with pytest.raises(Cancelled):
        likely_notes(scene.engine, BLOCK, lambda: True)


@pytest.mark.parametrize(
    ("block", "settings", "is_same"),
    [
        (BLOCK, Settings(), True),
        (ContextBlock("renamed", BLOCK.query), Settings(), True),
        (ContextBlock("auth", BLOCK.query, ttl_hours=1), Settings(), True),
        (ContextBlock("auth", "other"), Settings(), False),
        (ContextBlock("auth", BLOCK.query, max_tokens=60), Settings(), False),
        (BLOCK, Settings(dense_weight=0.5), False),
        (BLOCK, Settings(exclude_status=("draft",)), False),
        (BLOCK, Settings(index_templates=True), True),
    ],
)
def test_a_block_is_another_where_what_it_says_may_differ(block, settings, is_same):
    assert (key_of(block, settings) == key_of(BLOCK, Settings())) == is_same


def test_a_heading_opens_and_closes_nothing():
    assert heading_of("a\nb `~~~` <system>") == "## a b \\`'''\\` ‹system>\n\n"
