"""The doctor finds what is wrong, says what to do, changes nothing and starts nothing."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from quarry.agents.install.clients import Host
from quarry.cli import doctor
from quarry.cli.doctor import _clients, examine
from quarry.errors import ModelMissing

MINILM_LAYER = Path(__file__).parents[2] / "models" / "minilm-1-layer"


def by_subject(findings):
    return {finding.subject: finding for finding in findings}


def test_where_all_is_well_it_says_so(at_shared):
    findings = by_subject(examine(at_shared.vault))

    assert [subject for subject, finding in findings.items() if finding.verdict == "bad"] == []
    assert "live" in findings["sidecar"].detail
    assert findings["model"].verdict == "good"
    assert findings["MCP"].verdict == "good"


def test_it_starts_no_sidecar_and_leaves_the_vault_alone(vault, home):
    before = sorted(vault.rglob("*"))

    findings = by_subject(examine(vault))

    assert findings["sidecar"].verdict == "note"
    assert "quarry serve" in findings["sidecar"].detail
    assert not list((home / "run").glob("*.json"))
    assert sorted(vault.rglob("*")) == before


def test_a_model_that_is_not_there_is_bad_and_says_what_to_do(vault, tmp_path):
    (vault / ".quarry.toml").write_text(f'[embedding]\nmodel = "{(tmp_path / "none").as_posix()}"\n')

    findings = by_subject(examine(vault))

    assert findings["model"].verdict == "bad"
    assert "none" in findings["model"].detail


def test_a_contextual_model_is_tried_beside_the_static_one(vault):
    (vault / ".quarry.toml").write_text(f'[embedding]\nmodel = "{MINILM_LAYER.as_posix()}"\n')

    findings = by_subject(examine(vault))

    assert findings["model"].detail.startswith("bundled")
    assert findings["contextual model"].verdict == "good"
    assert findings["contextual model"].detail.startswith("minilm-1-layer, 384 dimensions, 1540 tokens; here it takes")


def test_a_contextual_model_that_cannot_be_run_is_bad_and_the_static_one_good(vault, tmp_path):
    broken = shutil.copytree(MINILM_LAYER, tmp_path / "broken")
    (broken / "modules.json").unlink()
    (vault / ".quarry.toml").write_text(f'[embedding]\nmodel = "{broken.as_posix()}"\n')

    findings = by_subject(examine(vault))

    assert findings["model"].verdict == "good"
    assert findings["contextual model"].verdict == "bad"
    assert "modules.json" in findings["contextual model"].detail


@pytest.mark.parametrize("error", [ModelMissing("no weights"), ValueError("odd"), ImportError("no such library")])
def test_whatever_a_check_runs_into_is_a_finding(monkeypatch, vault, error):
    def fail(name):
        raise error

    monkeypatch.setattr(doctor, "load_encoder", fail)

    findings = by_subject(examine(vault))

    assert findings["model"].verdict == "bad"
    assert str(error) in findings["model"].detail


def test_folders_that_cannot_be_ours_are_findings(vault, home, tmp_path):
    home.mkdir()
    for name in ("run", "log"):
        (home / name).symlink_to(tmp_path)

    findings = by_subject(examine(vault))

    assert findings["runtime folder"].verdict == "bad"
    assert findings["log"].verdict == "bad"
    assert "link" in findings["log"].detail


def test_the_doctor_ends_with_1_where_something_is_wrong(command, vault):
    (vault / ".quarry.toml").write_text("[search\n")

    done = command("doctor", "--vault", str(vault))

    assert done.code == 1
    assert "FAIL  settings: " in done.out
    assert "ok    model: " in done.out


def test_the_doctor_needs_no_vault(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = command("doctor")

    assert done.code == 0
    assert "checking the installation only" in done.err
    assert done.out.startswith("ok    quarry: ")
    assert "ok    model: " in done.out
    assert "2024-11-05 to 2026-07-28" in done.out
    assert "sidecar: " not in done.out


def test_the_findings_as_json(command, vault):
    done = command("doctor", "--json", "--vault", str(vault))

    findings = json.loads(done.out)["findings"]
    assert {"subject", "verdict", "detail"} == set(findings[0])
    assert {finding["verdict"] for finding in findings} <= {"good", "note", "bad"}


def told(home, command, vault):
    """Cursor's configuration with a server of ours that *command* starts."""
    (home / ".cursor").mkdir(parents=True)
    entry = {"command": command, "args": ["mcp", "--vault", str(vault)]}
    (home / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": {"notes": entry}}))
    return Host("linux", home, home, {})


def test_the_server_that_a_client_would_start_is_started(vault, tmp_path):
    quarry = Path(sys.executable).with_name("quarry")

    [finding] = _clients(told(tmp_path / "user", str(quarry), vault))

    assert finding.subject == "cursor"
    assert finding.verdict == "good"
    assert "tools" in finding.detail


def test_a_program_that_is_gone_is_bad_and_says_what_to_do(vault, tmp_path):
    [finding] = _clients(told(tmp_path / "user", str(tmp_path / "gone/quarry"), vault))

    assert finding.verdict == "bad"
    assert "run `quarry install cursor --scope user`" in finding.detail


def test_a_vault_that_is_gone_is_bad(tmp_path):
    [finding] = _clients(told(tmp_path / "user", "/opt/quarry", tmp_path / "gone"))

    assert finding.verdict == "bad"
    assert "the vault is not there" in finding.detail


def test_where_no_client_is_told_of_quarry_it_says_how(tmp_path):
    [finding] = _clients(Host("linux", tmp_path, tmp_path, {}))

    assert finding.verdict == "note"
    assert "quarry install --list" in finding.detail
