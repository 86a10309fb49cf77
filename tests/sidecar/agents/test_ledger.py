"""Ledgers: what a conversation was shown, as hashes."""

import threading

import pytest

from quarry.agents.conversations import Conversation, conversations_folder
from quarry.agents.ledger import KEPT_ENTRIES, MAX_ENTRIES, Ledgers
from quarry.errors import IndexUnavailable


@pytest.fixture
def ledgers(home):
    return Ledgers("notes-1")


def show(ledgers, name, *texts):
    with ledgers.of(name) as shown:
        for text in texts:
            shown.add("Tea.md", text)
        shown.save()


def test_what_was_shown_is_known_to_the_next_sidecar(ledgers):
    show(ledgers, "s", "one")

    with Ledgers("notes-1").of("s") as shown:
        assert shown.has("Tea.md", "one")
        assert not shown.has("Tea.md", "two")
        assert not shown.has("Other.md", "one")


def test_what_is_not_saved_was_not_shown(ledgers):
    with ledgers.of("s") as shown:
        shown.add("Tea.md", "one")

    with ledgers.of("s") as shown:
        assert not shown.has("Tea.md", "one")


def test_conversations_and_vaults_have_ledgers_of_their_own(ledgers):
    show(ledgers, "s", "one")

    for other in (ledgers.of("t"), Ledgers("notes-2").of("s")):
        with other as shown:
            assert not shown.has("Tea.md", "one")


def test_a_ledger_holds_no_word_and_no_hash_that_another_holds(ledgers):
    show(ledgers, "s", "canary")
    show(ledgers, "t", "canary")

    first, second = [file.read_text(encoding="utf-8") for file in conversations_folder().glob("*.seen")]
    assert first != second
    assert "canary" not in first + second
    assert "Tea" not in first + second


def test_a_ledger_that_is_taken_away_forgets(ledgers):
    show(ledgers, "s", "one")
    Conversation(conversations_folder(), "notes-1", "s").drop("seen")

    with ledgers.of("s") as shown:
        assert not shown.has("Tea.md", "one")


def test_a_ledger_is_bounded_and_keeps_the_newest(ledgers):
    show(ledgers, "s", *map(str, range(MAX_ENTRIES)))
    show(ledgers, "s", "newest")

    with ledgers.of("s") as shown:
        assert shown.has("Tea.md", "newest")
        assert not shown.has("Tea.md", "0")
    assert len(next(conversations_folder().glob("*.seen")).read_text(encoding="utf-8").split()) == KEPT_ENTRIES


def test_answers_at_the_same_time_lose_nothing(ledgers):
    threads = [threading.Thread(target=show, args=(ledgers, "s", f"text {number}")) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with ledgers.of("s") as shown:
        assert all(shown.has("Tea.md", f"text {number}") for number in range(20))


def test_a_file_of_nonsense_is_a_ledger_of_nothing(ledgers):
    Conversation(conversations_folder(), "notes-1", "s").file("seen").write_bytes(b"\xff\0 nonsense\n" * 100)
    show(ledgers, "s", "one")

    with ledgers.of("s") as shown:
        assert shown.has("Tea.md", "one")


def test_a_ledger_that_cannot_be_written_is_told(ledgers, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Conversation, "write", refuse)
    with pytest.raises(IndexUnavailable, match="cannot be kept: Permission denied"):
        show(ledgers, "s", "one")
