"""
The kinds of files that are searched, and the word for a file of each.

A kind follows from the extension alone, so that no listing has to open a file. All of them are notes to the index: what
is said of notes holds for canvases and PDF files, too.
"""

from typing import Literal, get_args

DocumentKind = Literal["note", "canvas", "pdf"]
KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
SUFFIXES: dict[DocumentKind, str] = {"note": ".md", "canvas": ".canvas", "pdf": ".pdf"}
NOTE_SUFFIX = SUFFIXES["note"]
_KINDS = {suffix: kind for kind, suffix in SUFFIXES.items()}


def kind_of(path: str) -> DocumentKind | None:
    """The kind of the file at *path*, by its extension in any case (`Readme.MD`); None: it is not searched."""
    dot = path.rfind(".")
    return _KINDS.get(path[dot:].lower()) if dot >= 0 else None


def bare_name(path: str) -> str:
    """The name of the file at *path* without folders and the extension of its kind; `A.MD` keeps its own."""
    name = path.rpartition("/")[2]
    return next((name.removesuffix(suffix) for suffix in SUFFIXES.values() if name.endswith(suffix)), name)
