"""What the keyword index makes of a word, so that marks stand where it matched."""

import threading
from functools import lru_cache

import apsw

from quarry.index.folding import fold_marks

TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])  # as in the schema
CACHED_WORDS = 50_000  # the vocabulary of a large vault; about 8 MB

_lock = threading.Lock()  # one connection, many searching threads


@lru_cache(maxsize=CACHED_WORDS)
def stem(word: str) -> str:
    """
    The token FTS5 stores for *word*: `Jumping` is `jump`, `Résumé` is `resum`.

    A word that it splits gives its tokens joined by a space, one without letters or digits "". Where FTS5 is missing
    the word only loses case and accents.
    """
    tokenizer = _tokenizer()
    if tokenizer is None:
        return fold_marks(word)
    with _lock:
        tokens = tokenizer(
            word.encode("utf-8", "replace"),
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
    return " ".join(map(str, tokens))


@lru_cache(maxsize=1)
def _tokenizer() -> apsw.FTS5Tokenizer | None:
    connection = apsw.Connection(":memory:")
    name, arguments = TOKENIZER
    if not connection.fts5_tokenizer_available(name):
        return None
    return connection.fts5_tokenizer(name, arguments)
