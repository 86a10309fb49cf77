"""The files of conversations: private, whole, bounded in number and age, and made by one process each."""

import os
import subprocess
import sys
import time

import pytest

from quarry.agents.conversations import KEPT_S, MAX_FILES, Conversation, conversations_folder, tidy

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


def test_what_is_old_or_too_much_is_taken_away(folder):
    for number in range(MAX_FILES + 20):
        file = folder / f"notes-1.{number}.seen"
        file.touch()
        os.utime(file, (time.time() - number, time.time() - number))
    (folder / "notes-1.old.lease").touch()
    os.utime(folder / "notes-1.old.lease", (OLD_S, OLD_S))

    tidy(folder)

    kept = {file.name for file in folder.iterdir()}
    assert len(kept) == MAX_FILES
    assert "notes-1.0.seen" in kept
    assert "notes-1.old.lease" not in kept
