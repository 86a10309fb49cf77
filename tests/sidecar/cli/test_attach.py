"""`quarry attach`: a sidecar runs afterwards, and whoever asked knows where."""

import json
from pathlib import Path

import pytest


def test_it_prints_where_the_file_of_a_running_sidecar_lies(at_shared, command):
    done = command("attach")

    assert done.code == 0
    assert done.out == f"{at_shared.discovery_file}\n"


def test_as_json_it_prints_the_content_too_and_not_the_owners_token(at_shared, command):
    said = json.loads(command("attach", "--json").out)

    assert said["discovery"] == str(at_shared.discovery_file)
    assert said["started"] is False
    assert said["content"] == json.loads(at_shared.discovery_file.read_text(encoding="utf-8"))
    assert at_shared.owner_token not in json.dumps(said)


@pytest.mark.slow
def test_it_starts_one_where_none_runs_and_leaves_it_running(command, vault, home, found):
    said = json.loads(command("attach", "--vault", str(vault), "--json").out)

    assert said["started"] is True
    assert Path(said["discovery"]).is_file()
    assert found(home, vault).pid == said["content"]["pid"]
    assert json.loads(command("attach", "--vault", str(vault), "--json").out)["started"] is False
