"""Settings and rules in use follow their files; where a file is broken, what held before holds."""

import pytest
from builders import Vault

from quarry.errors import BadSettings
from quarry.indexing import policy as policy_module
from quarry.indexing.policy import Policy


def test_an_untouched_vault_has_the_defaults_and_no_news(vault: Vault):
    policy = Policy(vault.root)

    assert policy.rules.admits("a.md")
    assert policy.problems == ()
    assert not policy.refresh()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".quarry.toml", '[folders]\nexclude = ["x"]\n'),
        (".indexignore", "x/\n"),
        (".obsidian/app.json", '{"userIgnoreFilters": ["x/"]}'),
    ],
)
def test_a_new_changed_or_deleted_file_is_news(vault: Vault, file: str, text: str):
    policy = Policy(vault.root)

    written = vault.write(file, text)
    assert policy.refresh()
    assert not policy.rules.admits("x/a.md")

    written.unlink()
    assert policy.refresh()
    assert policy.rules.admits("x/a.md")


def test_a_broken_file_leaves_what_held_before(vault: Vault):
    vault.write(".quarry.toml", '[folders]\nexclude = ["x"]\n')
    policy = Policy(vault.root)

    vault.write(".quarry.toml", "[folders")
    assert policy.refresh()

    assert not policy.rules.admits("x/a.md")
    assert "before hold" in policy.problems[0]


def test_a_file_broken_from_the_start_gives_no_rules_at_all(vault: Vault):
    vault.write(".quarry.toml", "[folders")
    policy = Policy(vault.root)

    with pytest.raises(BadSettings, match="nothing new is indexed"):
        _ = policy.rules

    vault.write(".quarry.toml", "")
    assert policy.refresh()
    assert policy.rules.admits("a.md")


def test_a_defect_in_reading_the_rules_is_told_and_what_held_before_holds(vault: Vault, monkeypatch):
    vault.write(".indexignore", "private/")
    policy = Policy(vault.root)
    monkeypatch.setattr(policy_module, "load_settings", lambda _: 1 // 0)
    vault.write(".quarry.toml", "# touched")

    assert policy.refresh()

    assert not policy.rules.admits("private/a.md")
    assert "ZeroDivisionError" in policy.problems[0]
    assert "before hold" in policy.problems[0]
