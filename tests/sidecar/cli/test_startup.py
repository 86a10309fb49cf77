"""Modules that a command imports: the engine's are for the commands that need it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # each test starts an interpreter

ENGINE = {"numpy", "apsw", "quarry.engine", "quarry.index", "tokenizers"}
OTHERS = {"tqdm", "watchfiles", "model2vec", "mcp", "quarry.evaluation", "quarry.mcp"}
BEGIN = "from quarry.__main__ import main\n"


def helped(*arguments: str) -> str:
    """Code that runs the command line up to an end of its own, such as `--help`, and keeps what it prints."""
    return (
        f"import contextlib, io\n{BEGIN}with contextlib.redirect_stdout(io.StringIO()), "
        f"contextlib.suppress(SystemExit):\n    main({list(arguments)!r})\n"
    )


def imported(code: str) -> set[str]:
    """The modules that are imported after *code*, in a process of its own."""
    code = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_the_version_imports_no_message_and_no_command():
    found = imported(helped("--version"))

    assert "quarry.limits" in found
    assert not found & (ENGINE | OTHERS | {"argparse", "msgspec", "quarry.protocol", "quarry.cli.main"})


@pytest.mark.parametrize("command", ["search", "explain", "related", "read", "list", "status", "context"])
def test_a_command_that_asks_a_sidecar_imports_no_engine(command: str):
    assert not imported(helped(command, "--help")) & (ENGINE | OTHERS)


def test_a_question_to_a_running_sidecar_imports_no_engine(at_shared):
    assert not imported(helped("search", "--json", "accordion")) & (ENGINE | OTHERS)


def test_a_command_that_serves_agents_imports_neither_the_engine_nor_the_sdk():
    found = imported(f"{helped('mcp', '--help')}import quarry.mcp.stdio")

    assert "quarry.mcp.stdio" in found
    assert not found & (ENGINE | {"pydantic", "uvicorn"} | (OTHERS - {"quarry.mcp"}))


def test_a_sidecar_imports_neither_the_file_watcher_nor_progress_bars():
    found = imported(helped("serve", "--help"))

    assert "quarry.engine" in found
    assert not found & (OTHERS)


def test_numpy_starts_no_threads_of_its_own():
    code = f"{helped('serve', '--help')}import numpy, os\nassert os.environ['OPENBLAS_NUM_THREADS'] == '1'"
    if sys.platform == "linux":
        code += "\nassert len(os.listdir('/proc/self/task')) == 1"

    assert "numpy" in imported(code)


def test_the_package_alone_looks_up_no_version_and_knows_it_when_asked():
    assert "importlib.metadata" not in imported("import quarry")

    from importlib.metadata import version

    import quarry

    assert quarry.__version__ == version("quarry-search")


def test_an_unknown_name_of_the_package_is_no_attribute():
    import quarry

    with pytest.raises(AttributeError, match="colour"):
        _ = quarry.colour
