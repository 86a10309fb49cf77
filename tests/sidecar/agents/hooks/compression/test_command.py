"""What a command runs, behind assignments, launchers and pipes."""

import pytest

from quarry.agents.hooks.compression.command import parse_command


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("pytest -v", ["pytest"]),
        ("FOO=1 BAR='a b' sudo -u ada /usr/bin/make -k", ["make"]),
        ("uv run --with x python -m pytest tests", ["pytest"]),
        ("python3.12 -m unittest", ["unittest"]),
        ("timeout 60 npx jest", ["jest"]),
        ("npm test", ["npm"]),
        ("cd sub && make 2>&1 | tail -50", ["make"]),
        ("make > build.log 2>&1; pytest", ["make", "pytest"]),
        ("cmake -B build && cmake --build build || true", ["cmake", "cmake"]),
        ("(make; make test)", ["make", "make"]),
        ("make \\\n  -j4\npytest", ["make", "pytest"]),
        ("C:\\\\tools\\\\make.exe", ["make.exe"]),
    ],
)
def test_programs_are_told_in_order(command, names):
    assert [program.name for program in parse_command(command)] == names


@pytest.mark.parametrize(
    "command", ["cat a", "make | grep x", "make && cat log", "git diff", "python -m quarry read a", "x `y`", "a 'b", ""]
)
def test_what_is_to_be_left_as_it_is_is_no_command_of_ours(command):
    assert parse_command(command) is None


def test_arguments_and_filters_are_told():
    (program,) = parse_command("find src -name '*.py' | sort | head -100")

    assert (program.arguments, program.filters) == (("src", "-name", "*.py"), ("sort", "head"))
    assert program.words == {"src", "*.py"}
