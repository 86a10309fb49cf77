"""Resolves links as Obsidian does: by path, else by name, the nearest and shortest path first."""

import posixpath
import zlib
from collections.abc import Sequence

from quarry.index.folding import fold_case, fold_name


def target_key(target: str) -> str:
    """The key that a note's name must share for *target* to lead there; "" for a link into the note itself."""
    return fold_name(target)


def target_keys(targets: Sequence[str]) -> list[str]:
    """The `target_key` of each of *targets*, in a few calls: a map of content has thousands."""
    folded = fold_case("\n".join(targets)).split("\n")
    if len(folded) != len(targets):  # none at all, or one with a line end
        return [target_key(target) for target in targets]
    return [name.rpartition("/")[2].removesuffix(".md") for name in folded]


def target_number(key: str) -> int:
    """The number that links and names are indexed by; two keys may share one, so that rows found by it are compared."""
    return int.from_bytes(zlib.crc32(key.encode()).to_bytes(4), signed=True)  # signed: see `content_number`


def resolve(target: str, source: str, candidates: Sequence[str]) -> str | None:
    """
    The path that *target*, written in the note *source*, leads to.

    Args:
        candidates: Paths of the notes whose name is the target's.

    Returns:
        *source* itself for an empty target; None when no candidate fits.
    """
    if not target:
        return source
    wanted = _without_suffix(fold_case(target))
    keys = {path: _without_suffix(fold_case(path)) for path in sorted(candidates)}
    folder = fold_case(posixpath.dirname(source))
    if wanted.startswith(("./", "../")):
        exact = posixpath.normpath(posixpath.join(folder, wanted))
        return next((path for path, key in keys.items() if key == exact), None)
    wanted = wanted.lstrip("/")
    at_root = next((path for path, key in keys.items() if key == wanted), None)
    if at_root or target.startswith("/"):
        return at_root
    fitting = [path for path, key in keys.items() if key.endswith("/" + wanted)]
    return min(fitting, key=lambda path: (not _is_below(keys[path], folder), len(path), path), default=None)


def _without_suffix(path: str) -> str:
    return path.removesuffix(".md")


def _is_below(key: str, folder: str) -> bool:
    return not folder or key.startswith(folder + "/")
