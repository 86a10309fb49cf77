"""
How well confidence separates prompts with an answer in a vault from prompts without one, and which warnings are shown.

    sidecar/.venv/bin/python tests/retrieval/judged_prompts.py VAULT FILE... [--modes default]

A file of prompts has a JSON object per line: `id`, `text`, `kind` and `paths`, the notes that answer it by themselves.

    on       a note answers it
    near     it asks about the vault's own subjects, but no note answers
    follow   it depends on an earlier turn of a conversation, and asks nothing of any vault
    far      it has nothing to do with the vault

Each prompt that is answered is asked a second time of the vault without the notes that answer it (`removed`).
"""

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from quarry.engine import Engine
from quarry.errors import BadQuery, BadRequest, DeadlineExceeded
from quarry.evaluation.collections import BadCollection, read_rows
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import CONFIDENT, SYSTEMS, System, indexed
from quarry.options import Scope
from quarry.search import Answer
from quarry.vault.paths import nfc

Kind = Literal["on", "near", "follow", "removed", "far"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NEAR: tuple[Kind, ...] = ("near", "follow", "removed")
FALSE_SHARE = 0.05  # of the prompts without an answer that may be taken for answered
SURE = 0.5  # the confidence from which an answer is more probable than not
BINS = 10  # of the calibration error, each with as many prompts


Told = Literal["nothing found", "no note has the words", "weak", "shown"]
TOLD: tuple[Told, ...] = get_args(Told)


class Prompt(Struct, frozen=True):
    """Something that may be asked of a vault."""

    id: str
    text: str
    kind: Kind
    paths: tuple[str, ...] = ()  # in NFC, of the notes that answer it; of a `removed` one, of those taken out
    before: tuple[str, ...] = ()  # the prompts of the conversation before it

    @property
    def is_answered(self) -> bool:
        """Whether a note answers it."""
        return self.kind == "on"


class Judged(Struct, frozen=True):
    """How an answer to a prompt is rated."""

    prompt: Prompt
    confidence: float  # of the answer, which is that of its first hit
    is_right: bool  # whether that hit answers
    told: Told = "shown"  # what a person reads above the hits; `shown`: nothing that warns of them


class ConfidenceReport(Struct, frozen=True):
    """How well confidence separates prompts with an answer from those without."""

    prompts: Mapping[str, int]  # by kind
    told: Mapping[str, Mapping[str, int]]  # kind -> what a person is told -> prompts
    sure: Mapping[str, int]  # kind -> prompts with a confidence of `SURE` or more
    auc: float | None  # over all; None, as what follows, where there are no prompts to tell apart
    auc_near: float | None
    auc_far: float | None
    kept: float | None  # share of the answered prompts kept at the threshold that `FALSE_SHARE` of the others pass
    calibration_error: float  # mean distance of the first hits' confidence from the share of them that answer
    precision: float | None  # share of the answered prompts whose first hit answers


def read_prompts(file: Path) -> tuple[Prompt, ...]:
    """
    Read a file of prompts, and add the `removed` ones.

    Raises:
        BadCollection: A line is not a prompt, or an id occurs twice.
    """
    found: dict[str, Prompt] = {}
    for line, row in read_rows(file):
        one = row.get("id"), row.get("text"), row.get("kind"), row.get("paths", [])
        name, text, kind, paths = one
        if not (isinstance(name, str) and isinstance(text, str) and isinstance(paths, list)):
            raise BadCollection(f"{file}, line {line}: a prompt has an id, a text and a list of paths")
        if kind not in KINDS or (kind == "on") != bool(paths):
            raise BadCollection(f"{file}, line {line}: `kind` is one of {', '.join(KINDS)}, and only `on` has paths")
        if name in found:
            raise BadCollection(f"{file}, line {line}: the id {name!r} is there already")
        found[name] = Prompt(name, text, kind, tuple([nfc(str(path)) for path in paths]))
    removed = [Prompt(f"{one.id}-removed", one.text, "removed", one.paths) for one in found.values() if one.is_answered]
    return (*found.values(), *removed)


def judge_prompts(engine: Engine, prompts: Sequence[Prompt], system: System) -> Iterator[Judged]:
    """Ask *prompts* one after another; one that cannot be read as a query has no answer."""
    for prompt in prompts:
        request = system.request(prompt.text, limit=10)
        if prompt.kind == "removed":
            request = replace(request, filters=Scope(not_paths=prompt.paths))
        try:
            answer = engine.search(request)
        except (BadQuery, DeadlineExceeded):
            yield Judged(prompt, 0.0, is_right=False, told="nothing found")
            continue
        first = answer.hits[0] if answer.hits else None
        is_right = first is not None and prompt.is_answered and nfc(first.path) in prompt.paths
        yield Judged(prompt, answer.confidence, is_right, _told(answer))


def _told(answer: Answer) -> Told:
    if not answer.hits:
        return "nothing found"
    if answer.weakness == "no-words":
        return "no note has the words"
    return "weak" if answer.weakness else "shown"


def evaluate_prompts(
    vault: Path, index_path: Path, prompts: Sequence[Prompt], systems: Sequence[str]
) -> dict[str, ConfidenceReport]:
    """
    Ask *prompts* of *vault* by each of *systems*.

    Raises:
        IndexUnavailable: The vault cannot be indexed, or a retriever is not available.
        BadRequest: There are no prompts.
    """
    with indexed(vault, index_path) as engine:
        return {system: report(list(judge_prompts(engine, prompts, SYSTEMS[system]))) for system in systems}


def report(judged: Sequence[Judged]) -> ConfidenceReport:
    """
    Measure how well confidence separates, and what people are told.

    Raises:
        BadRequest: There are no prompts.
    """
    if not judged:
        raise BadRequest("there are no prompts: each is a line of its file")
    of_kind: defaultdict[str, list[float]] = defaultdict(list)
    told: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in judged:
        of_kind[one.prompt.kind].append(one.confidence)
        told[one.prompt.kind][one.told] += 1
    answered = of_kind["on"]
    near = [value for kind in NEAR for value in of_kind[kind]]
    others = near + of_kind["far"]
    threshold = float(np.quantile(others, 1 - FALSE_SHARE, method="higher")) if others else 1.0
    right = [one.is_right for one in judged if one.prompt.is_answered]
    kinds = [kind for kind in KINDS if of_kind[kind]]
    return ConfidenceReport(
        prompts={kind: len(of_kind[kind]) for kind in kinds},
        told={kind: {what: told[kind][what] for what in TOLD} for kind in kinds},
        sure={kind: sum(value >= SURE for value in of_kind[kind]) for kind in kinds},
        auc=auc(answered, others),
        auc_near=auc(answered, near),
        auc_far=auc(answered, of_kind["far"]),
        kept=float(np.mean([value > threshold for value in answered])) if answered and others else None,
        calibration_error=calibration_error([one.confidence for one in judged], [one.is_right for one in judged]),
        precision=float(np.mean(right)) if right else None,
    )


def auc(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """The probability that one of *higher* exceeds one of *lower*, ties counting half; None where one is empty."""
    if not higher or not lower:
        return None
    ordered = np.sort(np.array(lower))
    below = ordered.searchsorted(higher) + ordered.searchsorted(higher, side="right")
    return float(below.mean() / 2 / len(lower))


def calibration_error(confidences: Sequence[float], outcomes: Sequence[bool]) -> float:
    """
    Expected calibration error (Naeini, Cooper and Hauskrecht 2015) over `BINS` bins of as many values each.

    The mean distance between the mean confidence of a bin and the share of its outcomes that are true.
    """
    order = np.argsort(confidences, kind="stable")
    values, truths = np.array(confidences)[order], np.array(outcomes, dtype=np.float64)[order]
    bins = [at for at in np.array_split(np.arange(len(values)), BINS) if len(at)]
    distances = [abs(values[at].mean() - truths[at].mean()) * len(at) for at in bins]
    return float(sum(distances) / len(values))


def tables(name: str, reports: Mapping[str, ConfidenceReport]) -> str:
    """A row per system on how well confidence separates, and a row per system and kind on what people are told."""

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.4f}"

    columns = ("AUC", "near misses", "far", "kept at 5 % false", "calibration error", "first hit right")
    separated = [
        [
            system,
            str(sum(one.prompts.values())),
            *map(number, (one.auc, one.auc_near, one.auc_far, one.kept, one.calibration_error, one.precision)),
        ]
        for system, one in reports.items()
    ]
    told = [
        [system, kind, str(count), *(str(one.told[kind][what]) for what in TOLD), str(one.sure[kind])]
        for system, one in reports.items()
        for kind, count in one.prompts.items()
    ]
    return "\n\n".join(
        [
            markdown_table([name, "prompts", *columns], separated),
            markdown_table([name, "kind", "prompts", *TOLD, "confidence .5 or more"], told, text_columns=(0, 1)),
        ]
    )


def main() -> int:
    """Print the tables of each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path, metavar="VAULT")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--modes", default=",".join(CONFIDENT), metavar="A,B")
    options = parser.parse_args()
    for file in options.files:
        with tempfile.TemporaryDirectory(prefix="quarry-prompts-") as folder:
            index = Path(folder) / "index.db"
            print(
                tables(file.stem, evaluate_prompts(options.vault, index, read_prompts(file), options.modes.split(",")))
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
