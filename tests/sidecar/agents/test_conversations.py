"""The files of conversations: private, whole, bounded in age, made by one process each; leases and ledgers."""

import os
import subprocess
import sys
import threading
import time

import pytest

from quarry.agents.conversations import (
    KEPT_ENTRIES,
    KEPT_S,
    LEASE,
    MAX_ENTRIES,
    MAX_FILE_BYTES,
    SEEN,
    Conversation,
    Leases,
    Ledgers,
    conversations_folder,
)
from quarry.errors import IndexUnavailable
from quarry.vault.paths import vault_id

OLD_S = time.time() - KEPT_S - 60


@pytest.fixture
def folder(home):
    return conversations_folder()


@pytest.fixture
def conversation(folder):
    return Conversation(folder, "notes-1", "s")


def test_no_name_leads_out_of_the_folder_or_tells_whose_it_is(folder):
    for name in ("../../x", "/etc/passwd", "\0", "\ud800", "s" * 10_000, ""):
        file = Conversation(folder, "notes-1", name).file("seen")

        assert file.parent == folder
        assert len(file.name) < 100
    assert Conversation(folder, "notes-1", "a").key != Conversation(folder, "notes-1", "b").key


def test_what_is_written_is_private_and_read_again(conversation):
    conversation.write("prompt", "tea and half \ud83d")

    assert conversation.read("prompt") == "tea and half ?"
    assert conversation.file("prompt").stat().st_mode & 0o777 == 0o600


def test_a_file_of_yesterday_does_not_count(conversation):
    conversation.write("prompt", "tea")
    os.utime(conversation.file("prompt"), (OLD_S, OLD_S))

    assert not conversation.has("prompt")
    assert conversation.read("prompt") is None


def test_a_claim_is_made_once_and_again_when_it_is_old(conversation):
    assert conversation.claim("given")
    assert not conversation.claim("given")
    os.utime(conversation.file("given"), (OLD_S, OLD_S))
    assert conversation.claim("given")


@pytest.mark.slow
def test_of_many_processes_one_has_the_claim(folder):
    code = (
        "import sys; from quarry.agents.conversations import *;"
        "print(int(Conversation(conversations_folder(), 'notes-1', 's').claim('given')))"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(6)]

    assert sum(int(process.communicate()[0]) for process in processes) == 1


def test_a_link_in_the_place_of_a_file_is_not_followed(conversation, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("canary", encoding="utf-8")
    conversation.file("prompt").symlink_to(secret)

    assert conversation.read("prompt") is None
    conversation.write("prompt", "tea")
    assert secret.read_text(encoding="utf-8") == "canary"
    assert conversation.read("prompt") == "tea"


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(conversation):
    os.mkfifo(conversation.file("prompt"))

    assert conversation.read("prompt") is None


def test_who_may_not_write_changes_nothing(folder):
    looking = Conversation(folder, "notes-1", "s", may_write=False)
    looking.write("prompt", "tea")

    assert looking.claim("given")
    looking.drop("given")
    assert list(folder.iterdir()) == []


# --- leases ----------------------------------------------------------------------------------------


def is_held(vault="notes-1"):
    return Leases(conversations_folder(), vault).is_any_held()


def test_a_lease_is_held_until_it_is_freed(conversation):
    assert not is_held()
    conversation.write(LEASE, "")
    assert is_held()
    conversation.drop(LEASE)
    assert not is_held()


def test_a_lease_is_of_one_vault(conversation):
    conversation.write(LEASE, "")

    assert not is_held("notes-12")
    assert not is_held("notes")


def test_a_lease_that_nobody_frees_runs_out(conversation):
    conversation.write(LEASE, "")
    old_s = time.time() - KEPT_S - 1
    os.utime(conversation.file("lease"), (old_s, old_s))

    assert not is_held()
    conversation.write(LEASE, "")
    assert is_held()


@pytest.mark.parametrize("look_s", [0.0, 3600.0])
def test_the_folder_is_looked_at_now_and_then(conversation, look_s):
    held = Leases(conversations_folder(), "notes-1", look_s)
    assert not held.is_any_held()
    conversation.write(LEASE, "")
    assert held.is_any_held() == (look_s == 0)


def test_without_a_folder_none_is_held(tmp_path):
    assert not Leases(tmp_path / "nowhere", "notes-1").is_any_held()


@pytest.mark.slow
def test_a_sidecar_stays_while_a_lease_is_held_and_leaves_after_it(start, vault, tools, home):
    conversation = Conversation(conversations_folder(), vault_id(vault), "s")
    conversation.write(LEASE, "")
    held, other = (
        start(vault, "--idle", "0.2"),
        start(tools.write_vault(vault.parent / "other", {"A.md": "a"}), "--idle", "0.2"),
    )

    tools.eventually(lambda: other.process.poll() is not None, "the end of the sidecar that nobody wants")
    assert held.process.poll() is None
    conversation.drop(LEASE)
    tools.eventually(lambda: held.process.poll() is not None, "the end of the sidecar")


# --- ledgers ---------------------------------------------------------------------------------------


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


def test_the_tokens_of_a_conversation_are_counted_until_there_are_none_left(ledgers):
    for spent in (3_000, 4_500):
        with ledgers.of("s") as shown:
            shown.spend(spent)
            shown.add("Tea.md", str(spent))
            shown.save()

    with Ledgers("notes-1").of("s") as shown:
        assert shown.left(8_000) == 500
        assert shown.left(7_000) == 0
        assert shown.has("Tea.md", "3000")
    with ledgers.of("t") as other:
        assert other.left(8_000) == 8_000


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


@pytest.mark.parametrize(
    "content", [f"+{'9' * 5000}\n", "+-5\n", "+\n", "+²\n", "\0" * MAX_FILE_BYTES, "a" * MAX_FILE_BYTES]
)
def test_a_ledger_that_something_else_has_written_is_begun_anew(ledgers, content):
    Conversation(conversations_folder(), "notes-1", "s").write(SEEN, content)

    show(ledgers, "s", "one")

    with ledgers.of("s") as shown:
        assert shown.has("Tea.md", "one")
        assert shown.left(8000) == 8000


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
    with pytest.raises(IndexUnavailable, match="cannot be stored: Permission denied"):
        show(ledgers, "s", "one")
