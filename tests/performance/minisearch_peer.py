"""
What does the most installed search plugin find, and what does it cost, beside Quarry on the same notes?

    minisearch_peer.py quality DIR...      # collections in the layout of BEIR: nDCG@10, and queries that find nothing
    minisearch_peer.py cost VAULT          # indexing, queries, and queries while they are typed

It is our rebuild of a published ranking on the library that the plugin uses, MiniSearch (`minisearch_peer.mjs`), not
the plugin. It gets the fields of a note as Obsidian would hand them over, so that reading notes costs it nothing; its
index is in memory and made anew at each start, as no file is faster to read. It needs Node.js and `npm ci`.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from benchmark.corpora import find_notes, questions
from benchmark.index_cost import index_whole
from benchmark.measurement import memory_mb, percentiles, run_in_subprocess
from msgspec import Struct
from msgspec.structs import replace

from quarry.documents.decoding import decode_note
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.markdown import read_outline
from quarry.documents.note import ParserSettings, read_note
from quarry.errors import ExtraMissing
from quarry.evaluation.collections import find_collections, read_collection
from quarry.evaluation.corpus import Corpus, prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import MAIN, SYSTEMS, ask, indexed, means, measure
from quarry.options import SearchOptions
from quarry.vault.paths import nfc

PROGRAM = Path(__file__).with_suffix(".mjs")
LIMIT = 10
REQUEST = SearchOptions(query="", limit=LIMIT, detail="full", snippet_width=120)
HIT_DEPTH = 100  # of a run, for the measures
QUESTIONS = 200
TYPED_QUERIES = 10  # typed letter by letter
WARM_UP = 20
HEADING_LEVELS = 3  # those that the plugin searches as headings
RULES = ParserSettings()


class PeerFailed(RuntimeError):
    """Node.js ended without a result; its error output is the message."""


class PeerRun(Struct, frozen=True, rename="camel"):
    """The answers of the rebuilt ranking, and what they cost."""

    index_cpu_s: float
    heap_mb: float  # after indexing
    peak_rss_mb: float
    found: tuple[tuple[str, ...], ...]  # paths, best first, one tuple a query
    query_cpu_ms: tuple[float, ...]
    key_cpu_ms: tuple[float, ...]


def fields_of(vault: Path, path: str, name: str = "") -> Mapping[str, str]:
    """
    The fields of the note at *path* that the plugin searches.

    Args:
        name: Its name, where that is not the one of its file.
    """
    data = (vault / path).read_bytes()
    note, text = read_note(path, data, RULES), decode_note(data)
    headings = read_outline(text, read_front_matter(text).body_start).headings
    file = Path(path)
    return {
        "path": path,
        "name": name or file.stem,
        "aliases": " ".join(note.aliases),
        "folder": "" if file.parent == Path() else file.parent.as_posix(),
        "tags": " ".join(note.tags),
        "text": text,
        **{
            f"headings{level}": " ".join(heading.text for heading in headings if heading.level == level)
            for level in range(1, HEADING_LEVELS + 1)
        },
    }


def run_peer(notes: Iterator[Mapping[str, str]], queries: Sequence[str], keys: Sequence[str] = ()) -> PeerRun:
    """
    Have Node.js index *notes* and answer *queries*, and then *keys*, which are queries as they are typed.

    Raises:
        ExtraMissing: Node.js or MiniSearch is not installed.
        PeerFailed: It ended without a result.
    """
    node = shutil.which("node")
    if node is None or not (PROGRAM.parent.parent.parent / "node_modules/minisearch").is_dir():
        raise ExtraMissing("Node.js and MiniSearch are needed: install Node.js, and run `npm ci` in the checkout")
    with tempfile.TemporaryDirectory(prefix="quarry-peer-") as folder:
        notes_file, queries_file = Path(folder, "notes.jsonl"), Path(folder, "queries.json")
        with notes_file.open("w", encoding="utf-8", newline="\n") as lines:
            lines.writelines(json.dumps(note) + "\n" for note in notes)
        queries_file.write_text(json.dumps({"queries": list(queries), "keys": list(keys)}), "utf-8")
        command = [node, "--max-old-space-size=4096", str(PROGRAM), str(notes_file), str(queries_file)]
        done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise PeerFailed(done.stderr.decode("utf-8", "replace"))
    return msgspec.json.decode(done.stdout, type=PeerRun)


def as_typed(queries: Sequence[str]) -> list[str]:
    """What stands in the search box while *queries* are typed, a letter at a time; no text twice."""
    typed = (query[:end].strip() for query in queries for end in range(1, len(query) + 1))
    return list(dict.fromkeys(filter(None, typed)))


# --- quality -------------------------------------------------------------------------------------


def compare_quality(folder: Path, work: Path) -> dict[str, Any]:
    """nDCG@10 of both on the collection in *folder*, and how many of its queries find nothing."""
    collection = read_collection(folder)
    corpus = prepare(collection, work)
    peer = run_peer(notes_of(corpus, titles_of(collection.corpus)), [query.text for query in collection.queries])
    ids = corpus.ids
    run = {
        query.id: [nfc(path) if ids is None else ids[nfc(path)] for path in paths]
        for query, paths in zip(collection.queries, peer.found, strict=True)
    }
    with indexed(corpus.vault, corpus.index_path) as engine:
        ours = ask(engine, collection.queries, SYSTEMS["default"], HIT_DEPTH, ids).run
    return {
        "queries": len(collection.queries),
        **{
            name: {
                MAIN: means(measure(collection.queries, found).values())[MAIN],
                "nothing": sum(not found.get(query.id) for query in collection.queries),
            }
            for name, found in (("peer", run), ("quarry", ours))
        },
    }


def titles_of(corpus: Path) -> Mapping[str, str]:
    """Document id -> title, of a corpus that is a file."""
    if corpus.is_dir():
        return {}
    with corpus.open(encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return {row["_id"]: row.get("title", "") for row in rows}


def notes_of(corpus: Corpus, titles: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The fields of every note; a note whose file has a number for a name is called by its title."""
    for path in find_notes(corpus.vault):
        document = corpus.ids[nfc(path)] if corpus.ids else path
        yield fields_of(corpus.vault, path, "" if document == nfc(path) else titles.get(document, ""))


# --- cost ----------------------------------------------------------------------------------------


def compare_cost(vault: Path, work: Path, count: int = QUESTIONS) -> dict[str, dict[str, Any]]:
    """What indexing *vault*, *count* questions and their typing cost both."""
    asked = questions(vault, count)
    keys = as_typed(asked[:TYPED_QUERIES])
    paths = find_notes(vault)
    peer = run_peer((fields_of(vault, path) for path in paths), asked, keys)
    index_path = work / "index.db"
    indexing = run_in_subprocess(index_whole, vault, index_path)
    ours = run_in_subprocess(ask_quarry, vault, index_path, asked, keys).result
    return {
        "peer": {
            "notes": len(paths),
            "index_cpu_s": peer.index_cpu_s,
            "index_peak_rss_mb": peer.peak_rss_mb,
            "memory_mb": peer.heap_mb,
            "query_cpu_ms": series(peer.query_cpu_ms),
            "key_cpu_ms": series(peer.key_cpu_ms),
            "found_nothing": sum(not found for found in peer.found),
        },
        "quarry": {
            "notes": indexing.result["files"],
            "index_cpu_s": indexing.cpu_s,
            "index_peak_rss_mb": indexing.peak_rss_mb,
            **ours,
        },
    }


def ask_quarry(vault: Path, index_path: Path, queries: Sequence[str], keys: Sequence[str]) -> dict[str, Any]:
    """CPU time of each of *queries* and of *keys*, of all threads; runs in a process of its own."""
    with indexed(vault, index_path) as engine:

        def timed(request: SearchOptions) -> tuple[float, int]:
            begun_s = time.process_time()
            hits = engine.search(request).hits
            return (time.process_time() - begun_s) * 1000, len(hits)

        requests = [replace(REQUEST, query=text) for text in queries]
        for request in requests[:WARM_UP]:
            timed(request)
        answered = [timed(request) for request in requests]
        typed = [timed(replace(REQUEST, query=key, typing=True))[0] for key in keys]
        return {
            "memory_mb": memory_mb().get("private"),
            "query_cpu_ms": series([ms for ms, _ in answered]),
            "key_cpu_ms": series(typed),
            "found_nothing": sum(not hits for _, hits in answered),
        }


def series(taken_ms: Sequence[float]) -> dict[str, float]:
    """The median, the 99th percentile and the maximum of *taken_ms*."""
    return percentiles(taken_ms, (50, 99, 100))


# --- command -------------------------------------------------------------------------------------


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "cost"))
    parser.add_argument("places", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="quarry-peer-") as temporary:
        if options.what == "quality":
            for folder in (one for place in options.places for one in find_collections(place)):
                found[folder.name] = compare_quality(folder, Path(temporary))
            rows = [
                [name, str(row["queries"])]
                + [f"{row[one][MAIN]:.3f}" for one in ("peer", "quarry")]
                + [str(row[one]["nothing"]) for one in ("peer", "quarry")]
                for name, row in found.items()
            ]
            head = [MAIN, "queries", "rebuilt plugin", "Quarry", "it finds nothing for", "Quarry finds nothing for"]
        else:
            for vault in options.places:
                found[vault.name] = compare_cost(vault, Path(temporary))
            rows = [
                [f"{name}: {key}", *(json.dumps(of_both[one].get(key)) for one in ("peer", "quarry"))]
                for name, of_both in found.items()
                for key in of_both["peer"]
            ]
            head = ["cost", "rebuilt plugin", "Quarry"]
    print(markdown_table(head, rows))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    import minisearch_peer  # by its name, as `ask_quarry` is found by it in a process of its own

    sys.exit(minisearch_peer.main())
