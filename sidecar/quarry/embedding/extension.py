"""
A second table, for scripts that a model's own tokenizer cannot read: opened at the first letter of one.

The extension has rows for Chinese, Japanese, Korean and Cyrillic letters. They are taken out of a text in *runs*:
letters of those scripts in a row, with their combining marks. A space stays in the place of each, so that the words
beside it are tokenised as if it were not there.

Its table lies in the space of the model's own, and its numbers have the same unit, so that rows of both may be added.
A Unigram tokenizer (Kudo, "Subword Regularization", ACL 2018) numbers its rows. A vault without such letters reads
neither file.
"""

import mmap
import threading
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from quarry.analysis.scripts import CYRILLIC, HAN, HANGUL, KANA
from quarry.embedding.model_files import (
    EXTENSION_TOKENIZER_FILE,
    EXTENSION_WEIGHTS_FILE,
    ModelFolder,
    Table,
    read_table,
)
from quarry.embedding.tokens import TokenIdCache, TokenIds, encodable
from quarry.lazy_pattern import lazy_pattern

WORD_START = "▁"  # as SentencePiece marks the first piece of a word

_UNSPACED = HAN + KANA
_SPACED = HANGUL + CYRILLIC
_MARKS = "\u0300-\u036f\u0483-\u0487\u3099\u309a"  # accents in decomposed text, and the voiced signs of kana
_LETTER = lazy_pattern(f"[{_UNSPACED}{_SPACED}]")
_RUN = lazy_pattern(f"[{_UNSPACED}][{_UNSPACED}{_MARKS}]*+|[{_SPACED}][{_SPACED}{_MARKS}]*+")
_IS_SPACED = lazy_pattern(f"[{_SPACED}]")
_CYRILLIC = lazy_pattern(f"[{CYRILLIC}]")


def has_runs(text: str) -> bool:
    """Whether *text* has a letter of the extension's scripts."""
    return not text.isascii() and _LETTER.search(text) is not None


def find_runs(text: str) -> list[str]:
    """The runs of *text* in order; those of scripts written with spaces are words, and begin with WORD_START."""
    return [WORD_START + run if _IS_SPACED.match(run) else run for run in _RUN.findall(text)]


def without_runs(text: str) -> str:
    """*text* with a space in the place of each run."""
    return _RUN.sub(" ", text)


def stands_alone(letter: str) -> bool:
    """Whether one *letter* of a run is a word or a syllable: all but the Cyrillic ones are."""
    return not _CYRILLIC.match(letter)


# Of a text. Twice the tokens of the model's own table, as a piece of Chinese is two letters: the longest chunk has 900.
# Cut at 512, full chunks of Chinese are found by meaning with an nDCG@10 of .66, not .73.
MAX_PIECES = 1_024
MAX_CACHED_RUNS = 16_384  # words, and phrases of scripts without spaces; 3 MB
UNKNOWN_ID = 0  # of characters that are in no piece


class Extension:
    """Rows for letters of other scripts. Safe to share between threads; the first that needs it opens the tokenizer."""

    def __init__(self, table: Table, tokenizer_file: bytes | mmap.mmap) -> None:
        """Take *table*, shape (piece count, dim), and the content of the *tokenizer_file* that numbers its rows."""
        self.table = table
        self._tokenizer_file: bytes | mmap.mmap | None = tokenizer_file
        self._tokenizer: Tokenizer | None = None
        self._ids_of_runs = TokenIdCache(self._tokenize, MAX_CACHED_RUNS)
        self._lock = threading.Lock()

    def read(self, text: str) -> TokenIds:
        """The row numbers of the first MAX_PIECES pieces of the runs in *text*, without those of unknown characters."""
        packed = b"".join(map(self._ids_of_runs.__getitem__, find_runs(text)))
        ids = np.frombuffer(packed, np.int64)[:MAX_PIECES]
        known: TokenIds = ids[ids != UNKNOWN_ID]
        return known

    def known_letters(self, text: str) -> int:
        """The number of letters of the runs in *text* in words, syllables, or pieces of two or more letters."""
        tokenizer = self.open()
        pieces = [(tokenizer.id_to_token(row) or "").removeprefix(WORD_START) for row in self.read(text).tolist()]
        return sum(len(piece) for piece in pieces if len(piece) > 1 or stands_alone(piece))

    def open(self) -> Tokenizer:
        """
        The tokenizer, which takes 80 ms and 40 MB when it is first needed.

        Raises:
            ValueError: It has more or fewer pieces than the table has rows.
        """
        with self._lock:
            if self._tokenizer is None:
                assert self._tokenizer_file is not None, "kept until the tokenizer is open"
                tokenizer = Tokenizer.from_buffer(bytes(self._tokenizer_file))
                count = tokenizer.get_vocab_size()
                if count != len(self.table):
                    raise ValueError(
                        f"the extension's tokenizer has {count} pieces, its weights have {len(self.table)} rows"
                    )
                self._tokenizer, self._tokenizer_file = tokenizer, None
            return self._tokenizer

    def _tokenize(self, run: str) -> list[int]:
        # By its parts, as runs hold nothing that `encode` would look for: in half the time.
        tokenizer = self.open()
        normal = tokenizer.normalizer.normalize_str(encodable(run)) if tokenizer.normalizer else encodable(run)
        return [token.id for token in tokenizer.model.tokenize(normal)]


def read_extension(folder: ModelFolder) -> Extension:
    """
    The extension in *folder*, which is known to hold one.

    Where its files may be mapped they are, and their pages are read when they are needed. An update that replaces the
    folder in the meantime leaves the mapped files as they are.

    Raises:
        ValueError: Its files do not fit each other, or hold values that no model has.
    """
    path = folder.path / EXTENSION_TOKENIZER_FILE
    table = read_table(folder.path / EXTENSION_WEIGHTS_FILE, may_map=folder.stays_as_it_is)
    extension = Extension(table, _map(path) if folder.stays_as_it_is else path.read_bytes())
    if not folder.must_have_manifest:  # what ships is whole by its hash
        extension.open()
    return extension


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
