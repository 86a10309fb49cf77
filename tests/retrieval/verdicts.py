"""
Measure what is said of answers, by kind of query: `python tests/retrieval/verdicts.py [DATA] [--held-back]`.

Two tables. The first has the queries of the judged collections by kind, and the prompts that no note answers:

    right           queries whose first hit answers
    weak            of these, those that are told from others: best guesses, or no note has the words
    guesses         of these, those under the heading of best guesses
    sure            of these, those with a confidence of `SURE` or more
    untold          queries that no note answers, and nothing says so

The second has the identifiers of `prompts/identifiers/VAULT.jsonl`: functions, flags, errors, keys, paths, types, dates
and versions, with the notes whose title or heading each one is (if there are none: that contain it). They were written
before any ranking of them was seen; those that no note contains are `near`. `context` is how many of the first hits are
quoted first by `context`.

DATA is a folder with `vaults/*.tar.xz` and `ir/*.tar.xz`; without it, what is beside this file is measured. With
`--held-back`, the vaults that nothing is fitted to are measured, and no others.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from collected import LANGUAGES, NEVER_FITTED, PROMPTS, SAMPLE, VAULTS, beside, unpack, vault_of
from fit_confidence import HELD_BACK as PROMPTS_HELD_BACK
from fit_confidence import IDENTIFIERS
from judged_prompts import SURE, Judged, Prompt, judge_prompts, read_prompts
from msgspec.structs import replace

from quarry.engine import Engine
from quarry.evaluation.collections import Collection, read_rows
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import SYSTEMS, indexed
from quarry.protocol import ContextParams
from quarry.server.encode import context
from quarry.vault.paths import nfc

NAMES = PROMPTS / "identifiers"
WITHOUT_ANSWER = PROMPTS / "wordings"
LANGUAGES_HELD_BACK = "fr"


@dataclass
class Count:
    """Of the queries of one kind."""

    asked: int = 0
    right: int = 0
    weak: int = 0
    guesses: int = 0
    sure: int = 0
    unanswered: int = 0
    untold: int = 0
    sure_of_nothing: int = 0
    in_context: int = 0

    def add(self, one: Judged) -> None:
        """Count how one query was answered."""
        if not one.prompt.is_answered:
            self.unanswered += 1
            self.untold += one.told == "shown"
            self.sure_of_nothing += one.confidence >= SURE
            return
        self.asked += 1
        self.right += one.is_right
        self.weak += one.is_right and one.told != "shown"
        self.guesses += one.is_right and one.told == "weak"
        self.sure += one.is_right and one.confidence >= SURE

    def __add__(self, other: "Count") -> "Count":
        return Count(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def cells(self) -> list[str]:
        """As a row has them."""
        return [
            f"{self.right}/{self.asked}",
            *(f"{count}/{self.right}" for count in (self.weak, self.guesses, self.sure)),
            f"{self.untold}/{self.unanswered}",
            str(self.sure_of_nothing),
        ]


HEAD = ("right first", "weak", "guesses", "sure", "untold", "sure of nothing")


def of_collection(engine: Engine, collection: Collection, paths: Mapping[str, str]) -> Iterator[tuple[str, Judged]]:
    """How each query of *collection* is answered, with its kind."""
    kinds = {query.id: query.kind for query in collection.queries}
    prompts = [
        Prompt(one.id, one.text, "on", tuple([nfc(paths.get(name, name)) for name in one.grades]))
        for one in collection.queries
    ]
    for one in judge_prompts(engine, prompts, SYSTEMS["default"]):
        yield kinds[one.prompt.id], one


def without_answer(vault: str) -> list[Prompt]:
    """The prompts that no note of *vault* answers."""
    file = PROMPTS / f"{vault}.jsonl"
    asked = read_prompts(file) if file.exists() else ()
    found = [one for one in asked if one.kind in ("near", "follow", "far")]
    found += [
        Prompt(f"{kind}-{line}", row["text"], kind)
        for kind in ("near", "far")
        for line, row in read_rows(WITHOUT_ANSWER / f"{kind}.jsonl")
        if row.get("vault", vault) == vault
    ]
    return found if vault != SAMPLE else [*found, *read_prompts(PROMPTS / "nothing.jsonl")]


def read_identifiers(vault: str) -> dict[str, list[Prompt]]:
    """The identifiers that are asked of *vault*, by form; those without a note as well."""
    found: defaultdict[str, list[Prompt]] = defaultdict(list)
    file = NAMES / f"{vault}.jsonl"
    forms = [row["form"] for _, row in read_rows(file)]
    for form, prompt in zip(forms, [one for one in read_prompts(file) if one.kind != "removed"], strict=True):
        found[form].append(prompt)
    return found


def identifiers(engine: Engine, vault: str) -> dict[str, Count]:
    """How the identifiers that are asked of *vault* are answered, by form."""
    counts: dict[str, Count] = {}
    for form, prompts in read_identifiers(vault).items():
        count = counts[form] = Count()
        for one in judge_prompts(engine, prompts, SYSTEMS["default"]):
            count.add(one)
            if one.is_right:
                params = ContextParams(query=one.prompt.text)
                answer = engine.search(context.search_options(params))
                quoted = context.context_result(answer, engine.freshness.now(), params).sources
                count.in_context += bool(quoted) and quoted[0].path == answer.hits[0].path
    return counts


def table(name: str, counts: Mapping[str, Count]) -> str:
    """A row for each kind, and their sum."""
    every = sum(counts.values(), Count())
    rows = [
        [kind, *count.cells(), str(count.in_context) if name != "kind" else ""]
        for kind, count in {**dict(sorted(counts.items())), "all": every}.items()
    ]
    return markdown_table([name, *HEAD, "context"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="a folder with vaults/*.tar.xz and ir/*.tar.xz")
    parser.add_argument("--held-back", action="store_true", help="the vaults that nothing is fitted to")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes for the next time")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="quarry-verdicts-") as temporary:
        folder = given.keep or Path(temporary)
        by_kind: defaultdict[str, Count] = defaultdict(Count)
        for collection in collections(given.data, folder, held_back=given.held_back):
            prepared = prepare(collection, folder / collection.name)
            paths = {name: path for path, name in (prepared.ids or {}).items()}
            with indexed(prepared.vault, prepared.index_path) as engine:
                for kind, one in of_collection(engine, collection, paths):
                    of_language = kind if collection.name not in languages_named() else f"{kind}, other languages"
                    by_kind[of_language].add(one)
        by_form: defaultdict[str, Count] = defaultdict(Count)
        for vault in vaults(given.data, held_back=given.held_back):
            place = folder / vault
            place.mkdir(parents=True, exist_ok=True)
            with indexed(vault_of(vault, given.data, folder), place / "index.db") as engine:
                for one in judge_prompts(engine, without_answer(vault), SYSTEMS["default"]):
                    by_kind[f"no answer: {one.prompt.kind}"].add(one)
                if (NAMES / f"{vault}.jsonl").exists():
                    by_form |= {f"{vault}: {form}": count for form, count in identifiers(engine, vault).items()}
    print(table("kind", by_kind))
    print()
    print(table("identifiers", by_form))


def languages_named() -> set[str]:
    """The names of the collections in single languages."""
    return {folder.parent.name for folder in LANGUAGES.glob("*/vault")}


def collections(data: Path | None, folder: Path, *, held_back: bool) -> Iterator[Collection]:
    """The judged collections with kinds."""
    for name, collection in beside().items():
        if name != "pairs" and (name == LANGUAGES_HELD_BACK) == held_back:
            yield collection
    if data and not held_back:
        yield replace(unpack(data, "gold-dendron", folder / "gold-dendron"), name="gold-dendron")


def vaults(data: Path | None, *, held_back: bool) -> Sequence[str]:
    """The vaults that prompts without an answer and identifiers are asked of."""
    if held_back:
        return (PROMPTS_HELD_BACK, *NEVER_FITTED)
    return sorted({*VAULTS, *IDENTIFIERS} - {PROMPTS_HELD_BACK}) if data else (SAMPLE,)


if __name__ == "__main__":
    main()
