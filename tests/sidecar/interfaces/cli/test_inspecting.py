"""`quarry status` and `quarry doctor`."""

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
    assert f"{talk.result('index/status')['excluded']} notes are left out by rules" in done.out


def test_the_status_as_json_is_that_of_the_wire(at_shared, command, talk):
    done = command("status", "--json")

    status = talk.result("index/status")
    assert json.loads(done.out)["notes"] == status["notes"]
    assert json.loads(done.out).keys() == status.keys()


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


def test_the_doctor_ends_with_0_where_all_is_well(at_shared, command):
    done = command("doctor")

    assert done.code == 0
    assert "FAIL" not in done.out
    assert done.out.startswith("ok    quarry: ")


def test_the_doctor_ends_with_1_where_something_is_wrong(command, vault):
    (vault / ".quarry.toml").write_text("[search\n")

    done = command("doctor", "--vault", str(vault))

    assert done.code == 1
    assert "FAIL  settings: " in done.out


def test_the_doctor_needs_no_vault(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = command("doctor")

    assert done.code == 0
    assert "everything but a vault" in done.err


def test_the_findings_as_json(command, vault):
    done = command("doctor", "--json", "--vault", str(vault))

    findings = json.loads(done.out)["findings"]
    assert {"subject", "verdict", "detail"} == set(findings[0])
    assert {finding["verdict"] for finding in findings} <= {"good", "note", "bad"}
