"""Lets the tests import the programs that stand beside them; a small vault, and the published design's index of it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "sidecar"))  # for `builders`

from builders import write_topics
from published import PublishedIndex, load_model


@pytest.fixture
def topics_vault(tmp_path: Path) -> Path:
    """
    Eight notes of three sections, each about a thing of its own.

    Not called `vault`: pytest's root is `sidecar/`, so fixtures of this file are seen by all tests.
    """
    return write_topics(tmp_path / "vault")


@pytest.fixture
def published(tmp_path: Path, topics_vault: Path) -> Iterator[PublishedIndex]:
    """The published design's index of the vault."""
    index = PublishedIndex(tmp_path / "published.db", load_model())
    index.index(topics_vault, sorted(path.relative_to(topics_vault).as_posix() for path in topics_vault.rglob("*.md")))
    yield index
    index.close()
