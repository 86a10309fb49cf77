"""`quarry status`."""

import json
import os
import sys

import pytest

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and pipes")


def test_the_status_says_where_what_and_how_much(at_shared, command, talk):
    done = command("status")

    assert done.code == 0
    assert str(at_shared.vault) in done.out
    assert "live: 80 notes" in done.out
    assert "ready" in done.out
    assert f"{talk.result('index/status')['excluded']} notes are excluded by rules" in done.out


def test_the_status_as_json_is_that_of_the_wire_and_the_vaults_around_and_within(at_shared, command, talk):
    done = command("status", "--json")

    status = talk.result("index/status")
    assert json.loads(done.out)["notes"] == status["notes"]
    assert json.loads(done.out).keys() == status.keys() | {"outerVault", "innerVaults"}


@POSIX_ONLY
def test_problems_are_told_one_by_one(command, vault, tmp_path):
    (tmp_path / "outside.md").write_text("outside")
    (vault / "Link.md").symlink_to(tmp_path / "outside.md")
    os.mkfifo(vault / "Pipe.md")
    command("index", str(vault))

    done = command("status", "--vault", str(vault))

    assert done.code == 0
    assert "quarry: Link.md: " in done.err
    assert "quarry: Pipe.md: " in done.err
