"""`npm run bench`: every part over the real engine and the real socket, on a few notes."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import bench
import pytest
from benchmark import report
from benchmark.corpora import create_corpus, find_notes, questions, sentences_of
from benchmark.measurement import PartFailed, percentiles, run_in_subprocess
from benchmark.results import empty
from benchmark.runner import size_of_name

from quarry.errors import BadRequest

SPREAD = {"p50", "p95", "p99"}
HELD_BYTES = 200_000_000


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))


def measured(vault, tmp_path, *arguments):
    written = tmp_path / "out.json"
    assert bench.main([str(vault), "--json", str(written), "--work", str(tmp_path / "work"), *arguments]) == 0
    return json.loads(written.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.timeout(600)  # some thirty processes, one after the other
def test_every_part_is_measured_and_the_vault_is_only_read(topics_vault, tmp_path, capsys):
    before = {path: (path.stat().st_mtime_ns, path.is_dir() or path.read_bytes()) for path in topics_vault.rglob("*")}

    document = measured(topics_vault, tmp_path, "--sizes", "9", "--questions", "2", "--repeats", "1")

    for side in (document, document["baseline"]):
        assert side["index"].keys() >= {"files", "chunks", "cpu_s", "wall_s", "peak_rss_mb", "disk_mb", "stages"}
        assert side["index"]["files"] == 8
        row = side["query"]["9"]
        assert all(row[name].keys() == SPREAD for name in ("legs_cpu_ms", "engine_cpu_ms", "prefix_cpu_ms"))
        assert side["save_ms"].keys() >= {"p50", "p99"}
        assert side["start_ms"].keys() == {"keyword", "hybrid"}
        assert side["while_indexing_ms"].keys() >= {"p50", "p99"}
        assert side["unchanged_ms"] > 0
    row = document["query"]["9"]
    assert row["socket_wall_ms"].keys() == SPREAD
    assert row["clients"].keys() == {"1", "4", "16"}
    assert row["python_calls"]["mean"] > 100
    assert row["refused"] == 0
    assert document["save_ms"]["not_found"] == 0
    assert document["index"]["stages"]["cpu_s"].keys() >= {"read", "scrub_and_chunk", "embed", "write"}
    assert document["door"]["hook"]["warm"]["cost"]["runs"] == document["door"]["search"]["runs"] == 2
    assert document["door"]["capture"]["runs"] == 2
    assert 500 < document["door"]["mcp"]["tools_list_tokens"] < 1600
    assert document["peers"].keys() == {"tantivy", "ripgrep"}
    assert list((tmp_path / "work").rglob("quarry-bench/*.md")) == []
    after = {path: (path.stat().st_mtime_ns, path.is_dir() or path.read_bytes()) for path in topics_vault.rglob("*")}
    assert after == before
    assert "| full index, CPU s " in capsys.readouterr().out


@pytest.mark.slow
def test_a_part_alone_leaves_the_others_unmeasured_and_is_compared_with_itself(topics_vault, tmp_path, capsys):
    document = measured(topics_vault, tmp_path, "--only", "save", "--no-baseline")
    written = str(tmp_path / "out.json")
    capsys.readouterr()

    assert document["index"]["cpu_s"] is None
    assert bench.main(["--compare", written, written]) == 0
    assert "save_ms.p50" in (shown := capsys.readouterr().out)
    assert "1.00 |" in shown


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
        (("nowhere",), "no folder"),
    ],
)
def test_what_cannot_be_measured_says_why(topics_vault, capsys, arguments, reason):
    assert bench.main([argument.replace("{vault}", str(topics_vault)) for argument in arguments]) == 1
    assert reason in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process there cannot handle being terminated")
def test_a_terminated_benchmark_leaves_nothing_behind(topics_vault, tmp_path):
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, bench.__file__, str(topics_vault), "--only", "index", "--no-baseline"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
    try:
        while b"indexing" not in process.stderr.readline():
            assert process.poll() is None
        process.terminate()
        process.communicate(timeout=60)

        assert process.returncode != 0
        assert not list((tmp_path / "temporary").iterdir())
    finally:
        process.kill()


# --- measuring -----------------------------------------------------------------------------------


def test_percentiles_are_by_nearest_rank():
    assert percentiles([float(n) for n in range(100, 0, -1)]) == {"p50": 50.0, "p95": 95.0, "p99": 99.0}
    assert percentiles([3.0, 1.0]) == {"p50": 1.0, "p95": 3.0, "p99": 3.0}
    with pytest.raises(ValueError, match="empty"):
        percentiles([])


@pytest.mark.slow
def test_a_process_of_its_own_is_charged_its_own_cpu_and_memory():
    spent = run_in_subprocess(time.process_time)

    assert spent.cpu_s >= spent.result > 0
    assert run_in_subprocess(bytes, HELD_BYTES).peak_rss_mb >= HELD_BYTES / 1e6 > spent.peak_rss_mb


def test_a_failure_in_a_process_of_its_own_is_raised_here():
    with pytest.raises(BadRequest, match="not a number of chunks"):
        run_in_subprocess(size_of_name, "many")
    with pytest.raises(PartFailed, match="_exit ended with code 3"):
        run_in_subprocess(os._exit, 3)


def test_figures_are_shown_with_their_goals_and_ratios():
    document = empty(("50k",))
    document["index"]["cpu_s"], document["baseline"]["index"]["cpu_s"] = 8.0, 48.0
    document["query"]["50k"] |= {"socket_wall_ms": {"p50": 11.5}, "engine_wall_ms": {"p50": 10.0}}

    table = report.overview(document)

    rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in table.splitlines()}
    assert rows["full index, CPU s"] == [">= 3x", "8.00", "48.0", "6.0x"]
    assert rows["50k: over the socket beyond the engine, wall ms p50"][1] == "1.50"
    assert "save to searchable" not in table


# --- corpora -------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {path: (folder / path).read_bytes() for path in find_notes(folder)}


def test_a_vault_grows_by_notes_mixed_from_its_own_sentences(topics_vault, tmp_path):
    one, other = (create_corpus(topics_vault, tmp_path / name, notes=20) for name in ("one", "other"))

    grown = contents(one.vault)
    assert grown == contents(other.vault)
    assert (len(grown), one.own_notes) == (20, 8)
    own = {sentence for data in contents(topics_vault).values() for sentence in sentences_of(data.decode())}
    mixed = [data.decode() for path, data in grown.items() if path.startswith("mixed/")]
    assert {sentence for text in mixed for sentence in sentences_of(text)} <= own


def test_a_copy_is_reused_until_the_vault_changes(topics_vault, tmp_path):
    first = create_corpus(topics_vault, tmp_path / "work")
    again = create_corpus(topics_vault, tmp_path / "work")
    (topics_vault / "new.md").write_text("A new note came.", "utf-8")
    changed = create_corpus(topics_vault, tmp_path / "work")

    assert again == first
    assert changed.vault != first.vault
    assert changed.notes == 9


def test_questions_are_ten_words_of_notes_and_the_same_every_time(topics_vault):
    asked = questions(topics_vault, 8)

    assert asked == questions(topics_vault, 8)
    assert all(len(text.split()) <= 10 for text in asked)
    assert len(set(asked)) == 8
