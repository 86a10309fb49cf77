"""
Search a folder of Markdown notes by word and by meaning, offline.

    import quarry

    with quarry.open("~/Notes") as notes:
        print(notes.context("oauth rotation", max_tokens=500))

docs/PYTHON.md has the rest.
"""

import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # importing it from `typing` takes longer than everything else here
if TYPE_CHECKING:
    from quarry import errors
    from quarry.protocol import (
        CaptureResult,
        ContextResult,
        Freshness,
        Hit,
        IndexStatus,
        NoteList,
        NoteSummary,
        NoteText,
        Passage,
        RelatedNote,
        RelatedResult,
        SearchResult,
        Source,
    )
    from quarry.python.in_process import Engine
    from quarry.python.notes import AsyncNotes, Notes, open, open_async  # noqa: A004

    __version__: str

__all__ = [
    "AsyncNotes",
    "CaptureResult",
    "ContextResult",
    "Engine",
    "Freshness",
    "Hit",
    "IndexStatus",
    "NoteList",
    "NoteSummary",
    "NoteText",
    "Notes",
    "Passage",
    "RelatedNote",
    "RelatedResult",
    "SearchResult",
    "Source",
    "__version__",
    "errors",
    "open",
    "open_async",
]

_DISTRIBUTION = "quarry-search"
_MODULES = {  # of names that are not structs of the wire
    "AsyncNotes": "quarry.python.notes",
    "Engine": "quarry.python.in_process",
    "Notes": "quarry.python.notes",
    "open": "quarry.python.notes",
    "open_async": "quarry.python.notes",
}


if not TYPE_CHECKING:  # a type checker would take any name for one of the package

    def __getattr__(name: str) -> object:
        """A name of `__all__`, imported on first use: `quarry hook` and `quarry --version` use none."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "__version__":
            value = _version()
        elif name == "errors":
            value = import_module("quarry.errors")
        else:
            value = getattr(import_module(_MODULES.get(name, "quarry.protocol")), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "import_module", "os", "sys"})


def _version() -> str:
    """
    The installed version, from the name of its folder: `quarry_search-0.1.0.dist-info`.

    `importlib.metadata` reads the same folder, and is the fallback: importing it costs more than all of `--version`.
    """
    prefix, suffix = f"{_DISTRIBUTION.replace('-', '_')}-", ".dist-info"
    for folder in sys.path:
        try:
            names = os.listdir(folder or os.curdir)  # noqa: PTH208 - pathlib is not imported yet
        except OSError:
            continue  # not there, or an archive
        for name in names:
            if name.startswith(prefix) and name.endswith(suffix):
                return name[len(prefix) : -len(suffix)]
    return str(import_module("importlib.metadata").version(_DISTRIBUTION))
