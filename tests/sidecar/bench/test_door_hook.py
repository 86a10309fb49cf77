"""The cost of a hook, measured on a small vault; how high it is is the machine's."""

import pytest

from quarry.bench.door_hook import measure_cold, measure_hook, run_hook
from quarry.bench.measurement import PartFailed

NOTES = {"Tea.md": "# Tea\n\nSteep the oolong for three minutes.\n", "Bread.md": "# Bread\n\nFold the sourdough.\n"}


@pytest.fixture
def vault(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    (tmp_path / "vault").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "vault" / name).write_text(text, encoding="utf-8")
    return tmp_path / "vault"


@pytest.mark.slow
def test_warm_and_cold_runs_are_measured(vault):
    cost = measure_hook(vault, ["oolong minutes", "fold sourdough", "zzqqxx"])

    assert (cost["warm"].cost.runs, cost["warm"].answered) == (3, 2)
    assert (cost["cold"].cost.runs, cost["cold"].answered) == (5, 0)
    assert all(0 < one.cost.cpu_ms["p50"] <= one.cost.cpu_ms["p99"] for one in cost.values())
    assert all(0 < one.cost.wall_ms["p50"] <= one.cost.wall_ms["p99"] for one in cost.values())


def test_a_run_gives_what_was_said(vault):
    assert run_hook(vault, "please continue", "s").output == b""


def test_without_a_home_of_its_own_no_sidecar_is_ended(vault, monkeypatch):
    monkeypatch.delenv("QUARRY_HOME")
    with pytest.raises(PartFailed, match="QUARRY_HOME is not set"):
        measure_cold(vault, "oolong")
