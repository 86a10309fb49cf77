"""
Writes the completion scripts of the command line, which `quarry completion` prints.

    python sidecar/dev/completions.py

Needs shtab (`pip install shtab`), which a user of Quarry does not: the scripts are part of the package.
"""

import argparse

import shtab

from quarry.cli.completion import SCRIPTS, SHELLS
from quarry.cli.main import full_parser

FOLDERS = ("DIR", "VAULT")  # metavars of arguments that take a folder
FILES = ("FILE",)


def main() -> None:
    """Write a script for each shell."""
    SCRIPTS.mkdir(exist_ok=True)
    for shell in SHELLS:
        parser = full_parser()
        _complete_paths(parser)
        text = "\n".join(line.rstrip() for line in shtab.complete(parser, shell).splitlines())
        (SCRIPTS / f"quarry.{shell}").write_text(f"{text}\n", encoding="utf-8")


def _complete_paths(parser: argparse.ArgumentParser) -> None:
    """Have arguments that take a path completed with paths."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_paths(command)
        elif action.metavar in FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
