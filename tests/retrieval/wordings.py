"""
Measure what a hook quotes, by the wording of a prompt: `python tests/retrieval/wordings.py [DATA] [--vaults NAME ...]`.

A line of `prompts/wordings/VAULT.jsonl` is a subject: the notes that answer it by themselves (`paths`), and the prompts
that a person may write about it (`FORMS`). `near.jsonl` has prompts about a vault's own subjects that no note answers,
`far.jsonl` prompts about nothing in any vault. All were written before any ranking of them was seen. Nothing may be
fitted to the vaults `HELD_BACK`. The vault `big` is asked the prompts that nothing in it answers, of all vaults.

DATA is a folder with `vaults/*.tar.xz`; without it, the vaults of this folder are measured. A cell has the prompts for
which a note that answers is quoted, of all; of `near` and `far`, those for which anything is. The shares over vaults
have a 95 % interval.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from collected import BROAD, LANGUAGES, NEVER_FITTED, PROMPTS, SAMPLE, vault_of
from hook_prompts import MIN_CONFIDENCE, say
from judged_prompts import Prompt

from quarry.evaluation.collections import read_rows
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import indexed
from quarry.vault.paths import nfc

WORDINGS = PROMPTS / "wordings"
FORMS = (
    "subject",  # a few words
    "question",
    "file",  # an instruction in one line: a file to be written
    "letter",  # another: a message to be drafted
    "task",  # an instruction in three sentences
    "report",  # what happened, in the first person
    "paste",  # with code, a log or a message
    "follow",  # depends on the prompts `before` it
)
WITHOUT_ANSWER = ("near", "far")
OF_DATA = ("garden-dendron", "garden-jackyzha0", "til-jbranchaud", "powershell-docs", *NEVER_FITTED)
HELD_BACK = ("fr", *NEVER_FITTED)
SAMPLES, SEED = 2_000, 20_260_101  # of the interval


def read_wordings(vault: str) -> Iterator[tuple[str, Prompt]]:
    """The prompts about *vault*, each with its form."""
    for _, row in read_rows(WORDINGS / f"{vault}.jsonl") if vault != BROAD else ():
        paths = tuple(map(nfc, row["paths"]))
        for form in FORMS:
            before = tuple(row["before"]) if form == "follow" else ()
            yield form, Prompt(f"{row['id']}-{form}", row[form], "on", paths, before)
    for line, row in read_rows(WORDINGS / "near.jsonl"):
        if row["vault"] == vault or vault == BROAD:
            yield "near", Prompt(f"near{line}", row["text"], "near")
    yield from (("far", Prompt(f"far{line}", row["text"], "far")) for line, row in read_rows(WORDINGS / "far.jsonl"))


def measure(name: str, vault: Path, index_path: Path) -> dict[str, list[bool]]:
    """By form, for each prompt: whether a note that answers is quoted (if none answers: any note)."""
    forms, prompts = zip(*read_wordings(name), strict=True)
    with indexed(vault, index_path) as engine:
        said = say(engine, prompts, [MIN_CONFIDENCE])[MIN_CONFIDENCE]
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for form, one in zip(forms, said, strict=True):
        found[form].append(one.quoted > 0 if form in WITHOUT_ANSWER else one.is_right)
    return dict(found)


def table(by_vault: dict[str, dict[str, list[bool]]]) -> str:
    """A row for each form, a column for each vault, and the share over those that may be tuned on and the others."""
    rows = []
    for form in (*FORMS, *WITHOUT_ANSWER):
        of_form = {name: found.get(form, []) for name, found in by_vault.items()}
        counts = [f"{sum(one)}/{len(one)}" for one in of_form.values()]
        held = [
            share([said for name, one in of_form.items() if (name in HELD_BACK) is is_held for said in one])
            for is_held in (False, True)
        ]
        rows.append([form, *counts, *held])
    return markdown_table(["prompt", *by_vault, "tuned on", "held back"], rows)


def share(said: Sequence[bool]) -> str:
    """The share of *said* that is true, with the interval that 95 % of samples of it fall into (bootstrap)."""
    if not said:
        return ""
    drawn = np.random.default_rng(SEED).choice(np.array(said, float), (SAMPLES, len(said))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return f"{np.mean(said):.0%} ({low:.0%}-{high:.0%})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="a folder with vaults/*.tar.xz")
    parser.add_argument("--vaults", nargs="+", metavar="NAME", help="these alone")
    parser.add_argument("--index", type=Path, metavar="DIR", help="keep vaults and indexes for the next time")
    given = parser.parse_args(arguments)
    of_languages = {folder.parent.name: folder for folder in sorted(LANGUAGES.glob("*/vault"))}
    names = given.vaults or [SAMPLE, *of_languages, *(OF_DATA if given.data else ())]
    found = {}
    with tempfile.TemporaryDirectory(prefix="quarry-wordings-") as temporary:
        folder = given.index or Path(temporary)
        for name in names:
            vault = of_languages.get(name) or vault_of(name, given.data, folder)
            found[name] = measure(name, vault, folder / f"{name}.db")
    print(table(found))


if __name__ == "__main__":
    main()
