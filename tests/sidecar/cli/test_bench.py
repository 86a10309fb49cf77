"""`quarry bench`: every part over the real engine and the real socket, on a few notes."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # each test starts several processes

SPREAD = {"p50", "p95", "p99"}
INDEX = {"files", "chunks", "cpu_s", "wall_s", "peak_rss_mb", "disk_mb", "stages"}
QUERY = {"legs_cpu_ms", "engine_cpu_ms", "socket_wall_ms", "prefix_cpu_ms", "rss_mb"}
TOP = {"index", "query", "save_ms", "start_ms", "unchanged_ms", "while_indexing_ms", "baseline"}
TOPICS = ("kettle", "bicycle", "sourdough", "garden", "violin")


@pytest.fixture
def vault(tmp_path, tools):
    sentence = "Whoever keeps a {0} should look after the {0} every week of the year."
    return tools.write_vault(tmp_path / "vault", {f"{t}.md": f"# The {t}\n\n{sentence.format(t)}\n" for t in TOPICS})


def result(command, vault, tmp_path, *arguments):
    done = command(
        "bench", str(vault), "--json", str(tmp_path / "out.json"), "--work", str(tmp_path / "work"), *arguments
    )
    assert done.code == 0, done.err
    return done, json.loads((tmp_path / "out.json").read_text("utf-8"))


@pytest.mark.timeout(600)  # some thirty processes, one after the other
def test_every_part_is_measured_and_written(command, vault, tmp_path):
    few = ("--sizes", "9", "--questions", "4", "--repeats", "1")

    done, document = result(command, vault, tmp_path, *few)

    assert document.keys() >= TOP
    for side in (document, document["baseline"]):
        assert side["index"].keys() >= INDEX
        assert side["index"]["files"] == len(TOPICS)
        row = side["query"]["9"]
        assert row.keys() >= QUERY
        assert all(row[name].keys() == SPREAD for name in ("legs_cpu_ms", "engine_cpu_ms", "prefix_cpu_ms"))
        assert side["save_ms"].keys() >= {"p50", "p99"}
        assert side["start_ms"].keys() == {"keyword", "hybrid"}
        assert side["while_indexing_ms"].keys() >= {"p50", "p99"}
        assert side["unchanged_ms"] > 0
    assert document["query"]["9"]["socket_wall_ms"].keys() == SPREAD
    assert document["query"]["9"]["clients"].keys() == {"1", "4", "16"}
    assert document["index"]["stages"]["cpu_s"].keys() >= {"read", "scrub_and_chunk", "embed", "write"}
    assert document["peers"].keys() == {"tantivy", "ripgrep"}
    assert "| full index, CPU s " in done.out


def test_two_results_are_shown_as_ratios(command, vault, tmp_path):
    result(command, vault, tmp_path, "--only", "save", "--no-baseline")

    done = command("bench", "--compare", str(tmp_path / "out.json"), str(tmp_path / "out.json"))

    assert done.code == 0
    assert "save_ms.p50" in done.out
    assert "1.00 |" in done.out


def test_json_may_go_to_standard_output_alone(command, vault, tmp_path):
    done = command("bench", str(vault), "--only", "unchanged", "--no-baseline", "--repeats", "1", "--json", "-")

    assert json.loads(done.out)["unchanged_ms"] > 0


def test_nothing_is_left_behind_without_a_folder_to_keep_it_in(command, vault, home, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(tmp_path.iterdir())

    assert command("bench", str(vault), "--only", "unchanged", "--no-baseline", "--repeats", "1").code == 0

    assert set(tmp_path.iterdir()) == before
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "name the vault"),
        (("{vault}", "--sizes", "many"), "not a number of chunks"),
        (("{vault}", "--only", "magic"), "there is no part 'magic'"),
        (("{vault}", "--notes", "0"), "--notes must be at least 1"),
        (("{vault}", "--queries", "nowhere.jsonl"), "nowhere.jsonl"),
        (("{vault}", "--compare", "a", "b"), "no vault"),
        (("--compare", "a", "b"), "cannot be read as a result"),
    ],
)
def test_what_cannot_be_measured_ends_with_2_and_says_why(command, vault, arguments, reason):
    done = command("bench", *(argument.replace("{vault}", str(vault)) for argument in arguments))

    assert done.code == 2
    assert reason in done.err


def test_a_vault_that_is_not_there_is_told_of(command, tmp_path):
    assert command("bench", str(tmp_path / "nowhere")).code == 4


@pytest.mark.skipif(sys.platform == "win32", reason="there, what is told to end does not hear of it")
def test_a_benchmark_that_is_told_to_end_leaves_nothing_behind(vault, tmp_path):
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, "-P", "-m", "quarry", "bench", str(vault), "--only", "index", "--no-baseline"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    )
    try:
        while b"indexing" not in process.stderr.readline():
            assert process.poll() is None
        assert list((tmp_path / "temporary").iterdir())

        process.terminate()

        assert process.wait(60) == 130
        assert not list((tmp_path / "temporary").iterdir())
    finally:
        process.kill()
        process.stderr.close()
