"""
Measure how well notes are cut: `python tests/retrieval/chunking.py RAW`.

RAW is a folder with texts (`*.md`) and `questions_df.csv`, whose references give start and end of every stretch that
answers a question: the data and the measures of Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval"
(Chroma, 2024). Each text is a note, cut by the real chunker; of the best five passages, and for each question:

    recall           share of what answers that stands in them
    precision        share of them that answers
    IoU              what answers in them, over all that is in them or answers
    precision-omega  precision if every passage with a part of the answer were found, and no other: what the cuts cost

Counted in characters, where the report counts tokens. SystemRun are the dense retriever alone and the engine with its
defaults, whose hits are notes: its five are the first passages that it shows.
"""

import argparse
import csv
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from quarry.documents.note import ParserSettings, read_note
from quarry.embedding import load_encoder
from quarry.engine import Engine
from quarry.errors import BadQuery
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import NO_TOKEN_LIMIT, indexed
from quarry.index import quantize
from quarry.index.vectors.quantize import cosines
from quarry.indexing.vector_model import embedded_text
from quarry.options import SearchOptions

QUESTIONS = "questions_df.csv"
PASSAGES = 5  # of a question
SHOWN = 120  # characters of a snippet; without one the engine shows no passage
_LONGEST_FIELD = 2**24  # the references of a question stand in one

Span: TypeAlias = tuple[int, int]
"""`[start, end)`, code points into a text."""


@dataclass(frozen=True, slots=True)
class Place:
    """A passage: where it stands."""

    file: str  # its name without `.md`
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what answers it."""

    text: str
    file: str
    references: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """The measures of one question, or their means; each from 0 to 1."""

    recall: float
    precision: float
    iou: float
    precision_omega: float


def question_rows(file: Path) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Each question of a table with the columns `question`, `corpus_id` and `references` (JSON), in that order."""
    csv.field_size_limit(_LONGEST_FIELD)
    with file.open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            yield row["question"], row["corpus_id"], json.loads(row["references"])


def read_questions(file: Path) -> list[Question]:
    """The questions of `question_rows` with the places of their answers."""
    return [
        Question(text, corpus, tuple((found["start_index"], found["end_index"]) for found in references))
        for text, corpus, references in question_rows(file)
    ]


def quality(question: Question, found: Sequence[Place], every: Iterable[Place]) -> Quality:
    """
    How well *found* answers *question*.

    Args:
        found: Passages, best first; what is in two of them counts twice as shown, once as answer.
        every: All passages there are, for precision-omega.
    """
    answer = merged(question.references)
    size = sum(end - start for start, end in answer)

    def answering(places: Iterable[Place]) -> int:
        return _shared(answer, merged((place.start, place.end) for place in places if place.file == question.file))

    shown = sum(place.end - place.start for place in found)
    good = answering(found)
    touched = [place for place in every if answering([place])]
    of_touched = sum(end - start for start, end in merged((place.start, place.end) for place in touched))
    return Quality(
        recall=_ratio(good, size),
        precision=_ratio(good, shown),
        iou=_ratio(good, shown + size - good),
        precision_omega=_ratio(answering(touched), of_touched),
    )


def mean(values: Sequence[Quality]) -> Quality:
    """The mean of each measure."""
    return Quality(*(sum(column) / len(values) for column in zip(*map(astuple, values), strict=True)))


def merged(spans: Iterable[Span]) -> list[Span]:
    """What *spans* cover together, as spans in order that do not touch."""
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return whole


def _shared(first: Sequence[Span], second: Sequence[Span]) -> int:
    """How many characters are in both of two lists, neither of which overlaps itself."""
    return sum(max(0, min(end, stop) - max(start, begin)) for start, end in first for begin, stop in second)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# --- asking ------------------------------------------------------------------------------------


def by_meaning(files: Sequence[Path], questions: Sequence[Question]) -> tuple[list[Place], list[list[Place]]]:
    """All passages, and for each question those nearest in meaning, embedded and stored as the index does it."""
    encoder = load_encoder()
    places: list[Place] = []
    rows: list[bytes] = []
    for file in files:
        chunks = read_note(file.name, file.read_bytes(), ParserSettings()).chunks
        places += [Place(file.stem, chunk.start, chunk.end) for chunk in chunks]
        rows += quantize(encoder.encode([embedded_text(chunk) for chunk in chunks]))
    embedded = [(place, row) for place, row in zip(places, rows, strict=True) if row]
    found = []
    for vector in encoder.encode([question.text for question in questions]):
        scores = cosines([row for _, row in embedded], vector)
        best = sorted(range(len(embedded)), key=lambda at: -scores[at])[:PASSAGES]
        found.append([embedded[at][0] for at in best])
    return places, found


def by_engine(files: Sequence[Path], questions: Sequence[Question]) -> list[list[Place]]:
    """For each question the first passages that the engine shows; none for one that it refuses."""
    with tempfile.TemporaryDirectory(prefix="quarry-chunking-") as temporary:
        vault = Path(temporary, "vault")
        vault.mkdir()
        for file in files:
            shutil.copy(file, vault)
        with indexed(vault, Path(temporary, "index.db")) as engine:
            return [list(islice(_shown(engine, question.text), PASSAGES)) for question in questions]


def _shown(engine: Engine, text: str) -> Iterator[Place]:
    request = SearchOptions(
        query=text,
        limit=PASSAGES,
        snippet_width=SHOWN,
        max_tokens=NO_TOKEN_LIMIT,
        expand_small_results=False,
    )
    try:
        answer = engine.search(request)
    except BadQuery:
        return
    for hit in answer.hits:
        for passage in hit.passages:
            chunk = passage.chunk.chunk
            yield Place(hit.path.removesuffix(".md"), chunk.start, chunk.end)


# --- telling -----------------------------------------------------------------------------------


def table(of_system: Mapping[str, Sequence[Quality]], questions: Sequence[Question]) -> str:
    """A Markdown table: for each system its means, by text and over all questions."""
    files = sorted({question.file for question in questions})
    rows = []
    for system, values in of_system.items():
        every = list(zip((question.file for question in questions), values, strict=True))
        for name in (*files, "all"):
            group = [value for file, value in every if name in (file, "all")]
            rows.append([system, name, str(len(group)), *(f"{value:.4f}" for value in astuple(mean(group)))])
    names = [field.name.replace("_", "-") for field in fields(Quality)]
    return markdown_table(["asked", "text", "questions", *names], rows, text_columns=(0, 1))


def main() -> int:
    """Measure the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("raw", type=Path, metavar="RAW")
    raw: Path = parser.parse_args().raw
    files = sorted(raw.glob("*.md"))
    questions = read_questions(raw / QUESTIONS)
    every, nearest = by_meaning(files, questions)
    found = {"meaning": nearest, "engine": by_engine(files, questions)}
    of_system = {
        system: [quality(question, places, every) for question, places in zip(questions, lists, strict=True)]
        for system, lists in found.items()
    }
    print(table(of_system, questions))
    print(f"\n{len(every)} passages of {sum(p.end - p.start for p in every) / len(every):.0f} characters on average")
    return 0


if __name__ == "__main__":
    sys.exit(main())
