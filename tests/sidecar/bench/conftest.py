"""Fixtures: a small vault whose notes are sentences."""

from pathlib import Path

import pytest
from builders import write_topics


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Eight notes of three sections, each about a thing of its own."""
    return write_topics(tmp_path / "vault")
