"""
Make the bundled model's list of words of other languages in Latin script, each with English words in its place.

    python train_translations.py PAIRS            writes ../quarry/embedding/bundled
    python train_translations.py PAIRS --out DIR  writes DIR, to compare before replacing anything

Nothing is fetched, and nothing is random. A word's English words are those, among the words of its texts' translations,
that are nearest to the vector that ridge regression gives the word. The English model is the bundled one; when that is
made anew, so is this list.
"""

import os

# Read when numpy is first imported. One thread: sums taken in another order round differently.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from english import BUNDLED, english_vectors, is_token, unit_rows
from manifest import TRANSLATIONS_FILE, write_manifest
from numpy.typing import NDArray
from pairs import Pair, read_pairs
from scipy import sparse

LANGUAGES = {"de": "de", "fr": "fr", "es": "es", "pt": "pt", "pt-PT": "pt", "it": "it", "pl": "pl", "tr": "tr"}
RIDGE = 0.3
STEPS = 40  # of conjugate gradients
MIN_LENGTH = 0.08  # of a word's row, where a text has length 1: what is shorter says nothing in particular
TOGETHER = 0.3  # the weight of how often two words are in the same pairs, beside a cosine of 1
LANGUAGES_OF_WORD = 2
WORDS_OF_LANGUAGE = 2

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH_WORD = re.compile(r"[a-z]+")

Matrix = NDArray[np.float64]


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(unicodedata.normalize("NFC", text.lower()))


def is_latin(word: str) -> bool:
    """Whether *word* is in Latin letters alone."""
    return all(unicodedata.name(letter, "").startswith("LATIN") for letter in word)


def word_rows(texts: Sequence[Sequence[str]], numbers: dict[str, int], targets: Matrix) -> Matrix:
    """The rows, shape (len(numbers), dim), whose sum over the words of a text is near the text's row of *targets*."""
    counted = [Counter(words) for words in texts]
    lengths = [np.sqrt(sum(count * count for count in words.values())) for words in counted]
    cells = [
        (row, numbers[word], count / length)
        for row, (words, length) in enumerate(zip(counted, lengths, strict=True))
        for word, count in words.items()
    ]
    rows, columns, values = zip(*cells, strict=True)
    shape = len(texts), len(numbers)
    matrix: Any = sparse.csr_matrix((values, (rows, columns)), shape)
    system = (matrix.T @ matrix + RIDGE * sparse.eye(shape[1])).tocsr()
    found = np.zeros((shape[1], targets.shape[1]))
    rest = matrix.T @ targets
    direction, squares = rest.copy(), (rest * rest).sum(0)
    for _ in range(STEPS):
        product = system @ direction
        step = squares / ((direction * product).sum(0) + 1e-12)
        found += step * direction
        rest -= step * product
        before, squares = squares, (rest * rest).sum(0)
        direction = rest + squares / (before + 1e-12) * direction
    return found


def translations(pairs: Sequence[Pair]) -> dict[str, tuple[float, list[str]]]:
    """Each word of the texts of *pairs*, which are in one language: the length of its row, its English words."""
    texts = [words_of(pair.text) for pair in pairs]
    counts: Counter[str] = Counter()
    english_counts: Counter[str] = Counter()
    together: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for words, pair in zip(texts, pairs, strict=True):
        english = sorted(set(filter(is_token, _ENGLISH_WORD.findall(pair.english.lower()))))
        english_counts.update(english)
        counts.update(set(words))
        for word in set(words):
            together[word].update(english)
    numbers = {word: number for number, word in enumerate(sorted(counts))}
    rows = word_rows(texts, numbers, english_vectors([pair.english for pair in pairs]).astype(np.float64))
    lengths = np.linalg.norm(rows, axis=1)
    units = unit_rows(rows)
    english_words = sorted(english_counts)
    english_numbers = {word: number for number, word in enumerate(english_words)}
    english_rows = english_vectors(english_words).astype(np.float64)
    found = {}
    for word, number in numbers.items():
        beside = sorted(together[word])
        if lengths[number] < MIN_LENGTH or not beside:
            continue
        cosines = english_rows[[english_numbers[each] for each in beside]] @ units[number]
        scores = {
            each: round(cosine + TOGETHER * 2 * together[word][each] / (counts[word] + english_counts[each]), 6)
            for each, cosine in zip(beside, cosines.tolist(), strict=True)
        }
        best = sorted(beside, key=lambda each: (-scores[each], each))[:WORDS_OF_LANGUAGE]
        found[word] = (round(float(lengths[number]), 6), best)
    return found


def lines_of(pairs: Sequence[Pair]) -> list[str]:
    """One line a word, in order: the word, a tab, its English words. Words of English texts are left out."""
    pairs = [pair for pair in pairs if pair.language in LANGUAGES]
    english = {word for pair in pairs for word in words_of(pair.english)}
    of_word: defaultdict[str, list[tuple[float, str, list[str]]]] = defaultdict(list)
    for language in sorted(set(LANGUAGES.values())):
        for word, (length, best) in translations([p for p in pairs if LANGUAGES[p.language] == language]).items():
            if is_latin(word) and word not in english and not is_token(word):
                of_word[word].append((-length, language, best))
    return [
        f"{word}\t{' '.join(dict.fromkeys(each for *_, best in sorted(found)[:LANGUAGES_OF_WORD] for each in best))}\n"
        for word, found in sorted(of_word.items())
    ]


def main() -> None:
    """Make the list, and print what was written."""
    parser = argparse.ArgumentParser(description="Make the bundled model's list of words with their English words.")
    parser.add_argument("pairs", type=Path, help="JSON lines with lang, text and english, compressed by xz")
    parser.add_argument("--out", type=Path, default=BUNDLED, metavar="DIR")
    given = parser.parse_args()
    folder: Path = given.out
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TRANSLATIONS_FILE).write_bytes("".join(lines_of(read_pairs(given.pairs))).encode())
    print(write_manifest(folder), end="")


if __name__ == "__main__":
    main()
