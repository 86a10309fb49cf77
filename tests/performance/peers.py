"""
How fast are others at keyword search? tantivy and ripgrep on the same notes, where they are installed.

`npm run bench` uses this module.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.corpora import find_notes
from benchmark.measurement import each_ms, percentiles, size_mb
from published import chunks_of

from quarry.documents.decoding import decode_note

LIMIT = 30  # as each of our retrievers proposes
HEAP_BYTES = 128 * 1024 * 1024
RIPGREP_QUERIES = 50  # each reads every file
_WORD = re.compile(r"\w+")


def measure_tantivy(vault: Path, folder: Path, texts: Sequence[str]) -> dict[str, Any]:
    """BM25 by tantivy over the chunks of *vault*, any word of a query; an index is made in *folder*."""
    try:
        import tantivy
    except ImportError:
        return {"missing": "tantivy is not installed; it comes with quarry-search[dev]"}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    schema = tantivy.SchemaBuilder().add_text_field("text", stored=False, tokenizer_name="en_stem").build()
    index = tantivy.Index(schema, path=str(folder))
    begun_s = time.process_time()
    writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
    chunks = 0
    for path in find_notes(vault):
        for heading, text in chunks_of(decode_note((vault / path).read_bytes())):
            writer.add_document(tantivy.Document(text=f"{heading}\n{text}"))
            chunks += 1
    writer.commit()
    writer.wait_merging_threads()
    index_cpu_s = time.process_time() - begun_s
    index.reload()
    searcher = index.searcher()

    def ask(text: str) -> None:
        words = " ".join(_WORD.findall(text.lower()))  # in capitals some are operators; without words it finds nothing
        searcher.search(index.parse_query(words, ["text"]), LIMIT)

    each_ms(ask, texts[:LIMIT], time.thread_time_ns)
    return {
        "chunks": chunks,
        "index_cpu_s": round(index_cpu_s, 2),
        "disk_mb": size_mb([file for file in folder.rglob("*") if file.is_file()]),
        "query_cpu_ms": percentiles(each_ms(ask, texts, time.thread_time_ns)),
    }


def measure_ripgrep(vault: Path, words: Sequence[str]) -> dict[str, Any]:
    """One word looked for in every file, from starting `rg` to its end; it ranks nothing."""
    program = shutil.which("rg")
    if program is None:
        return {"missing": "rg is not on the path"}

    def ask(word: str) -> None:
        command = [program, "--ignore-case", "--fixed-strings", "--files-with-matches", "--", word, str(vault)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)

    chosen = list(words[:RIPGREP_QUERIES])
    each_ms(ask, chosen[:2], time.perf_counter_ns)
    return {"query_wall_ms": percentiles(each_ms(ask, chosen, time.perf_counter_ns))}
