"""
Measure the correction of typing errors: `python tests/retrieval/typing_errors.py [DATA]`.

`slips.tsv` has queries with one or two slips beside right words, each with the query as it was meant and the note that
it is for: of the sample vault, and of `kepano` and `garden-dendron` in DATA. They were written before any of them was
searched for. Beside these: words of a vault with random slips; real words that no note of it contains; and queries in
other languages. None of the latter two is a typing error, so that nothing in them is to be corrected.
"""

import argparse
import csv
import math
import random
import re
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from collected import HERE, SAMPLE, languages

from quarry.engine import Engine
from quarry.options import SearchOptions
from quarry.search import Answer

DEPTH = 10
SLIPPED_WORDS = 300
LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[a-z]{5,14}")
_SEED = 20_260_301


class Slip(NamedTuple):
    """A row of `slips.tsv`."""

    vault: str
    typed: str
    meant: str
    path: str


def read_slips() -> list[Slip]:
    """Every query with a slip."""
    with (HERE / "slips.tsv").open(encoding="utf-8", newline="") as file:
        return [Slip(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


@contextmanager
def opened(root: Path, index: Path) -> Iterator[Engine]:
    """An engine whose index equals the vault at *root*."""
    engine = Engine.open(root, index)
    try:
        while engine.is_working or engine.status().state != "live":
            time.sleep(0.05)
        yield engine
    finally:
        engine.close()


def ask(engine: Engine, query: str, mode: str = "hybrid") -> Answer:
    """The first hits of *query*."""
    return engine.search(SearchOptions(query=query, limit=DEPTH, mode=mode, expand_small_results=False))  # type: ignore[arg-type]


def gain(answer: Answer, path: str) -> float:
    """nDCG@10 of *answer* where the note at *path* alone is relevant."""
    paths = [hit.path for hit in answer.hits[:DEPTH]]
    return 1 / math.log2(paths.index(path) + 2) if path in paths else 0.0


def quality(engine: Engine, rows: Sequence[Slip], *, shows: bool = False) -> dict[str, float]:
    """The means over *rows*: nDCG@10, the same for what was meant, first hits, and words as they were meant."""
    means = dict.fromkeys(("ndcg", "ndcg as meant", "first", "corrected"), 0.0)
    for row in rows:
        answer = ask(engine, row.typed)
        used = {each.typed: each.used for each in answer.corrections}
        is_as_meant = [used.get(word, word) for word in row.typed.split()] == row.meant.split()
        found, meant = gain(answer, row.path), gain(ask(engine, row.meant), row.path)
        for name, value in zip(means, (found, meant, found == 1, is_as_meant), strict=True):
            means[name] += value / len(rows)
        if shows:
            print(f"{found:.2f} {meant:.2f}  {row.typed}  {used}  {answer.unknown_words}  {answer.weakness}")
    return means


# --- words that are no typing errors, and random slips ---------------------------------------------


def words_of(root: Path) -> set[str]:
    """The words in lower case of every note."""
    texts = (file.read_text("utf-8", "replace").lower() for file in sorted(root.rglob("*.md")))
    return {word for text in texts for word in _WORD.findall(text)}


def with_slip(word: str, chance: random.Random) -> str:
    """*word* with a letter left out, added, replaced, or swapped with its neighbour."""
    at = chance.randrange(1, len(word) - 1)
    letter = chance.choice(LETTERS)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    kinds = [word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :], swapped]
    return chance.choice([each for each in kinds if each != word] or [word + letter])


def share_corrected(engine: Engine, typed: Sequence[tuple[str, str]]) -> float:
    """How many of *typed*, each beside the words that it stands for, are corrected to them, in any form."""
    found = 0
    for query, meant in typed:
        used = {each.typed: each.used for each in ask(engine, query, "keyword").corrections}
        words = zip(query.split(), meant.split(), strict=True)
        found += all(used.get(word, word)[:4] == right[:4] for word, right in words)
    return found / len(typed)


def touched(engine: Engine, queries: Sequence[str]) -> list[str]:
    """The *queries* of which a word is corrected, with the corrections."""
    answers = [(query, ask(engine, query, "keyword").corrections) for query in queries]
    return [f"{query}: {[f'{each.typed} > {each.used}' for each in found]}" for query, found in answers if found]


def in_other_languages() -> list[str]:
    """The queries of the German, French and Spanish collections, without their filters."""
    queries = [query.text for name in ("de", "es", "fr") for query in languages()[name].queries]
    return [query for query in queries if ":" not in query and '"' not in query]


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, metavar="DATA")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes for the next time")
    parser.add_argument("--show", action="store_true", help="show every query")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quarry-slips-") as temporary:
        work = options.keep or Path(temporary)
        roots = {SAMPLE: HERE / "vault"}
        for name in ("kepano", "garden-dendron") if options.data else ():
            if not (work / name).is_dir():
                with tarfile.open(options.data / "vaults" / f"{name}.tar.xz") as packed:
                    packed.extractall(work, filter="data")
            roots[name] = work / name
        words = {name: words_of(root) for name, root in roots.items()}
        every = set().union(*words.values())
        for name, root in roots.items():
            with opened(root, work / f"{name}.db") as engine:
                report(engine, name, words[name], sorted(every - words[name]), shows=options.show)
    return 0


def report(engine: Engine, name: str, words: set[str], absent: Sequence[str], *, shows: bool) -> None:
    """Print the figures of one vault."""
    rows = [row for row in read_slips() if row.vault == name]
    found = quality(engine, rows, shows=shows)
    print(f"{name}, {len(rows)}: " + ", ".join(f"{key} {value:.3f}" for key, value in found.items()))
    chance = random.Random(_SEED)
    chosen = chance.sample(sorted(words), min(SLIPPED_WORDS, len(words)))
    alone = [(with_slip(word, chance), word) for word in chosen]
    paired = [(f"{one} {other}", f"{a} {b}") for (one, a), (other, b) in zip(alone[::2], alone[1::2], strict=False)]
    shares = share_corrected(engine, alone), share_corrected(engine, paired)
    print(f"  random slips corrected: {shares[0]:.3f}; two in two words: {shares[1]:.3f}")
    others = {"other languages": in_other_languages(), "real words": list(absent)[:: max(1, len(absent) // 300)][:300]}
    present = chance.sample(sorted(words), len(others["real words"]))
    others["real words beside a word of the notes"] = list(
        map(" ".join, zip(others["real words"], present, strict=False))
    )
    for kind, queries in others.items():
        changed = touched(engine, queries)
        print(f"  {kind}: {len(changed)} of {len(queries)} corrected")
        for each in changed if shows else ():
            print(f"    {each}")


if __name__ == "__main__":
    sys.exit(main())
