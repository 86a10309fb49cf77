"""Leases keep a sidecar while a conversation goes on, and run out by themselves."""

import os
import time

import pytest

from quarry.agents import leases
from quarry.agents.conversations import KEPT_S, Conversation, conversations_folder
from quarry.agents.leases import Leases, free_lease, take_lease
from quarry.vault.identity import vault_id


@pytest.fixture
def conversation(home):
    return Conversation(conversations_folder(), "notes-1", "s")


def is_held(vault="notes-1"):
    return Leases(conversations_folder(), vault).is_any_held()


def test_a_lease_is_held_until_it_is_freed(conversation):
    assert not is_held()
    take_lease(conversation)
    assert is_held()
    free_lease(conversation)
    assert not is_held()


def test_a_lease_is_of_one_vault(conversation):
    take_lease(conversation)

    assert not is_held("notes-12")
    assert not is_held("notes")


def test_a_lease_that_nobody_frees_runs_out(conversation):
    take_lease(conversation)
    old_s = time.time() - KEPT_S - 1
    os.utime(conversation.file("lease"), (old_s, old_s))

    assert not is_held()
    take_lease(conversation)
    assert is_held()


def test_the_folder_is_looked_at_now_and_then(conversation, monkeypatch):
    held = Leases(conversations_folder(), "notes-1")
    assert not held.is_any_held()
    take_lease(conversation)
    assert not held.is_any_held()
    monkeypatch.setattr(leases, "LOOK_S", 0.0)
    assert held.is_any_held()


def test_without_a_folder_none_is_held(tmp_path):
    assert not Leases(tmp_path / "nowhere", "notes-1").is_any_held()


@pytest.mark.slow
def test_a_sidecar_stays_while_a_lease_is_held_and_leaves_after_it(start, vault, tools, home):
    conversation = Conversation(conversations_folder(), vault_id(vault), "s")
    take_lease(conversation)
    held, other = (
        start(vault, "--idle", "0.2"),
        start(tools.write_vault(vault.parent / "other", {"A.md": "a"}), "--idle", "0.2"),
    )

    tools.eventually(lambda: other.process.poll() is not None, "the end of the sidecar that nobody wants")
    assert held.process.poll() is None
    free_lease(conversation)
    tools.eventually(lambda: held.process.poll() is not None, "the end of the sidecar")
