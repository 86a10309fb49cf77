"""
Does a hook quote the passage that answers, and both sides of a comparison? `python quoted_passages.py [DATA]`.

A line of `prompts/passages/VAULT.jsonl` is a prompt, the note that answers it, and a piece of the passage that does,
with the heading above it. A line of `prompts/comparisons/VAULT.jsonl` is a prompt about two subjects, and the notes
about either. All were written from the notes before any ranking of them was seen. Nothing may be fitted to the vaults
`HELD_BACK`. The prompts go the way of the hook: three quotes and 500 tokens at most.

    note       prompts with a quote from the note that answers
    passage    of these, those with a quote that holds the piece
    sides      comparisons with a quote from a note about either subject
    tokens     of an answer, on average

DATA is a folder with `vaults/*.tar.xz`; without it, the vaults of this folder are measured. A share has the 95 %
interval of Wilson (1927). `--keep DIR` keeps vaults and indexes there for the next run.
"""

import argparse
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from collected import LANGUAGES, NEVER_FITTED, PROMPTS, SAMPLE, vault_of
from msgspec import Struct

from quarry.agents.hooks.events import NoContext
from quarry.agents.hooks.queries import read_prompt
from quarry.agents.hooks.respond import HITS, LEAD_TOKENS, PROMPT_TOKENS, least_confidence
from quarry.engine import Engine
from quarry.errors import BadQuery, DeadlineExceeded
from quarry.evaluation.collections import read_rows
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import indexed
from quarry.protocol import ContextParams, ContextResult
from quarry.server.encode import context
from quarry.vault.paths import nfc

PASSAGES, COMPARISONS = PROMPTS / "passages", PROMPTS / "comparisons"
OF_DATA = ("garden-dendron", "garden-jackyzha0", "powershell-docs", "fcc-guide")
HELD_BACK = ("fr", *NEVER_FITTED)
NORMAL = 1.96  # standard deviations on either side of a mean that hold 95 % of a normal distribution


class JudgedPassage(Struct, frozen=True):
    """A prompt, and where its answer is."""

    id: str
    text: str
    path: str
    heading: str
    passage: str  # a piece of the text that answers


class Comparison(Struct, frozen=True):
    """A prompt about two subjects, and the notes about each."""

    id: str
    text: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]


class Found(Struct, frozen=True):
    """What is quoted for the prompts about one vault."""

    prompts: int = 0
    with_note: int = 0
    with_passage: int = 0
    comparisons: int = 0
    with_sides: int = 0
    tokens: int = 0
    missed: tuple[str, ...] = ()  # ids of those with the note and without the passage, or without a side

    def __add__(self, other: "Found") -> "Found":
        return Found(*[mine + others for mine, others in zip(_values(self), _values(other), strict=True)])


def _values(found: Found) -> list:
    return [getattr(found, name) for name in Found.__struct_fields__]


def read_passages(vault: str) -> list[JudgedPassage]:
    """The prompts about *vault* of which a passage is judged."""
    file = PASSAGES / f"{vault}.jsonl"
    return [JudgedPassage(**row) for _, row in read_rows(file)] if file.exists() else []


def read_comparisons(vault: str) -> list[Comparison]:
    """The comparisons about *vault*."""
    file = COMPARISONS / f"{vault}.jsonl"
    rows = [row for _, row in read_rows(file)] if file.exists() else []
    return [Comparison(row["id"], row["text"], tuple(tuple(map(nfc, side)) for side in row["sides"])) for row in rows]


def said_to(engine: Engine, prompt: str) -> ContextResult | None:
    """What a hook is answered for *prompt*; None where it does not ask, or may not."""
    try:
        query = read_prompt(prompt).query
        params = ContextParams(
            query=query,
            limit=HITS,
            max_tokens=PROMPT_TOKENS - LEAD_TOKENS,
            min_confidence=least_confidence(query),
        )
        answer, index = engine.search(context.search_options(params)), engine.freshness.now()
    except (NoContext, BadQuery, DeadlineExceeded):
        return None
    return context.context_result(answer, index, params)


def letters(text: str) -> str:
    """The letters and digits of *text* alone: marks of quotes, lists and emphasis are no difference."""
    return "".join(filter(str.isalnum, text.casefold()))


def measure(engine: Engine, passages: Sequence[JudgedPassage], comparisons: Sequence[Comparison]) -> Found:
    """What is quoted for these prompts about one vault."""
    counts = dict.fromkeys(("with_note", "with_passage", "with_sides", "tokens"), 0)
    missed = []
    for judged in passages:
        said = said_to(engine, judged.text)
        counts["tokens"] += said.tokens if said else 0
        if said is None or nfc(judged.path) not in {source.path for source in said.sources}:
            continue
        is_held = letters(judged.passage) in letters(said.text)
        counts["with_note"] += 1
        counts["with_passage"] += is_held
        missed += [] if is_held else [judged.id]
    for comparison in comparisons:
        said = said_to(engine, comparison.text)
        counts["tokens"] += said.tokens if said else 0
        paths = {source.path for source in said.sources} if said else set()
        has_both = not any(paths.isdisjoint(side) for side in comparison.sides)
        counts["with_sides"] += has_both
        missed += [] if has_both else [comparison.id]
    return Found(prompts=len(passages), comparisons=len(comparisons), missed=tuple(missed), **counts)


def interval(count: int, total: int) -> str:
    """*count* of *total*, as a share with its interval."""
    if not total:
        return "-"
    share, spread = count / total, NORMAL**2 / total
    middle = (share + spread / 2) / (1 + spread)
    half = NORMAL * math.sqrt(share * (1 - share) / total + spread / total / 4) / (1 + spread)
    return f"{count} of {total}, {share:.0%} ({middle - half:.0%} to {middle + half:.0%})"


def table(by_vault: Mapping[str, Found]) -> str:
    """A row for each vault, and for those that may be tuned on and those held back together."""
    groups = {"to tune on": [], "held back": []}
    for name, found in by_vault.items():
        groups["held back" if name in HELD_BACK else "to tune on"].append(found)
    rows = []
    for name, found in (by_vault | {name: sum(several, start=Found()) for name, several in groups.items()}).items():
        asked = found.prompts + found.comparisons
        shares = (
            (found.with_note, found.prompts),
            (found.with_passage, found.with_note),
            (found.with_sides, found.comparisons),
        )
        rows.append([name, *(interval(*share) for share in shares), f"{found.tokens / asked:.0f}" if asked else "-"])
    return markdown_table(["vault", "note", "passage", "sides", "tokens"], rows)


def vaults(data: Path | None, folder: Path) -> Iterator[tuple[str, Path]]:
    """The vaults with judged prompts, by name."""
    yield SAMPLE, vault_of(SAMPLE, data, folder)
    for vault in sorted(LANGUAGES.glob("*/vault")):
        if (COMPARISONS / f"{vault.parent.name}.jsonl").exists():
            yield vault.parent.name, vault
    yield from ((name, vault_of(name, data, folder)) for name in OF_DATA if data)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="a folder with vaults/*.tar.xz")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--missed", action="store_true", help="name what is missed of the vaults to tune on")
    given = parser.parse_args(arguments)
    found: dict[str, Found] = {}
    with tempfile.TemporaryDirectory(prefix="quarry-passages-") as temporary:
        folder = given.keep or Path(temporary)
        for name, vault in vaults(given.data, folder):
            with indexed(vault, folder / f"{name}.db") as engine:
                found[name] = measure(engine, read_passages(name), read_comparisons(name))
            if given.missed and name not in HELD_BACK:
                print(name, *found[name].missed)
    print(table(found))


if __name__ == "__main__":
    main()
