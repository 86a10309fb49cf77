"""`quarry completion`: the script that completes the commands and options of `quarry` in a shell."""

import argparse

import shtab

SHELLS = ("bash", "zsh", "fish", "powershell")  # for tcsh, shtab has no options of commands
FOLDERS = ("DIR", "VAULT")  # metavars of arguments that take a folder
DETAILS = """Print the script that completes the commands and options of `quarry`. To have it in every shell:

  bash  quarry completion bash > ~/.local/share/bash-completion/completions/quarry
  zsh   quarry completion zsh > ~/.zfunc/_quarry     and in ~/.zshrc, before compinit: fpath+=~/.zfunc
  fish  quarry completion fish > ~/.config/fish/completions/quarry.fish"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.description, parser.formatter_class = DETAILS, argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def run(options: argparse.Namespace) -> None:
    """Print the script, which shtab makes from the parser."""

    from quarry.cli.main import full_parser

    parser = full_parser()
    _complete_paths(parser, shtab.FILE, shtab.DIRECTORY)
    print(shtab.complete(parser, options.shell))


def _complete_paths(parser: argparse.ArgumentParser, file: object, folder: object) -> None:
    """Have arguments that take a path completed with paths."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_paths(command, file, folder)
        elif action.metavar in (*FOLDERS, "FILE"):
            action.complete = file if action.metavar == "FILE" else folder  # type: ignore[attr-defined]
