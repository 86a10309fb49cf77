"""
Fit the weights of confidence: `python tests/retrieval/fit_confidence.py DATA [--write]`.

DATA is a folder with `vaults/*.tar.xz` and `ir/*.tar.xz`. Learns from the prompts beside this file, from those of
`wordings.py` in each of their readings, and from the judged collections. What is answered is asked twice: once of all
notes, once of those that do not answer it. Prints how well each vault is told apart by weights that were fitted without
it, then the same for the vault that is held back, which is fitted on nowhere. With `--write` the weights become those
that ship (`search/confidence.toml`).
"""

import argparse
import contextlib
import random
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from collected import LANGUAGES, PROMPTS, SAMPLE, VAULTS, unpack, vault_of
from judged_prompts import Judged, Prompt, read_prompts, report
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from ranked import rank
from wordings import HELD_BACK as WORDINGS_HELD_BACK
from wordings import WORDINGS, read_wordings

import quarry.search.confidence as shipped
from quarry.agents.hooks.events import NoContext
from quarry.agents.hooks.queries import read_prompt
from quarry.embedding import Encoder, load_encoder
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import SYSTEMS, System, indexed
from quarry.index import Reader
from quarry.options import Scope
from quarry.query.readings import readings
from quarry.search.ranking import SignalRanking
from quarry.vault.paths import nfc

HELD_BACK = "garden-jackyzha0"
WORDED = tuple(
    sorted({file.stem for file in WORDINGS.glob("*.jsonl")} - {HELD_BACK, *WORDINGS_HELD_BACK, "near", "far"})
)
SAME_NOTES = {"garden-dendron": "gold-dendron", "powershell-docs": "psdocs-desc"}  # vault -> collection made of it
COLLECTIONS = ("anthropic-docs", "chroma-chunks", "gold-dendron", "psdocs-desc", "stackfaq", "xquad-en-6k")
"""cosqa and cranfield are left out: of their many alike documents few are judged, so what is taken out stays in."""
QUERIES = 120  # of each collection
HITS = 3  # of each prompt that are learned from
LOWER_HITS = 0.3  # what those after the first count
PROMPT_WEIGHT = 3.0  # of a vault of prompts, against a collection
PENALTY = 0.3  # of squared weights
SEED = 20_260_101
STEPS = 30  # of Newton's method, which needs about eight
COLUMNS = {
    "hybrid": ("contrast_covered", "cosine_covered", "uncovered", "length", "max_idf"),
    "keyword": ("contrast_covered", "title", "uncovered", "length", "max_idf"),
    "semantic": ("contrast_covered", "cosine_covered", "uncovered", "length", "max_idf"),
    "identifier": ("named", "code", "held", "contrast"),
}
HEADER = """\
# What each piece of evidence counts for the confidence of a hit; see search/confidence.py for what they are. Fitted by
# tests/retrieval/fit_confidence.py: change them there, not here.

"""
REPORTED = ("vault", "prompts", "AUC", "near", "far", "kept at 5 %", "calibration error", "first hit right")
MODES = {"hybrid": "default", "keyword": "default-keyword", "semantic": "default-semantic"}  # table -> system
MODE_OF = {"identifier": "hybrid"}  # table -> the mode whose examples it is fitted to, if they are so called
IDENTIFIERS = ("garden-dendron", "powershell-docs", SAMPLE, "til-jbranchaud")  # vaults; others are held back


class Example(Struct, frozen=True):
    """The first hits of one prompt: their evidence, and which of them answer."""

    prompt: Prompt
    table: str  # that its confidence is computed from; "" where nothing was found
    features: Mapping[str, NDArray[np.float64]]
    answers: NDArray[np.float64]


class Regression(Struct, frozen=True):
    """A fitted regression: what the table of one mode says."""

    columns: tuple[str, ...]
    weights: NDArray[np.float64]  # the bias first

    def confidences(self, example: Example) -> NDArray[np.float64]:
        """The confidence of each hit."""
        bias = np.ones(len(example.answers))
        return probabilities(np.column_stack([bias, *(example.features[name] for name in self.columns)]), self.weights)


def main() -> int:
    """Fit, report, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes for the next time")
    parser.add_argument("--write", action="store_true", help="make the weights those that ship")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarry-fit-") as temporary:
        folder = options.keep or Path(temporary)
        examples = {name: collect(name, options.data, folder) for name in (*VAULTS, *COLLECTIONS)}
        names = {name: collect_identifiers(name, options.data, folder) for name in IDENTIFIERS}
        examples |= {identifiers(name): of_name for name, of_name in names.items()}
        examples |= {worded(name): collect_wordings(name, options.data, folder) for name in WORDED}
    fitted_without = {
        held: fit_tables(examples, {held, HELD_BACK, SAME_NOTES.get(held, held), worded(held), identifiers(held)})
        for held in VAULTS
    }
    for mode, columns in COLUMNS.items():
        of_vaults = names if mode == "identifier" else {held: examples[held] for held in VAULTS}
        rows = [row_of(held, each[MODE_OF.get(mode, mode)], fitted_without[held]) for held, each in of_vaults.items()]
        print(f"\n{mode}: {', '.join(columns)}\n\n{markdown_table(REPORTED, rows)}")
    tables = []
    for table, fitted in fit_tables(examples, {HELD_BACK}).items():
        lines = [
            f"{name} = {weight:.2f}" for name, weight in zip(("bias", *fitted.columns), fitted.weights, strict=True)
        ]
        tables.append("\n".join([f"[{table}]", *lines]))
    text = HEADER + "\n\n".join(tables) + "\n"
    print(f"\n{text}")
    if options.write:
        Path(shipped.__file__).with_name("confidence.toml").write_text(text, "utf-8")
    return 0


def fit_tables(
    examples: Mapping[str, Mapping[str, Sequence[Example]]], without: Collection[str]
) -> dict[str, Regression]:
    """A regression for each table, fitted to all vaults and collections but those *without*."""
    return {
        table: fit(
            [by_mode[MODE_OF.get(table, table)] for name, by_mode in examples.items() if name not in without], table
        )
        for table in COLUMNS
    }


def row_of(name: str, examples: Sequence[Example], fitted: Mapping[str, Regression]) -> list[str]:
    """A row of the report."""
    found = report([rated(example, fitted) for example in examples])
    figures = (found.auc, found.auc_near, found.auc_far, found.kept, found.calibration_error, found.precision)
    name += " (held back)" if name == HELD_BACK else ""
    return [name, str(len(examples)), *(f"{figure:.3f}" for figure in figures)]


def rated(example: Example, fitted: Mapping[str, Regression]) -> Judged:
    """The answer to a prompt, as these weights rate it."""
    if not example.table:
        return Judged(example.prompt, 0.0, is_right=False)
    confidence = float(fitted[example.table].confidences(example)[0])
    return Judged(example.prompt, confidence, is_right=bool(example.answers[0]))


# --- evidence ----------------------------------------------------------------------------------


def collect(name: str, data: Path, folder: Path) -> dict[str, list[Example]]:
    """The examples of one vault or collection, by mode."""
    begun_s = time.perf_counter()
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    if name in VAULTS:
        prompts, vault, index_path = (
            read_prompts(PROMPTS / f"{name}.jsonl"),
            vault_of(name, data, folder),
            place / "index.db",
        )
    else:
        collection = unpack(data, name, place)
        corpus = prepare(collection, place)
        path_of = {document: path for path, document in (corpus.ids or {}).items()}
        vault, index_path = corpus.vault, corpus.index_path
        queries = random.Random(SEED).sample(collection.queries, min(QUERIES, len(collection.queries)))
        prompts = ()
        for query in queries:
            paths = tuple([path_of.get(document, document) for document in query.grades])
            prompts += (Prompt(query.id, query.text, "on", paths), Prompt(query.id, query.text, "removed", paths))
    encoder = load_encoder()
    with indexed(vault, index_path) as engine, engine.reader() as reader:
        found = {
            mode: [example(prompt, SYSTEMS[system], reader, encoder) for prompt in prompts]
            for mode, system in MODES.items()
        }
    print(f"{name}: {len(prompts)} prompts, {time.perf_counter() - begun_s:.0f} s", file=sys.stderr)
    return found


def worded(name: str) -> str:
    """The name of the examples of the wordings about a vault."""
    return f"{name} wordings"


def collect_wordings(name: str, data: Path, folder: Path) -> dict[str, list[Example]]:
    """The examples of the wordings about one vault, by mode: one for each reading of a prompt."""
    of_language = LANGUAGES / name / "vault"
    vault = of_language if of_language.is_dir() else vault_of(name, data, folder)
    (folder / name).mkdir(parents=True, exist_ok=True)
    encoder = load_encoder()
    prompts = [prompt for form, prompt in read_wordings(name) if form != "follow"]
    prompts += [Prompt(f"{one.id}-removed", one.text, "removed", one.paths) for one in prompts if one.is_answered]
    with indexed(vault, folder / name / "index.db") as engine, engine.reader() as reader:
        asked = []
        for prompt in prompts:
            with contextlib.suppress(NoContext):
                queries = readings(read_prompt(prompt.text).query, "", reader.languages).queries
                asked += [replace(prompt, text=query) for query in queries]
        return {
            mode: [example(prompt, SYSTEMS[system], reader, encoder) for prompt in asked]
            for mode, system in MODES.items()
        }


def example(prompt: Prompt, system: System, reader: Reader, encoder: Encoder) -> Example:
    """The evidence for the first hits of *prompt*."""
    request = system.request(prompt.text, limit=HITS)
    if prompt.kind == "removed":
        request = replace(request, filters=Scope(not_paths=prompt.paths))
    found = rank(request, reader, encoder)
    if not (found and isinstance(found[0].ranking, SignalRanking) and found[0].shown):
        return Example(prompt, "", {}, np.zeros(0))
    result, execution = found
    ranking, passages = result.ranking, [note.chunks for note in result.shown]
    shown = ranking.order[: len(passages)]
    evidence = ranking.evidence(shown, passages, execution)
    right = [prompt.is_answered and nfc(note.path) in prompt.paths for note in result.shown]
    columns = {name: np.zeros(len(right)) + column for name, column in evidence.features().items()}
    return Example(prompt, evidence.table or "", columns, np.array(right, np.float64))


def identifiers(name: str) -> str:
    """The name of the examples of the identifiers that are asked of a vault."""
    return f"{name} identifiers"


def collect_identifiers(name: str, data: Path, folder: Path) -> dict[str, list[Example]]:
    """The examples of the identifiers that are asked of one vault, by mode."""
    prompts = [one for one in read_prompts(PROMPTS / "identifiers" / f"{name}.jsonl") if one.kind != "removed"]
    encoder = load_encoder()
    vault = vault_of(name, data, folder)
    with indexed(vault, folder / name / "index.db") as engine, engine.reader() as reader:
        return {mode: [example(one, SYSTEMS[way], reader, encoder) for one in prompts] for mode, way in MODES.items()}


# --- fitting -----------------------------------------------------------------------------------


def fit(vaults: Sequence[Sequence[Example]], table: str) -> Regression:
    """A regression with a penalty on squared weights (ridge), by Newton's method; every vault counts the same."""
    rows, answers, counts, columns = [], [], [], COLUMNS[table]
    for examples in vaults:
        share = (PROMPT_WEIGHT if any(one.prompt.kind == "far" for one in examples) else 1.0) / len(examples)
        for one in filter(lambda one: one.table == table, examples):
            for hit in range(len(one.answers)):
                rows.append([1.0, *(one.features[name][hit] for name in columns)])
                answers.append(one.answers[hit])
                counts.append(share * (LOWER_HITS if hit else 1.0))
    matrix, truths, weight = np.array(rows), np.array(answers), np.array(counts)
    weight *= len(weight) / weight.sum()
    return Regression(columns, regression(matrix, truths, weight, PENALTY))


def regression(
    matrix: NDArray[np.float64], truths: NDArray[np.float64], counts: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    """
    The weights of a logistic regression with a *penalty* on their squares (ridge), by Newton's method.

    Args:
        matrix: A row for each example, the first column for the bias, which is not penalised.
        counts: How much each example counts.
    """
    ridge = np.diag([0.0, *[penalty] * (matrix.shape[1] - 1)])
    weights = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        found = probabilities(matrix, weights)
        gradient = matrix.T @ (counts * (truths - found)) - ridge @ weights
        curvature = (matrix * (counts * found * (1 - found))[:, None]).T @ matrix + ridge
        weights += np.linalg.solve(curvature, gradient)
    return weights


def probabilities(matrix: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of each row of *matrix*."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-matrix @ weights))
    return found


if __name__ == "__main__":
    sys.exit(main())
