"""
What is asked, and what should be found? Reads collections with judged queries from disk.

A collection is a folder that holds

    corpus.jsonl                  a document a line: _id, title, text (the layout of BEIR);
                                  or in its place `vault/`, a folder of notes
    queries.jsonl or queries.tsv  _id (or id), text, and a kind where there are several
    qrels.tsv or qrels/test.tsv   query-id, corpus-id, score

or a golden file for a vault that is there already: query, path, and where wanted grade and kind, as JSON lines or as
a table. Tables are separated by tabs and quote nothing, under a line that names the columns.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.errors import BadRequest
from quarry.vault.paths import nfc

CORPUS, VAULT = "corpus.jsonl", "vault"
QUERIES = ("queries.jsonl", "queries.tsv")
QRELS = ("qrels.tsv", "qrels/test.tsv")
NO_KIND = "all"

_NOT_IN_AN_ID = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")  # tables and runs are lines of UTF-8 with tabs between


class BadCollection(BadRequest):
    """A collection is not laid out as it should be; the message names the file and the line."""


class CorpusDocument(Struct, frozen=True):
    """A document of a corpus; it becomes a note."""

    id: str
    title: str
    text: str


class JudgedQuery(Struct, frozen=True):
    """A query and what is relevant to it."""

    id: str
    text: str
    kind: str
    grades: Mapping[str, int]  # document id -> grade, at least 1; what is not named is not relevant


class Collection(Struct, frozen=True):
    """Queries over one corpus."""

    name: str
    corpus: Path  # a file of documents, or a folder of notes, whose ids are their paths in NFC
    queries: tuple[JudgedQuery, ...]  # with at least one relevant document, in the order of the file
    unjudged: int = 0  # queries left out: nothing is judged relevant to them
    orphan_qrels: int = 0  # judgments of queries that do not exist

    @property
    def is_vault(self) -> bool:
        """Whether the corpus is a folder of notes already."""
        return self.corpus.is_dir()


def find_collections(place: Path) -> list[Path]:
    """
    Find collections: *place* itself, or the folders directly below it, sorted by name.

    Raises:
        BadCollection: There are none.
    """
    if _is_collection(place):
        return [place]
    below = sorted(folder for folder in place.iterdir() if _is_collection(folder)) if place.is_dir() else []
    if not below:
        raise BadCollection(
            f"{place} holds no collection: a folder with {CORPUS} (or {VAULT}/), {QUERIES[0]} and {QRELS[0]}"
        )
    return below


def read_collection(folder: Path, vault: Path | None = None) -> Collection:
    """
    Read the collection in *folder*, but for its documents.

    Args:
        vault: The notes that are asked about, where they are not in *folder*.

    Raises:
        BadCollection: A file is missing or cannot be read.
    """
    corpus = vault or folder / VAULT
    if not corpus.is_dir():
        corpus = _one_of(folder, (CORPUS,))
    texts = _read_queries(_one_of(folder, QUERIES))
    grades = _read_qrels(_one_of(folder, QRELS))
    if corpus.is_dir():
        grades = {query: {nfc(path): grade for path, grade in of.items()} for query, of in grades.items()}
    return _judged(folder.resolve().name, corpus, texts, grades)


def read_golden(file: Path, vault: Path) -> Collection:
    """
    Read the golden *file* over *vault*; queries with the same text are one query.

    Raises:
        BadCollection: *file* cannot be read.
    """
    texts: dict[str, tuple[str, str]] = {}
    grades: dict[str, dict[str, int]] = {}
    id_of: dict[str, str] = {}
    for line, row in read_rows(file):
        text = _text(file, line, row, "query")
        query = id_of.setdefault(text, str(len(id_of) + 1))
        texts.setdefault(query, (text, _kind(row)))
        _grade(file, line, grades.setdefault(query, {}), nfc(_id(file, line, row, "path")), row.get("grade", 1))
    return _judged(file.stem, vault, texts, grades)


def read_documents(file: Path) -> Iterator[CorpusDocument]:
    """
    Read the documents of a corpus, one at a time.

    Raises:
        BadCollection: A line is not a document, or an id occurs twice.
    """
    seen: set[str] = set()
    for line, row in read_rows(file):
        document = CorpusDocument(
            _id(file, line, row, "_id"), _text(file, line, row, "title", ""), _text(file, line, row, "text")
        )
        if document.id in seen:
            raise BadCollection(f"{file}, line {line}: the id {document.id!r} is there already")
        seen.add(document.id)
        yield document


# --- steps -------------------------------------------------------------------------------------


def _is_collection(folder: Path) -> bool:
    has_corpus = (folder / CORPUS).is_file() or (folder / VAULT).is_dir()
    return has_corpus and any((folder / name).is_file() for name in QUERIES)


def _one_of(folder: Path, names: tuple[str, ...]) -> Path:
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None:
        raise BadCollection(f"{folder} has no {' or '.join(names)}")
    return found


def _judged(
    name: str, corpus: Path, texts: Mapping[str, tuple[str, str]], grades: Mapping[str, Mapping[str, int]]
) -> Collection:
    relevant = {query: {doc: grade for doc, grade in of.items() if grade > 0} for query, of in grades.items()}
    queries = tuple(
        JudgedQuery(query, text, kind, relevant[query]) for query, (text, kind) in texts.items() if relevant.get(query)
    )
    orphan_qrels = sum(len(of) for query, of in grades.items() if query not in texts)
    return Collection(name, corpus, queries, len(texts) - len(queries), orphan_qrels)


def _read_queries(file: Path) -> dict[str, tuple[str, str]]:
    """Query id -> its text and kind."""
    queries: dict[str, tuple[str, str]] = {}
    for line, row in read_rows(file):
        query = _id(file, line, row, "_id" if "_id" in row else "id")
        if query in queries:
            raise BadCollection(f"{file}, line {line}: the id {query!r} is there already")
        queries[query] = (_text(file, line, row, "text"), _kind(row))
    return queries


def _read_qrels(file: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line, row in read_rows(file):
        query, document = _id(file, line, row, "query-id"), _id(file, line, row, "corpus-id")
        _grade(file, line, qrels.setdefault(query, {}), document, row.get("score"))
    return qrels


def _grade(file: Path, line: int, grades: dict[str, int], document: str, value: object) -> None:
    try:
        grade = int(str(value))
    except ValueError as error:
        raise BadCollection(f"{file}, line {line}: {value!r} is no grade; it is a whole number") from error
    if grades.setdefault(document, grade) != grade:
        raise BadCollection(f"{file}, line {line}: {document!r} was graded {grades[document]} before, now {grade}")


def _text(file: Path, line: int, row: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = row.get(name, default)
    if not isinstance(value, str):
        raise BadCollection(f"{file}, line {line}: {name!r} is {value!r}; it is a text")
    return value


def _id(file: Path, line: int, row: Mapping[str, Any], name: str) -> str:
    value = _text(file, line, row, name)
    if not value or _NOT_IN_AN_ID.search(value):
        raise BadCollection(
            f"{file}, line {line}: {name!r} is {value!r}; it is not empty and holds no control character"
        )
    return value


def _kind(row: Mapping[str, Any]) -> str:
    kind = row.get("kind")
    return kind if isinstance(kind, str) and kind else NO_KIND


def read_rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a table or of JSON lines, each with the number of its line; blank lines are passed over."""
    columns: list[str] | None = None
    for number, line in _read_lines(file):
        if file.suffix == ".jsonl":
            yield number, _parse_json(file, number, line)
        elif columns is None:
            columns = line.split("\t")
        else:
            yield number, dict(zip(columns, line.split("\t"), strict=False))  # what is not there, its reader misses


def _read_lines(file: Path) -> Iterator[tuple[int, str]]:
    # As bytes, cut at line feeds alone: JSON may hold other line ends of Unicode as they are.
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text.strip():
                    yield number, text
    except UnicodeDecodeError as error:
        raise BadCollection(f"{file} is not UTF-8: {error}") from error
    except OSError as error:
        raise BadCollection(f"{file} cannot be read: {error.strerror}") from error


def _parse_json(file: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadCollection(f"{file}, line {number}: this is no JSON: {error}") from error
    if not isinstance(row, dict):
        raise BadCollection(f"{file}, line {number}: this is no object, but {line[:60]!r}")
    return row
