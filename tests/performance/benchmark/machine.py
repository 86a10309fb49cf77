"""On which machine was it measured, and which version? Stored with the result for later readers."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import time
from pathlib import Path

from quarry import __version__

PACKAGES = ("apsw", "numpy", "model2vec", "tokenizers", "sqlite-vec", "websockets", "tantivy")


def describe() -> dict[str, object]:
    """The machine, its load, and the versions of what ran."""
    return {
        "quarry": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _commit() -> str | None:
    """The commit of the checkout that this runs from; None outside of one."""
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None
