"""How this program was installed, and so by which command an extra of it is added."""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

DISTRIBUTION = "quarry-search"


def extra_command(extra: str) -> str:
    """The command that installs this program again with *extra*, by the tool and from the place that it came from."""
    return install_command(extra, _source(), sys.prefix, sys.executable)


def install_command(extra: str, source: str | None, prefix: str, python: str) -> str:
    """
    The command for a program that lies in *prefix*.

    Args:
        source: The folder or address it was installed from; None for a package index.
        python: The interpreter, for pip.
    """
    wanted = f"{source}[{extra}]" if source else f"{DISTRIBUTION}[{extra}]"
    parts = PurePath(prefix).parts
    if "uv" in parts and "tools" in parts:
        return shlex.join(["uv", "tool", "install", "--force", wanted])
    if "pipx" in parts:
        return shlex.join(["pipx", "install", "--force", wanted])
    return shlex.join([python, "-m", "pip", "install", wanted])


def _source() -> str | None:
    """Where the installed package came from (PEP 610); None where that is not recorded."""
    try:
        recorded = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "null")
        url = str(recorded["url"])
    except (PackageNotFoundError, ValueError, TypeError, KeyError, OSError):
        return None
    parts = urlsplit(url)
    return unquote(parts.path) if parts.scheme == "file" else url
