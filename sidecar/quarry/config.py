"""
The folders of Quarry's own files on this machine, and limits that apply everywhere.

`QUARRY_HOME` moves all three folders below one: `data` (the indexes), `run` (discovery files and locks), `log`.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Literal

from quarry.private_files import private_folder

APP = "quarry"

MAX_NOTE_BYTES = 10 * 1024 * 1024  # ten novels; a larger file is a log or an export, and is indexed up to here
MAX_NOTE_CHUNKS = 2_000  # 4 MB of prose; a longer note would crowd out the other candidates
MAX_SETTINGS_BYTES = 64 * 1024  # .quarry.toml: a person writes kilobytes
MAX_RULES_BYTES = 1024 * 1024  # .indexignore, app.json: scripts write them too, one line a note
MAX_PDF_BYTES = 64 * 1024 * 1024  # a larger one is mostly pictures
READ_BATCH_BYTES = 2 * 1024 * 1024  # bounds the memory of a batch where notes are large; 8 MB took 40 MB more a process


def data_dir() -> Path:
    """The folder of the indexes; created, private, if it is missing."""
    return private_folder(_home("data") or _usual("data"))


def log_dir() -> Path:
    """The folder of the logs; created, private, if it is missing."""
    return private_folder(_home("log") or _usual("log"))


def runtime_dir() -> Path:
    """
    The folder of discovery files and locks; created, private, if it is missing.

    Every process of one user must get the same folder, or two sidecars would not see each other's lock. Outside Linux
    and BSD there is no conventional folder (the nearest ones are swept by cleaners), so it is next to the data.
    """
    if home := _home("run"):
        return private_folder(home)
    if sys.platform in ("darwin", "win32"):
        return private_folder(data_dir() / "run")
    with warnings.catch_warnings():
        # Without a login session there is no XDG_RUNTIME_DIR. The substitute is safe, so no warning is needed.
        warnings.simplefilter("ignore")
        return private_folder(_usual("runtime"))


def _usual(kind: Literal["data", "log", "runtime"]) -> Path:
    """The platform's folder for files of that kind."""
    import platformdirs  # here, as a hook has `QUARRY_HOME` from its command line

    path: Path = getattr(platformdirs.PlatformDirs(APP, appauthor=False), f"user_{kind}_path")
    return path


def _home(name: str) -> Path | None:
    home = os.environ.get("QUARRY_HOME")
    return Path(home).expanduser().absolute() / name if home else None
