"""
How are evaluations stored on disk, and read back to be compared?

A run folder holds, for each system and collection,

    SYSTEM/COLLECTION.trec    the run: query id, Q0, document id, rank, score, system; with tabs between, as ids are
                              paths of notes and those have spaces
    SYSTEM/COLLECTION.jsonl   a line a query: _id, text, kind and its values
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.evaluation.collections import BadCollection
from quarry.evaluation.measures import MEASURES, Values, means
from quarry.evaluation.runner import Evaluation

_SEPARATORS = re.compile(r"[/\\\x00-\x1f:]")


class SavedQuery(Struct, frozen=True):
    """A query and its measures, as a run folder stores them."""

    collection: str
    id: str
    text: str
    values: Values


def summary(evaluations: Iterable[Evaluation], *, by_kind: bool = False) -> dict[str, Any]:
    """The means as plain values: `{"collections": {name: {system: {measure: mean, ..., "queries": count}}}}`."""
    every = list(evaluations)
    collections = {one.name: {system: _row(values.values()) for system, values in one.values.items()} for one in every}
    if not by_kind:
        return {"collections": collections}
    kinds = {
        one.name: {
            system: {kind: _row(rows) for kind, rows in kinds_of(one, values).items()}
            for system, values in one.values.items()
        }
        for one in every
    }
    return {"collections": collections, "kinds": kinds}


def kinds_of(evaluation: Evaluation, values: Mapping[str, Values]) -> dict[str, list[Values]]:
    """The *values* of one system by the kind of query, kinds in order of their names."""
    rows: defaultdict[str, list[Values]] = defaultdict(list)
    for query in evaluation.queries:
        rows[query.kind].append(values[query.id])
    return dict(sorted(rows.items()))


def save(evaluation: Evaluation, folder: Path) -> None:
    """Write the runs and values of one collection below *folder*."""
    name = _SEPARATORS.sub("_", evaluation.name)
    for system, run in evaluation.runs.items():
        place = folder / system
        place.mkdir(parents=True, exist_ok=True)
        with (place / f"{name}.trec").open("w", encoding="utf-8", newline="\n") as lines:
            for query in evaluation.queries:
                for rank, document in enumerate(run.get(query.id, ()), start=1):
                    lines.write(f"{query.id}\tQ0\t{document}\t{rank}\t{-rank}\t{system}\n")
        with (place / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as lines:
            for query in evaluation.queries:
                row = {"_id": query.id, "text": query.text, "kind": query.kind, **evaluation.values[system][query.id]}
                lines.write(json.dumps(row) + "\n")


def pairs(first: Path, second: Path) -> list[tuple[str, Path, Path]]:
    """
    Find what two results have to compare: the same systems in two run folders, or two folders of one system each.

    Raises:
        BadCollection: They hold no results, or none that could be compared.
    """
    if _is_system(first) and _is_system(second):
        return [(f"{first.name} -> {second.name}", first, second)]
    shared = [
        (folder.name, folder, second / folder.name)
        for folder in (sorted(first.iterdir()) if first.is_dir() else [])
        if _is_system(folder) and _is_system(second / folder.name)
    ]
    if not shared:
        raise BadCollection(
            f"{first} and {second} hold no results to compare: name two folders that --run-dir wrote, "
            "or one system's folder in each"
        )
    return shared


def read_saved(folder: Path) -> Iterator[SavedQuery]:
    """
    Every query's line below one system's *folder*.

    Raises:
        BadCollection: A line is not one that `save` writes.
    """
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            try:
                row = json.loads(line)
                values = {name: float(row[name]) for name in MEASURES}
                yield SavedQuery(file.stem, str(row["_id"]), str(row["text"]), values)
            except (ValueError, KeyError, TypeError) as error:
                raise BadCollection(f"{file}, line {number}: this is no result: {error!r}") from error


def _is_system(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob("*.trec"))


def _row(values: Iterable[Values]) -> dict[str, float | int]:
    rows = list(values)
    return {**means(rows), "queries": len(rows)}
