"""The completion scripts contain every command and option."""

import argparse
import shutil
import subprocess

import pytest

from quarry.cli.completion import SHELLS
from quarry.cli.main import COMMANDS, full_parser


def options_of(parser):
    """All options that the help shows, as they are typed."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from options_of(command)
        elif action.help != argparse.SUPPRESS:
            yield from action.option_strings


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_completed(command, shell):
    done = command("completion", shell)

    assert done.code == 0
    for name in (*COMMANDS, *options_of(full_parser())):
        typed = name.lstrip("-") if shell == "fish" else name
        assert typed in done.out


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_read_it(command, shell, tmp_path):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(command("completion", shell).out)

    subprocess.run([program, "-n", tmp_path / "script"], check=True)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_a_command_and_an_option(command, tmp_path):
    (tmp_path / "script").write_text(command("completion", "bash").out)
    ask = (
        "source $1; COMP_WORDS=({words}); COMP_CWORD={at}; _shtab_quarry 2>/dev/null; printf '%s\\n' ${{COMPREPLY[@]}}"
    )

    def completed(*words):
        code = ask.format(words=" ".join(words), at=len(words) - 1)
        return subprocess.run(
            ["bash", "-c", code, "bash", tmp_path / "script"], capture_output=True, text=True, check=False
        ).stdout.split()

    assert completed("quarry", "sea") == ["search"]
    assert "--max-tokens" in completed("quarry", "search", "--ma")
