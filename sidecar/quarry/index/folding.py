"""Keys that paths, tags and link targets are compared by, so that spellings which mean the same are equal."""

import unicodedata
from collections.abc import Sequence


def fold_case(text: str) -> str:
    """*text* with case and composition ignored: `Café` is `CAFÉ`, not `Cafe`."""
    if text.isascii():  # most text is, and this is five times faster
        return text.lower()
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded)


def fold_case_of_each(texts: Sequence[str]) -> list[str]:
    """`fold_case` of each of *texts*, in a few calls however many there are."""
    folded = fold_case("\n".join(texts)).split("\n")
    if len(folded) != len(texts):  # there are none, or one has a line end
        return [fold_case(text) for text in texts]
    return folded


def fold_marks(text: str) -> str:
    """*text* with case, composition and accents ignored: `Café` is `CAFE`."""
    if text.isascii():
        return text.lower()
    bare = "".join(char for char in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


def fold_tag(tag: str) -> str:
    """The key of a tag: without `#`, case ignored."""
    return fold_case(tag.lstrip("#").strip("/"))


def fold_name(path: str) -> str:
    """The key of a note's name: the last part of its path without `.md`, case ignored."""
    name = fold_case(path.rpartition("/")[2])
    return name.removesuffix(".md")
