"""Opening a vault: one that was never indexed, one whose sidecar may not be started."""

import pytest

import quarry
from quarry import errors

pytestmark = pytest.mark.slow  # starts sidecars


def test_a_vault_that_was_never_indexed_is_waited_for(home, vault):
    with quarry.open(vault, wait_s=30) as notes:
        found = notes.search("oolong")

    assert found[0].path == "Tea.md"
    assert found.freshness.is_complete


def test_an_answer_that_was_not_waited_for_says_so_or_is_complete(home, vault):
    with quarry.open(vault, wait_s=0) as notes:
        found = notes.search("oolong")

    assert found.freshness.is_complete is bool(found)


def test_none_is_started_where_none_may_be(home, vault):
    with pytest.raises(errors.ConnectionFailed, match="no sidecar is running"):
        quarry.open(vault, start=False)


def test_a_folder_that_is_not_there_is_refused_at_once(tmp_path):
    with pytest.raises(errors.VaultMissing):
        quarry.open(tmp_path / "nowhere")
    with pytest.raises(errors.VaultMissing):
        quarry.open_async(tmp_path / "nowhere")


def test_a_closed_vault_says_how_to_open_it_again(at_shared):
    notes = quarry.open(at_shared.vault)
    notes.close()
    notes.close()

    with pytest.raises(errors.ConnectionFailed, match=r"quarry\.open"):
        notes.status()
