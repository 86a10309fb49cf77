"""
Results of evaluations: tables, run folders on disk, and the comparison of two of them query by query.

A run folder contains, for each system and collection,

    SYSTEM/COLLECTION.trec    the run: query id, Q0, document id, rank, score, system, separated by tabs, as ids are
                              paths of notes, which may contain spaces
    SYSTEM/COLLECTION.jsonl   a line for each query: _id, text, kind and its measures
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.evaluation.collections import BadCollection
from quarry.evaluation.runner import MAIN, MEASURES, Evaluation, Values, means

FLIPS = 10_000  # resolves p to about .001 where it matters, at .05
SEED = 20_260_101  # the same two runs give the same p
SHOWN_CHANGES = 10
SHOWN_CHARACTERS = 70  # of a query
_BLOCK = 2_000_000  # random numbers at a time: 16 MB
_EPSILON = 1e-12  # sums in another order differ in their last bits
FloatVector = NDArray[np.float64]
_SEPARATORS = re.compile(r"[/\\\x00-\x1f:]")


class SavedQuery(Struct, frozen=True):
    """A query and its measures, as a run folder stores them."""

    collection: str
    id: str
    text: str
    values: Values


# --- tables ------------------------------------------------------------------------------------


def overview(evaluations: Sequence[Evaluation], measure: str = MAIN) -> str:
    """A row per collection, a column per system; the last row is the mean over collections."""
    systems = list(evaluations[0].values) if evaluations else []
    rows = [
        (one.name, len(one.queries), [means(one.values[system].values())[measure] for system in systems])
        for one in evaluations
    ]
    if len(rows) > 1:
        mean = [float(np.mean(column)) for column in zip(*(values for _, _, values in rows), strict=True)]
        rows.append(("mean", sum(count for _, count, _ in rows), mean))
    cells = ([name, str(count), *(f"{value:.4f}" for value in values)] for name, count, values in rows)
    return markdown_table([measure, "queries", *systems], cells)


def by_kind(evaluation: Evaluation, measure: str = MAIN) -> str:
    """A row per kind of query, a column per system; empty if there is only one kind."""
    of_system = {system: _kinds(evaluation, values) for system, values in evaluation.values.items()}
    kinds = next(iter(of_system.values()), {})
    if len(kinds) < 2:
        return ""
    rows = (
        [kind, str(len(rows)), *(f"{means(found[kind])[measure]:.4f}" for found in of_system.values())]
        for kind, rows in kinds.items()
    )
    return markdown_table([f"{evaluation.name}: {measure}", "queries", *of_system], rows)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Sequence[int] = (0,)) -> str:
    """A table whose *text_columns* are flush left; the others contain figures and are flush right."""
    cells = [head, *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column in text_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    rule = "|".join("-" * (w + 2) if c in text_columns else "-" * (w + 1) + ":" for c, w in enumerate(widths))
    return "\n".join([line(cells[0]), f"|{rule}|", *map(line, cells[1:])])


def summary(evaluations: Sequence[Evaluation], *, with_kinds: bool = False) -> dict[str, Any]:
    """The means as plain values: `{"collections": {name: {system: {measure: mean, ..., "queries": count}}}}`."""
    collections = {
        one.name: {system: _row(values.values()) for system, values in one.values.items()} for one in evaluations
    }
    if not with_kinds:
        return {"collections": collections}
    kinds = {
        one.name: {
            system: {kind: _row(rows) for kind, rows in _kinds(one, values).items()}
            for system, values in one.values.items()
        }
        for one in evaluations
    }
    return {"collections": collections, "kinds": kinds}


# --- run folders -------------------------------------------------------------------------------


def save(evaluation: Evaluation, folder: Path) -> None:
    """Write the runs and measures of one collection below *folder*."""
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


def read_saved(folder: Path) -> Iterator[SavedQuery]:
    """
    Read the queries below the folder of one system.

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
                raise BadCollection(f"{file}, line {number}: this is not a saved result: {error!r}") from error


# --- comparison --------------------------------------------------------------------------------


def compare(first: Path, second: Path, measure: str = MAIN) -> str:
    """
    Compare two results: two run folders, or the folders of one system each.

    Raises:
        BadCollection: There are no results to compare.
    """
    shared = [(first, second)] if _is_system(first) and _is_system(second) else []
    if first.is_dir():
        shared += [
            (folder, second / folder.name)
            for folder in sorted(first.iterdir())
            if _is_system(folder) and _is_system(second / folder.name)
        ]
    if not shared:
        raise BadCollection(
            f"{first} and {second} contain no results to compare: name two folders that --run-dir wrote, "
            "or one system's folder in each"
        )
    return "\n\n".join(_compare_systems(one, other, measure) for one, other in shared)


def randomisation(gains: FloatVector, flips: int = FLIPS, seed: int = SEED) -> float:
    """
    The two-sided p of a paired randomisation test on the sum of *gains* (Smucker, Allan and Carterette, CIKM 2007).

    Under the null hypothesis the sign of each query's difference is random. *p* is the share of random choices of signs
    whose sum is at least as far from 0 as the observed one, which is counted as one of them.
    """
    nonzero = gains[np.abs(gains) > _EPSILON]  # a sign changes nothing about 0
    if not nonzero.size:
        return 1.0
    observed = abs(float(nonzero.sum())) - _EPSILON * nonzero.size
    random = np.random.default_rng(seed)
    as_extreme = 0
    block = max(1, _BLOCK // nonzero.size)
    for start in range(0, flips, block):
        signs = random.integers(0, 2, size=(min(block, flips - start), nonzero.size)) * 2 - 1
        as_extreme += int((np.abs(signs @ nonzero) >= observed).sum())
    return (as_extreme + 1) / (flips + 1)


# --- steps -------------------------------------------------------------------------------------


def _compare_systems(first: Path, second: Path, measure: str) -> str:
    before, after = ({(row.collection, row.id): row for row in read_saved(folder)} for folder in (first, second))
    pairs = {key: (before[key].values[measure], after[key].values[measure]) for key in before if key in after}
    names = sorted({collection for collection, _ in pairs})
    scores = {name: np.array([pairs[key] for key in pairs if key[0] == name]) for name in names}
    means_of = {name: found.mean(axis=0) for name, found in scores.items()}
    gains_of = {name: found[:, 1] - found[:, 0] for name, found in scores.items()}
    rows = [_difference(name, len(scores[name]), means_of[name], gains_of[name]) for name in names]
    if len(names) > 1:  # each collection counts the same
        gains = np.concatenate([gains_of[name] / len(scores[name]) for name in names])
        rows.append(_difference("mean", len(pairs), np.mean(list(means_of.values()), axis=0), gains))
    parts = [
        f"{first.name} -> {second.name}",
        markdown_table([measure, "queries", "first", "second", "difference", "p"], rows),
    ]
    by_gain = sorted(pairs, key=lambda key: (pairs[key][0] - pairs[key][1], key))
    for title, keys, sign in (("won", by_gain, 1), ("lost", by_gain[::-1], -1)):
        changed = [key for key in keys if sign * (pairs[key][1] - pairs[key][0]) > _EPSILON]
        cells = [
            [key[0], *(f"{score:.4f}" for score in pairs[key]), _short(before[key].text)]
            for key in changed[:SHOWN_CHANGES]
        ]
        table = markdown_table(["collection", "first", "second", "query"], cells, text_columns=(0, 3))
        parts.append(f"{len(changed)} {title}\n\n{table}")
    if unpaired := len(before) + len(after) - 2 * len(pairs):
        parts.append(f"{unpaired} queries are in only one of the two and are ignored")
    return "\n\n".join(parts)


def _difference(name: str, count: int, both: FloatVector, gains: FloatVector) -> list[str]:
    """A row of the table: *both* means, their difference, and its p."""
    first, second = both
    return [name, str(count), f"{first:.4f}", f"{second:.4f}", f"{second - first:+.4f}", f"{randomisation(gains):.4f}"]


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= SHOWN_CHARACTERS else words[: SHOWN_CHARACTERS - 1] + "…"


def _is_system(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob("*.trec"))


def _kinds(evaluation: Evaluation, values: Mapping[str, Values]) -> dict[str, list[Values]]:
    """The *values* of one system by the kind of query, sorted by kind."""
    rows: defaultdict[str, list[Values]] = defaultdict(list)
    for query in evaluation.queries:
        rows[query.kind].append(values[query.id])
    return dict(sorted(rows.items()))


def _row(values: Iterable[Values]) -> dict[str, float | int]:
    rows = list(values)
    return {**means(rows), "queries": len(rows)}
