"""Fixtures: a small vault whose notes are sentences, and the published design over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quarry.bench.published import PublishedIndex, load_model

TOPICS = ("kettle", "bicycle", "sourdough", "garden", "violin", "compost", "harbour", "lantern")
SENTENCE = "Whoever keeps a {0} should look after the {0} every week of the year."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Eight notes of three sections, each about a thing of its own."""
    root = tmp_path / "vault"
    for number, topic in enumerate(TOPICS):
        folder = root / f"Folder {number % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        text = " ".join(f"{SENTENCE.format(topic)} It costs {hours} hours, which is little." for hours in range(4))
        sections = [f"## Part {part}\n\n{text}" for part in range(3)]
        (folder / f"{topic}.md").write_text(f"# The {topic}\n\n" + "\n\n".join(sections) + "\n", "utf-8")
    return root


@pytest.fixture
def published(tmp_path: Path, vault: Path) -> Iterator[PublishedIndex]:
    """The published design's index of the vault."""
    index = PublishedIndex(tmp_path / "published.db", load_model())
    index.index(vault, sorted(path.relative_to(vault).as_posix() for path in vault.rglob("*.md")))
    yield index
    index.close()
