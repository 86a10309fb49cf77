"""Lets the tests import the programs beside them, which ask one index of each vault."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parent.parent / "performance"))  # for `benchmark`


@pytest.fixture(scope="session")
def index_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Where the index of a vault is, which is built by whoever opens it first; nobody changes it."""
    folder = tmp_path_factory.mktemp("indexes")
    return lambda name: folder / f"{name}.db"
