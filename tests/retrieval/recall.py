"""
How many of the exact nearest ten do signs propose?

    recall.py INDEX [COLLECTIONS] [--up-to 1000000]

INDEX is an index that the bundled model made; COLLECTIONS a folder of collections (`NAME/corpus.jsonl` and
`queries.jsonl`) that give further passages and the queries; without it titles of the index are asked. Prints a table:
rows that are real, then with ones mixed of the sentences of the real ones, told apart in the first column; for each the
share of the exact ten nearest (int8) that stands among so many proposed by their signs, and what proposing and
comparing cost in CPU time. `shortlist` of `index/vectors/matrix.py` comes from here.

A mixed row is the mean of the vectors of 3 to 8 sentences, weighed by their lengths: what the model, itself a mean over
tokens, makes of those sentences in one passage, without the time to read it.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quarry.documents.sentences import split_sentences
from quarry.embedding.static import StaticEncoder, load_static_encoder
from quarry.index import Index, NoteFilter
from quarry.index.top_k import top_k
from quarry.index.vectors.matrix import DEFAULT_LIMITS, row_norms
from quarry.index.vectors.quantize import (
    FloatMatrix,
    closest,
    hadamard_rotate,
    hamming,
    int8_dot,
    quantize,
    to_binary_codes,
)

DEPTHS = (1_000, 2_000, 5_000, 10_000, 15_000, 20_000)
PASSAGE = 1_200  # characters of a collection's document that make a passage
SENTENCES = 100_000
QUERIES = 200
BLOCK = 16_384
Rows = NDArray[np.int8]


def main() -> None:
    """Read, mix, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    parser.add_argument("collections", type=Path, nargs="?")
    parser.add_argument("--up-to", type=int, default=1_000_000)
    arguments = parser.parse_args()
    encoder, chance = load_static_encoder(), random.Random(0)
    vault, texts, titles = read_index(arguments.index)
    passages, queries = read_collections(arguments.collections) if arguments.collections else ([], titles)
    asked = rows_of(encoder, chance.sample(queries, min(QUERIES, len(queries))))
    others = rows_of(encoder, passages)
    real = np.concatenate([vault, others]) if len(others) else vault
    print("rows           count  " + "  ".join(f"@{depth:<6}" for depth in DEPTHS) + "  signs ms  exact ms")
    show("vault", vault, asked)
    if len(others):
        show("vault + sets", real, asked)
    sentences = [text[at.start : at.end] for text in (*texts, *passages) for at in split_sentences(text)]
    sentences = chance.sample(sentences, min(SENTENCES, len(sentences)))
    for count in (150_000, 500_000, 1_000_000):
        if len(real) < count <= arguments.up_to:
            mixed = np.concatenate(list(mix(encoder, sentences, count - len(real))))
            show("real + mixed", np.concatenate([real, mixed]), asked)


def show(name: str, rows: Rows, queries: Rows) -> None:
    """One line of the table."""
    norms = np.concatenate([row_norms(rows[start : start + BLOCK]) for start in range(0, len(rows), BLOCK)])
    blocks = [to_binary_codes(hadamard_rotate(rows[start : start + BLOCK])) for start in range(0, len(rows), BLOCK)]
    signs = np.ascontiguousarray(np.concatenate(blocks, axis=1))
    found = dict.fromkeys(DEPTHS, 0.0)
    by_signs, exact = [], []
    for query in queries:
        start = time.process_time()
        best = top_k(int8_dot(rows, query) / norms, 10)
        exact.append(time.process_time() - start)
        start = time.process_time()
        apart = hamming(signs, hadamard_rotate(query[np.newaxis])[0])
        at = closest(apart, DEFAULT_LIMITS.shortlist)
        top_k(int8_dot(rows[at], query) / norms[at], 10)
        by_signs.append(time.process_time() - start)
        for depth in DEPTHS:
            found[depth] += float(np.isin(best, closest(apart, depth)).mean()) / len(queries)
    shares = "  ".join(f"{share:7.3f}" for share in found.values())
    print(
        f"{name:12} {len(rows):9,}  {shares}  {np.median(by_signs) * 1e3:8.2f}  {np.median(exact) * 1e3:8.2f}",
        flush=True,
    )


def read_index(path: Path) -> tuple[Rows, list[str], list[str]]:
    """The vectors of an index, the texts of some chunks, and the titles of some notes."""
    index = Index.open(path)
    try:
        with index.reader() as reader:
            page = reader.notes(NoteFilter(), limit=SENTENCES // 10, offset=0)
            notes = [reader.note_named(note.path) for note in page.notes]
            matrix = reader.dense_query(np.ones(reader.dimension or 0, dtype=np.float32)).vectors.chunks
            ids = matrix.ids[:: max(1, len(matrix.ids) // (SENTENCES // 10))].tolist()
            texts = [stored.chunk.text for stored in reader.chunks(ids).values()]
            return matrix.rows.copy(), texts, [note.title for note in notes if note]
    finally:
        index.close()


def read_collections(folder: Path) -> tuple[list[str], list[str]]:
    """The passages and the queries of all collections."""
    passages, queries = [], []
    for file in sorted(folder.glob("*/corpus.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            text = json.loads(line)["text"]
            passages += [text[start : start + PASSAGE] for start in range(0, len(text), PASSAGE)]
        asked = file.with_name("queries.jsonl").read_text("utf-8").splitlines()
        queries += [json.loads(line)["text"] for line in asked]
    return passages, queries


def rows_of(encoder: StaticEncoder, texts: Sequence[str]) -> Rows:
    """The stored form of what is in *texts*; what has no meaning is left out."""
    stored = [
        row for start in range(0, len(texts), BLOCK) for row in quantize(encoder.encode(texts[start : start + BLOCK]))
    ]
    return np.frombuffer(b"".join(stored), dtype=np.int8).reshape(-1, encoder.dim)


def mix(encoder: StaticEncoder, sentences: Sequence[str], count: int) -> Iterator[Rows]:
    """*count* rows, each of several sentences."""
    vectors: FloatMatrix = encoder.encode(sentences)
    weights = np.array([len(sentence) for sentence in sentences], dtype=np.float32)
    chance = np.random.default_rng(0)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        of_row = chance.integers(3, 9, size)
        total = np.zeros((size, encoder.dim), dtype=np.float32)
        for at in range(8):
            chosen = chance.integers(0, len(sentences), size)
            total += vectors[chosen] * np.where(at < of_row, weights[chosen], 0)[:, np.newaxis]
        rows = [row for row in quantize(total) if row]
        yield np.frombuffer(b"".join(rows), dtype=np.int8).reshape(-1, encoder.dim)


if __name__ == "__main__":
    main()
