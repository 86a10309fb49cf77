"""A text becomes a note of the vault, scrubbed before a byte of it is written."""

from datetime import date

import pytest
from builders import Vault, settle

from quarry.errors import BadRequest
from quarry.options import SearchOptions
from quarry.vault.capture import Draft, capture
from quarry.vault.rules import Rules

KEY = "gh" + "p_" + "Ab1Cd2" * 6
TODAY = date(2026, 3, 14)


def test_credentials_are_redacted_in_every_part_and_counted(vault: Vault):
    draft = Draft(f"the key is {KEY}", title=f"key {KEY}", domain=KEY, tags=(KEY,), source=f"https://x.org/?k={KEY}")

    with pytest.raises(BadRequest, match="tag"):  # a marker is none
        capture(vault.root, Rules(), draft, "in", TODAY)
    note = capture(
        vault.root, Rules(), Draft(draft.text, draft.title, draft.domain, (), "note", draft.source), "in", TODAY
    )

    files = list((vault.root / "in").iterdir())
    assert [file.relative_to(vault.root).as_posix() for file in files] == [note.path]
    assert KEY not in files[0].name + files[0].read_text("utf-8") + note.title
    assert sum(note.redactions.values()) == 4


def test_a_credential_behind_control_characters_is_redacted(vault: Vault):
    note = capture(vault.root, Rules(), Draft(f"{KEY[:9]}\x00{KEY[9:]}", title="x"), "", TODAY)

    assert KEY not in (vault.root / note.path).read_text("utf-8")


@pytest.mark.parametrize(
    "rules",
    [
        Rules(exclude=["Private"]),
        Rules(include=["Public"]),
        Rules(ignore_lines=["private/"]),
        Rules(ignore_lines=["*.md"]),
    ],
)
def test_a_note_that_would_never_be_found_is_refused_and_no_folder_made(vault: Vault, rules):
    with pytest.raises(BadRequest, match="never be found"):
        capture(vault.root, rules, Draft("x"), "private/new", TODAY)
    assert list(vault.root.iterdir()) == []


@pytest.mark.parametrize("folder", ["../x", "/tmp", ".trash"])
def test_a_folder_elsewhere_is_refused(vault: Vault, folder):
    with pytest.raises(BadRequest, match="folder"):
        capture(vault.root, Rules(), Draft("x"), folder, TODAY)


def test_the_engine_finds_what_it_captured(vault: Vault, open_engine):
    vault.write(".quarry.toml", '[capture]\nfolder = "Inbox"\n')
    engine = open_engine()

    note = engine.capture(Draft("Steep the oolong for three minutes.", tags=("tea",)))
    settle(engine)

    assert note.path == "Inbox/Steep the oolong for three minutes.md"
    assert [hit.path for hit in engine.search(SearchOptions(query="oolong tag:tea")).hits] == [note.path]
    assert engine.read_note(note.path).properties["source"] == ""


def test_a_text_that_is_captured_twice_is_one_note(vault: Vault, open_engine):
    engine = open_engine()
    first, second = (engine.capture(Draft("Steep the oolong.")) for _ in range(2))

    assert (first.is_new, second.is_new) == (True, False)
    assert first.path == second.path


def test_a_vault_without_readable_rules_takes_nothing(vault: Vault, open_engine):
    vault.write(".indexignore", b"a\0b")
    engine = open_engine(wait=False)

    with pytest.raises(BadRequest):
        engine.capture(Draft("x"))
    assert not (vault.root / "00-inbox").exists()
