"""A plan is carried out whole, or stops before anything is lost."""

import json

import pytest
from filelock import FileLock

from quarry.agents.install import apply as module
from quarry.agents.install.apply import apply
from quarry.config import runtime_dir
from quarry.errors import BadConfiguration


def test_if_one_file_was_changed_none_is_written(filled):
    changes = filled.plan("claude-code", hooks=True)
    filled.hooks_file("claude-code").write_text("{}")
    before = filled.content()

    with pytest.raises(BadConfiguration, match="changed in the meantime"):
        apply(changes)

    assert filled.content() == before


def test_a_folder_that_is_still_used_goes_with_the_last_file_of_ours_in_it(desk):
    desk.install("cursor", scope="project", instructions=True)
    other = desk.project / ".cursor/rules/mine.mdc"
    other.write_text("mine")

    desk.remove("cursor", scope="project")

    assert set(desk.content()) == {str(other), str(other.parent), str(other.parent.parent)}


def test_another_install_at_work_is_waited_for_and_then_named(desk, monkeypatch):
    monkeypatch.setattr(module, "LOCK_TIMEOUT_S", 0.01)

    with FileLock(runtime_dir() / "install.lock"), pytest.raises(BadConfiguration, match="another `quarry install`"):
        desk.install("cursor")

    assert not desk.configuration("cursor").exists()


def test_nothing_of_the_files_is_kept_in_the_record(filled, home):
    filled.configuration("cursor").write_text(json.dumps({"mcpServers": {"x": {"env": {"TOKEN": "hush-hush"}}}}))

    filled.install("cursor")

    assert "hush-hush" not in (home / "data" / "installed.json").read_text()
