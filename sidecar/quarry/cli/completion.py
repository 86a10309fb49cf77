"""`quarry completion`: the script that completes the commands and options of `quarry` in a shell."""

from __future__ import annotations

import argparse
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")
SCRIPTS = Path(__file__).parent / "completions"  # `dev/completions.py` writes them
DETAILS = """Print the script that completes the commands and options of `quarry`. To have it in every shell:

  bash  quarry completion bash > ~/.local/share/bash-completion/completions/quarry
  zsh   quarry completion zsh > ~/.zfunc/_quarry     and in ~/.zshrc, before compinit: fpath+=~/.zfunc
  fish  quarry completion fish > ~/.config/fish/completions/quarry.fish"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.description, parser.formatter_class = DETAILS, argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    """Print it."""
    print((SCRIPTS / f"quarry.{options.shell}").read_text(encoding="utf-8"), end="")
    return 0
