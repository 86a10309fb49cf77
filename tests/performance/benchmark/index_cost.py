"""
What does it cost to build an index, to find that nothing changed, and to index a saved note?

Each function runs in a process of its own (`measurement.run_in_subprocess`); arguments and results are plain values.
"""

import gc
import threading
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import apsw

from benchmark.corpora import find_notes, restored
from benchmark.measurement import named_percentiles, size_mb
from quarry.analysis.analysis import analyse
from quarry.documents.note import ParserSettings, read_note
from quarry.embedding import load_encoder
from quarry.engine import Engine
from quarry.errors import IndexUnavailable
from quarry.evaluation.runner import indexed
from quarry.index import Index, NoteFilter, discard, prepare, quantize
from quarry.indexing.preparation import NoteFile, read_one
from quarry.indexing.status import Updated
from quarry.indexing.vector_model import embedded_text
from quarry.options import SearchOptions
from quarry.types import VaultChange

PAUSE_S = 0.5  # after the first save; the engine prepares for more within the first quarter of a second without one
POLL_EVERY_S = 0.001  # below what is measured, and hardly any work
SAVE_TIMEOUT_S = 60.0
SETTLE_TIMEOUT_S = 600.0  # where the index does not equal the vault after all
STAGE_NOTES = 1_000  # the sample that stages are measured on
MOST_NOTES = 1_000_000
GROUP = 64  # notes that are embedded and stored together, as the indexer does
SAVE_PERCENTILES = (50, 99)
TABLES_SHOWN = 20  # the largest; the rest are pages of schema


def index_whole(vault: Path, index_path: Path) -> dict[str, int]:
    """Build the index of *vault* anew, until the engine is idle; its `files` and `chunks`."""
    discard_index(index_path)
    return bring_up_to_date(vault, index_path)


def bring_up_to_date(vault: Path, index_path: Path) -> dict[str, int]:
    """Bring the index up to date with *vault*; its `files` and `chunks`."""
    with indexed(vault, index_path) as engine:
        status = engine.status()
        return {"files": status.notes, "chunks": status.chunks}


def discard_index(index_path: Path) -> None:
    """Delete the index and the files beside it."""
    discard(index_path)
    for file in files_of(index_path):
        file.unlink(missing_ok=True)


def open_unchanged_ms(vault: Path, index_path: Path) -> float:
    """
    Wall time from opening an index that equals *vault* until the engine reports so.

    Raises:
        IndexUnavailable: It never does.
    """
    told_s: list[float] = []
    settled = threading.Event()

    def listen(_: Updated | None) -> None:
        now_s = time.perf_counter()
        if engine.status().indexed_ms is not None:
            told_s.append(now_s)
            settled.set()

    gc.freeze()  # as a sidecar does after its imports
    begun_s = time.perf_counter()
    engine = Engine.open(vault, index_path)
    try:
        engine.listen(listen)
        if engine.status().indexed_ms is not None:  # a vault of a few notes, before the listener was added
            listen(None)
        if not settled.wait(SETTLE_TIMEOUT_S):
            wait_until_idle(engine)
            raise IndexUnavailable(f"the engine never told that {vault} is indexed")
        wait_until_idle(engine)
        return (told_s[0] - begun_s) * 1000
    finally:
        engine.close()


def save_notes(vault: Path, index_path: Path, count: int) -> dict[str, Any]:
    """
    Append a line to *count* notes of *vault*, one after another, and wait until each can be found by it.

    A save is measured from notifying the engine, which the plugin does after its debounce, to the engine's report of
    the commit. The note is then searched for by its new word, which proves the report; a note that ends inside a fence
    or a comment is not found and does not count. In the end every note is as it was.

    One save before these is reported separately as `first_ms`: it follows the start at once, which no person's does.
    What the engine prepares when it is first idle is ready for the others.

    Raises:
        IndexUnavailable: Half of the saved notes could not be found.
    """
    gc.freeze()  # as a sidecar does after its imports
    engine = Engine.open(vault, index_path)
    committed = threading.Event()
    waited_for = ""
    told_s = 0.0

    def listen(updated: Updated | None) -> None:
        nonlocal told_s
        if updated and waited_for in updated.indexed:
            told_s = time.perf_counter()
            committed.set()

    def save(path: str, file: Path) -> tuple[float, float] | None:
        """Wall and CPU milliseconds of one save; None where the note is not found."""
        nonlocal waited_for
        waited_for, word = path, f"benchmarkword{time.time_ns()}"
        with file.open("a", encoding="utf-8") as note:
            note.write(f"\n\n# Added\n\nA line was added: {word}.\n")  # not under "See also", which is skipped
        committed.clear()
        begun_s, cpu_begun_s = time.perf_counter(), time.process_time()
        engine.vault_changed([VaultChange("modified", path)])
        if not committed.wait(SAVE_TIMEOUT_S):
            raise IndexUnavailable(f"the engine reported no change of {path} within {SAVE_TIMEOUT_S:.0f} s")
        cpu_s = time.process_time() - cpu_begun_s
        hits = engine.search(SearchOptions(query=word, mode="keyword", limit=1)).hits
        while engine.is_working:  # a person takes longer than this until the next save
            time.sleep(POLL_EVERY_S)
        return ((told_s - begun_s) * 1000, cpu_s * 1000) if any(hit.path == path for hit in hits) else None

    try:
        wait_until_idle(engine)
        engine.listen(listen)
        listed = engine.list_notes(NoteFilter(), MOST_NOTES, 0).notes  # rules leave some out
        every = sorted(note.path for note in listed)
        chosen = [every[number * len(every) // count] for number in range(count)]
        with restored(vault) as remember:
            first = save(every[0], remember(every[0]))
            time.sleep(PAUSE_S)
            found = [taken for path in chosen if (taken := save(path, remember(path)))]
        if len(found) <= count // 2:
            raise IndexUnavailable(f"{count - len(found)} of {count} notes reported as saved cannot be found")
        wall, cpu = (list(taken) for taken in zip(*found, strict=True))
        measured = {"saves": count, "not_found": count - len(found), "first_ms": round(first[0], 3) if first else None}
        return {**named_percentiles({"wall": wall, "cpu": cpu}, SAVE_PERCENTILES), **measured}
    finally:
        engine.reconcile()
        wait_until_idle(engine)
        engine.close()


def stages(vault: Path, index_path: Path) -> dict[str, Any]:
    """
    CPU seconds of each stage on a sample of notes, one stage after another in one process. `write` contains `terms`
    once more. The index at *index_path* is deleted in the end.
    """
    discard_index(index_path)
    every = find_notes(vault)
    paths = every[:: max(1, len(every) // STAGE_NOTES)][:STAGE_NOTES]
    taken: dict[str, float] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        begun_s = time.process_time()
        result = work()
        taken[name] = round(time.process_time() - begun_s, 4)
        return result

    encoder = stage("load_model", load_encoder)
    files = stage("read", lambda: [file for path in paths if isinstance(file := read_one(vault, path), NoteFile)])
    rules = ParserSettings()
    notes = stage("scrub_and_chunk", lambda: [read_note(file.path, file.data, rules) for file in files])
    texts = [[embedded_text(chunk) for chunk in note.chunks] for note in notes]
    stage("terms", lambda: [analyse(chunk.text) for note in notes for chunk in note.chunks])

    def embed() -> list[bytes]:
        groups = [list(chain.from_iterable(texts[at : at + GROUP])) for at in range(0, len(texts), GROUP)]
        return [vector for group in groups if group for vector in quantize(encoder.encode(group))]

    vectors: Sequence[bytes] = stage("embed", embed)
    index = Index.open(index_path)
    try:

        def write() -> None:
            at = 0
            for start in range(0, len(notes), GROUP):
                with index.batch():
                    for note, file in zip(notes[start : start + GROUP], files[start : start + GROUP], strict=True):
                        rows = vectors[at : at + len(note.chunks)]
                        at += len(note.chunks)
                        index.upsert(prepare(note, file.stamp, rows, rows[0] if rows else None))
            index.checkpoint()

        stage("write", write)
    finally:
        index.close()
        discard_index(index_path)
    return {"sample_files": len(files), "sample_chunks": sum(map(len, texts)), "cpu_s": taken}


def wait_until_idle(engine: Engine) -> None:
    """
    Return when the engine has nothing left to index.

    Raises:
        IndexUnavailable: Indexing failed.
    """
    while engine.is_working:
        time.sleep(POLL_EVERY_S * 10)
    status = engine.status()
    if status.state == "failed":
        raise IndexUnavailable(f"{engine.root} cannot be indexed: {status.message}")


# --- on disk -----------------------------------------------------------------------------------


def files_of(index_path: Path) -> list[Path]:
    """The database and the files beside it whose names begin with its own."""
    stem = index_path.name.removesuffix(index_path.suffix)
    found = (file for beside in index_path.parent.glob(f"{stem}*") for file in (beside, *beside.rglob("*")))
    return sorted({file for file in found if file.is_file()})


def size_of(index_path: Path) -> float:
    """The size of the index with all its files, in MB."""
    return size_mb(files_of(index_path))


def side_files_mb(index_path: Path) -> dict[str, float]:
    """The size of each file but the database, in MB."""
    return {file.name: size_mb([file]) for file in files_of(index_path) if file != index_path}


def tables_mb(index_path: Path) -> dict[str, float]:
    """The largest tables and indexes of the database, in MB."""
    connection = apsw.Connection(str(index_path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC, 1 LIMIT ?"
        return {name: round(size / 1e6, 3) for name, size in connection.execute(sql, (TABLES_SHOWN,))}
    finally:
        connection.close()
