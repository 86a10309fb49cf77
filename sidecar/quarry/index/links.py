"""Resolves links as Obsidian does: by path, else by name, the nearest and shortest path first."""

import posixpath
import unicodedata
import zlib
from collections.abc import Iterable, Sequence


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


def target_key(target: str) -> str:
    """The key that a note's name must share for *target* to lead there; "" for a link into the note itself."""
    return fold_name(target)


def target_keys(targets: Sequence[str]) -> list[str]:
    """The `target_key` of each of *targets*, in a few calls: a map of content has thousands."""
    return [folded.rpartition("/")[2].removesuffix(".md") for folded in fold_case_of_each(targets)]


def target_number(key: str) -> int:
    """The number that links and names are indexed by; two keys may share one, so that rows found by it are compared."""
    return int.from_bytes(zlib.crc32(key.encode()).to_bytes(4), signed=True)  # signed: see `content_number`


class Namesakes:
    """
    Notes of one name, to one of which a link with that name leads.

    Their paths are folded once for all links: a vault in which each folder has its `index.md` has thousands.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._keys = [folded.removesuffix(".md") for folded in fold_case_of_each(self._paths)]
        self._by_key = dict(zip(reversed(self._keys), reversed(self._paths), strict=True))  # the first of equals

    def __len__(self) -> int:
        """How many notes have the name."""
        return len(self._paths)

    def resolve(self, target: str, source: str) -> str | None:
        """The path that *target*, written in the note *source*, leads to: *source* itself where it is empty."""
        if not target:
            return source
        wanted = fold_case(target).removesuffix(".md")
        folder = fold_case(posixpath.dirname(source))
        if wanted.startswith(("./", "../")):
            return self._by_key.get(posixpath.normpath(posixpath.join(folder, wanted)))
        wanted = wanted.lstrip("/")
        at_root = self._by_key.get(wanted)
        if at_root or target.startswith("/"):
            return at_root
        ending = "/" + wanted
        fitting = [(key, path) for key, path in zip(self._keys, self._paths, strict=True) if key.endswith(ending)]
        below = [path for key, path in fitting if key.startswith(folder + "/")] if folder else []
        nearest = below or [path for _, path in fitting]
        shortest = min(map(len, nearest), default=0)
        return next((path for path in nearest if len(path) == shortest), None)
