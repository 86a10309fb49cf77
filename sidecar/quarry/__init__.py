"""
Search a folder of Markdown notes by word and by meaning, offline.

    import quarry

    with quarry.open("~/Notes") as notes:
        print(notes.context("oauth rotation", max_tokens=500))

docs/PYTHON.md has the rest.
"""

import os
import sys

TYPE_CHECKING = False  # importing it from `typing` takes longer than everything else here
if TYPE_CHECKING:
    from quarry import errors
    from quarry.python.async_notes import AsyncNotes
    from quarry.python.in_process import InProcessEngine as Engine
    from quarry.python.notes import Notes
    from quarry.python.opening import open, open_async  # noqa: A004
    from quarry.python.results import (
        AnswerFreshness,
        CapturedNote,
        FoundNote,
        FoundNotes,
        FoundPassage,
        NoteDocument,
        NoteEntry,
        NoteListing,
        NoteProblem,
        QuotedContext,
        QuoteSource,
        SimilarNote,
        SimilarNotes,
        VaultStatus,
    )

    __version__: str

__all__ = [
    "AnswerFreshness",
    "AsyncNotes",
    "CapturedNote",
    "Engine",
    "FoundNote",
    "FoundNotes",
    "FoundPassage",
    "NoteDocument",
    "NoteEntry",
    "NoteListing",
    "NoteProblem",
    "Notes",
    "QuoteSource",
    "QuotedContext",
    "SimilarNote",
    "SimilarNotes",
    "VaultStatus",
    "__version__",
    "errors",
    "open",
    "open_async",
]

_DISTRIBUTION = "quarry-search"
_API = "quarry.python"
_HOMES = {  # of names that do not stand in the module of the results
    "AsyncNotes": (f"{_API}.async_notes", "AsyncNotes"),
    "Engine": (f"{_API}.in_process", "InProcessEngine"),
    "Notes": (f"{_API}.notes", "Notes"),
    "open": (f"{_API}.opening", "open"),
    "open_async": (f"{_API}.opening", "open_async"),
}


if not TYPE_CHECKING:  # which would take any name for one of ours

    def __getattr__(name: str) -> object:
        """A name of `__all__`, imported when it is first asked for: most of what imports this package asks for none."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = _lookup(name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "os", "sys"})


def _lookup(name: str) -> object:
    from importlib import import_module  # here for the cost that is told above

    if name == "__version__":
        return _version()
    if name == "errors":
        return import_module("quarry.errors")
    module, attribute = _HOMES.get(name, (f"{_API}.results", name))
    return getattr(import_module(module), attribute)


def _version() -> str:
    """
    The version that is installed, from the name of the folder that says so: `quarry_search-0.1.0.dist-info`.

    `importlib.metadata` finds the same folder, and is asked where this does not: it costs a tenth of a sidecar's start.
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
    from importlib.metadata import version  # here for the cost that is told above

    return version(_DISTRIBUTION)
