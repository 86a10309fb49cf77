"""
Fit when a sentence may stand above the hits: `python tests/retrieval/fit_extraction.py DATA [--write]`.

DATA is a folder with `ir/*.tar.xz` and `vaults/*.tar.xz`. Learns from `chroma-chunks`, whose answers are marked to the
character. Each question is asked of its pieces as notes; asked of the five whole texts as notes, they are a check. A
sentence is right where at least half of it, or of a stretch that answers, stands in the other. Prints, for questions
that ten regressions were fitted without:

    share    how many of the questions a sentence is given for, from each confidence
    right    how many of these sentences are right

With `--prompts` also how many of the prompts beside this file a sentence is given for, by whether a note answers. With
`--write` the weights become those that ship.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from collected import PROMPTS, VAULTS, unpack, vault_of
from context_quotes import WITH_SPANS, even, shared, spans_of
from fit_confidence import probabilities, regression
from judged_prompts import read_prompts
from msgspec import Struct
from numpy.typing import NDArray
from ranked import rank

import quarry.search.extraction as shipped
from quarry.embedding import Encoder, load_encoder
from quarry.evaluation.collections import Collection
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import indexed
from quarry.index import Reader
from quarry.options import SearchOptions
from quarry.query.questions import is_answered_by_a_sentence
from quarry.search.extraction import LENGTHS, LIKELY, WEIGHTS, compare_sentences, features_of_best

LEAST = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
LEARNED = "pieces"  # of about the length of notes; five notes of a book each are no vault, and are a check
FOLDS = 10
PENALTY = 0.01  # of squared weights: there are two, and four hundred questions


class Found(Struct, frozen=True):
    """The best sentence for a question."""

    features: NDArray[np.float64]
    sentence: str


def main() -> int:
    """Fit, report, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--write", action="store_true", help="make the weights those that ship")
    parser.add_argument("--prompts", action="store_true", help="ask the prompts as well, which takes minutes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarry-extract-") as temporary:
        folder = Path(temporary)
        collection = unpack(options.data, WITH_SPANS, folder / "packed")
        spans = spans_of(collection)
        texts = [query.text for query in collection.queries]
        answers = {name: ask(*place, texts) for name, place in vaults_of(collection, folder).items()}
        rows = [
            (number, name, found.features, is_right(found.sentence, spans[texts[number]]))
            for name, of_vault in answers.items()
            for number, found in enumerate(of_vault)
            if found is not None
        ]
        numbers, names = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
        matrix = np.column_stack([np.ones(len(rows)), np.array([row[2] for row in rows])])
        right = np.array([row[3] for row in rows], np.float64)
        held_out, learned = np.zeros(len(rows)), names == LEARNED
        for fold in range(FOLDS):  # a question stands in one fold, however it is asked
            inside = numbers % FOLDS == fold
            others = ~inside & learned
            held_out[inside] = probabilities(matrix[inside], fit(matrix[others], right[others]))
        print(report(held_out, right, names, len(texts)))
        weights = fit(matrix[learned], right[learned])
        print("\n" + written(weights) + "\n")
        if options.prompts:
            print(report_prompts(options.data, folder, weights))
    if options.write:
        place = Path(shipped.__file__)
        place.write_text(re.sub(r"BIAS = .*\nWEIGHTS = .*", written(weights), place.read_text("utf-8")), "utf-8")
    return 0


def vaults_of(collection: Collection, folder: Path) -> dict[str, tuple[Path, Path]]:
    """Name -> a vault made of *collection*, and where its index goes."""
    corpus = prepare(collection, folder / "pieces")
    return {
        "pieces": (corpus.vault, corpus.index_path),
        "whole texts": (collection.corpus.parent / "raw", folder / "raw.db"),
    }


def ask(vault: Path, index_path: Path, texts: Sequence[str]) -> list[Found | None]:
    """The best sentence for each of *texts*."""
    encoder = load_encoder()
    with indexed(vault, index_path) as engine, engine.reader() as reader:
        return [best_of(text, reader, encoder) for text in texts]


def best_of(text: str, reader: Reader, encoder: Encoder) -> Found | None:
    """The best sentence of the first hit; None where there is none, or *text* is no question."""
    found = rank(SearchOptions(query=text), reader, encoder) if is_answered_by_a_sentence(text) else None
    if found is None:
        return None
    result, _ = found
    if not result.shown or result.relaxed or result.shown[0].confidence < LIKELY:
        return None
    compared = compare_sentences(result.shown[0], result.prepared, reader, encoder)
    if compared is None:
        return None
    sentences, evidence = compared
    chunk, span = sentences[shipped.best_sentence(evidence)[0]]
    if span.end - span.start not in LENGTHS:
        return None
    features = features_of_best(evidence)
    return Found(np.array([features[name] for name in WEIGHTS]), chunk.chunk.text[span.start : span.end])


def is_right(sentence: str, spans: Sequence[str]) -> bool:
    """Whether *sentence* answers: it and one of *spans* share at least half of the shorter one."""
    text = even(sentence)
    return any(shared(text, span) >= min(len(text), len(span)) / 2 for span in spans)


def fit(matrix: NDArray[np.float64], truths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of the features; the bias comes first."""
    return regression(matrix, truths, np.ones(len(truths)), PENALTY)


def written(weights: NDArray[np.float64]) -> str:
    """The weights as they stand in `search/extraction.py`."""
    pairs = ", ".join(f'"{name}": {weight:.2f}' for name, weight in zip(WEIGHTS, weights[1:], strict=True))
    return f"BIAS = {weights[0]:.2f}\nWEIGHTS = {{{pairs}}}"


def report(held_out: NDArray[np.float64], right: NDArray[np.float64], names: NDArray[np.str_], asked: int) -> str:
    """The table of both vaults."""
    vaults = sorted(set(names.tolist()))
    rows = []
    for least in LEAST:
        cells = [f"{least}"]
        for name in vaults:
            given = (names == name) & (held_out >= least)
            cells += [f"{given.sum() / asked:.2f}", f"{right[given].mean():.3f}" if given.any() else ""]
        rows.append(cells)
    every = ["any"] + [
        cell
        for name in vaults
        for cell in (f"{(names == name).sum() / asked:.2f}", f"{right[names == name].mean():.3f}")
    ]
    return markdown_table(
        ["confidence", *(f"{name}, {what}" for name in vaults for what in ("share", "right"))], [every, *rows]
    )


def report_prompts(data: Path, folder: Path, weights: NDArray[np.float64]) -> str:
    """The share of prompts that a sentence is given for, by vault and kind."""
    rows = [list(cells) for cells in _prompts(data, folder, weights)]
    return markdown_table(["vault", "kind", "questions", "given"], rows)


def _prompts(data: Path, folder: Path, weights: NDArray[np.float64]) -> Iterator[tuple[str, ...]]:
    for name in VAULTS:
        prompts = [one for one in read_prompts(PROMPTS / f"{name}.jsonl") if is_answered_by_a_sentence(one.text)]
        found = ask(vault_of(name, data, folder), folder / f"{name}.db", [one.text for one in prompts])
        for kind in ("on", "near", "follow", "far"):
            of_kind = [one for prompt, one in zip(prompts, found, strict=True) if prompt.kind == kind]
            rows = [np.array([1.0, *one.features]) for one in of_kind if one is not None]
            given = int((probabilities(np.array(rows), weights) >= shipped.SHOWN).sum()) if rows else 0
            yield name, kind, f"{len(of_kind)}", f"{given}"


if __name__ == "__main__":
    sys.exit(main())
