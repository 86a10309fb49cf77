"""What a command imports before it can begin: start-up is mostly that."""

import gc
import subprocess
import sys

import pytest

from quarry.interfaces.cli.importing import importing

ENGINE = {"numpy", "apsw", "quarry.engine", "quarry.index", "tokenizers"}
UNASKED = {"importlib.metadata", "pathspec", "tqdm", "watchfiles", "model2vec"}


def imported(code: str) -> set[str]:
    """The modules that are there after *code*, in a process of its own."""
    code = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("command", ["search", "explain", "related", "read", "list", "status"])
def test_a_command_that_asks_a_sidecar_imports_no_engine(command: str):
    code = f"from quarry.interfaces.cli.main import _parser\n_parser(['{command}'])\nimport quarry.interfaces.client"

    found = imported(code)

    assert "quarry.interfaces.client" in found
    assert not found & ENGINE
    assert not found & (UNASKED - {"importlib.metadata"})  # that one websockets imports for itself


def test_a_sidecar_imports_neither_what_follows_files_nor_what_draws_nor_what_asks_another():
    code = "from quarry.interfaces.cli.main import _parser\n_parser(['serve'])\nimport quarry.interfaces.serve"

    found = imported(code)

    assert "quarry.engine" in found
    assert not found & {"pathspec", "tqdm", "watchfiles", "model2vec", "websockets.sync.client", "quarry.evaluation"}


def test_the_package_alone_looks_up_no_version_and_knows_it_when_asked():
    assert "importlib.metadata" not in imported("import quarry")

    from importlib.metadata import version

    import quarry

    assert quarry.__version__ == version("quarry-search")


def test_what_the_package_does_not_have_is_no_attribute():
    import quarry

    with pytest.raises(AttributeError, match="colour"):
        _ = quarry.colour


def import_with_the_collector_off():
    assert not gc.isenabled()
    raise ImportError


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_after_imports_that_failed(enabled: bool):
    was_enabled = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()

        with pytest.raises(ImportError), importing():
            import_with_the_collector_off()

        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
