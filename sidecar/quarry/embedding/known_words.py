"""
Which words are certainly spelled right, whatever model a vault has, and whether it is loaded?

Those that the tokenizer of the bundled model has as a whole. A search by words alone must not wait for a model, nor
answer differently before and after it is there.
"""

import json
from functools import cache
from pathlib import Path

from quarry.embedding.model_names import BUNDLED_NAME

VOCABULARY_FILE = Path(__file__).with_name(BUNDLED_NAME) / "tokenizer.json"


def is_known_word(word: str) -> bool:
    """Whether *word*, letters in any case, is known. The first call reads the vocabulary, which takes 20 ms."""
    return word.lower() in _known_words()


@cache
def _known_words() -> frozenset[str]:
    vocabulary = json.loads(VOCABULARY_FILE.read_text("utf-8"))
    return frozenset(token for token in vocabulary["model"]["vocab"] if token.isalpha())
