import pytest

from quarry.bench.command_cost import CommandRun, cost_of, run_command
from quarry.bench.measurement import PartFailed


def test_a_command_is_run_as_from_a_shell_and_measured():
    run = run_command(["--version"])

    assert run.output.startswith(b"quarry ")
    assert run.cpu_ms > 0
    assert run.wall_ms > 0


def test_a_command_that_fails_is_no_figure(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))

    with pytest.raises(PartFailed, match="quarry search ended with code"):
        run_command(["search", "--vault", str(tmp_path / "nowhere"), "tea"])


def test_what_is_given_reaches_its_input_and_its_environment(tmp_path):
    run = run_command(["hook", "claude-code"], b"no event", {"QUARRY_HOME": str(tmp_path / "home")})

    assert run.output == b""
    assert list((tmp_path / "home").rglob("*")) != []  # its log


def test_runs_are_summed_up_by_percentiles():
    cost = cost_of([CommandRun(wall_ms=float(ms), cpu_ms=ms / 2, output=b"") for ms in (10, 30, 20)])

    assert (cost.runs, cost.wall_ms["p50"], cost.cpu_ms["p99"]) == (3, 20.0, 15.0)
