"""
What is a word, and when are two words the same to a reader?

The splitting is that of the keyword index (FTS5's unicode61): runs of letters and digits of any script; everything
else, `_` too, stands between words.
"""

import re
import unicodedata

WORD = re.compile(r"[^\W_]+")

# Scripts written without spaces: a run of them is a phrase, not a word.
UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u0e00-\u0e7f\U00020000-\U0003ffff"


def folded(text: str) -> str:
    """Text as it is compared: lower case, without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", "".join(sign for sign in decomposed if unicodedata.category(sign) != "Mn"))
