"""Search a folder of Markdown notes by word and by meaning, offline."""

import os
import sys

_DISTRIBUTION = "quarry-search"


def __getattr__(name: str) -> str:
    """`__version__`, found when it is first asked for: most of what imports this package never asks."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    version = globals()[name] = _version()
    return version


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
