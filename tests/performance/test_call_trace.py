import json
from pathlib import Path

from call_trace import Tracer, as_text, trace_vault


def test_a_query_and_a_save_are_traced_through_the_engine(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Reeds.md").write_text("# Reeds\n\nTuning the reeds of a bandoneon.\n", "utf-8")

    traces, _ = trace_vault(vault, tmp_path / "index.db", ["tuning reeds"])

    first, again, save = traces
    assert [one.what for one in traces] == [
        "query, first: tuning reeds",
        "query, again: tuning reeds",
        "save: Reeds.md",
    ]
    assert first.deepest[0].startswith("engine.py")
    assert "engine" in again.calls_by_folder
    assert "quarry-index" in save.threads
    assert all(0 < one.files <= one.functions <= one.quarry_calls <= one.python_calls for one in traces)
    assert all(one.depth == len(one.deepest) for one in traces)


def test_what_is_called_while_nothing_is_recorded_does_not_count() -> None:
    tracer = Tracer()
    tracer.install()
    try:
        json.dumps({})
        tracer.start()
        trace = tracer.stop("nothing")
        json.dumps({})
    finally:
        tracer.uninstall()

    assert (trace.files, trace.python_calls, trace.depth) == (0, 0, 0)


def test_a_table_has_a_row_a_trace_and_every_chain(tmp_path: Path) -> None:
    tracer = Tracer()
    tracer.start()
    trace = tracer.stop("query: x")

    text = as_text([trace], ["80 notes"])

    assert "| query: x | 0 | 0 | 0 | 0 | 0 |" in text
    assert "80 notes" in text
