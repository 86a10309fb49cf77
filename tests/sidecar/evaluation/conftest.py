"""Fixtures: collections on disk."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

DOCUMENTS = [
    {"_id": "Howto/Kettle.md", "title": "Kettle", "text": "# Kettle\n\nDescale the kettle with vinegar.\n"},
    {"_id": "https://example.org/a#b", "title": "Bicycle: chain", "text": "Oil the chain after rain.\n"},
    {"_id": "7", "title": "", "text": "Sourdough wants a warm night.\n"},
]
QUERIES = [
    {"_id": "q1", "text": "descale kettle", "kind": "keyword"},
    {"_id": "q2", "text": "oil the chain", "kind": "keyword"},
    {"_id": "q3", "text": "sourdough", "kind": "word"},
    {"_id": "q4", "text": "nothing answers this"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\tHowto/Kettle.md\t3\nq2\thttps://example.org/a#b\t1\nq3\t7\t2\nq4\t7\t0\n"

WriteCollection = Callable[..., Path]


@pytest.fixture
def write_collection(tmp_path: Path) -> WriteCollection:
    """Write a collection, every part of which can be replaced, and give its folder."""

    def write(
        name: str = "small",
        documents: Sequence[Mapping[str, object]] = DOCUMENTS,
        queries: Sequence[Mapping[str, object]] = QUERIES,
        qrels: str = QRELS,
    ) -> Path:
        folder = tmp_path / "collections" / name
        folder.mkdir(parents=True)
        for file, rows in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
            (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        (folder / "qrels.tsv").write_text(qrels, "utf-8")
        return folder

    return write
