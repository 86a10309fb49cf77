"""
How many answers does a context hold for its tokens? `python tests/retrieval/context_quotes.py DATA`.

DATA is a folder with `ir/*.tar.xz` and `vaults/*.tar.xz`. The queries of all judged collections (300 of each, the same
ones every time) and the prompts beside this file are asked as `context` asks them. From the hits of each, quotes are
chosen under budgets of 500, 1,500 and 2,000 tokens.

An answer is a quoted note that is judged relevant; in `chroma-chunks`, which says where answers stand, a quote that
holds at least half of one. Queries that no note answers count with their tokens. Prints, for all collections together,
for those that `collected.py` allows to tune on, for those held back, and for each:

    answers per 1,000 tokens, answers, and queries with at least one
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from chunking import QUESTIONS, question_rows
from collected import HELD_BACK, PROMPTS, SAMPLE, TUNING, available, beside, read_named, some_queries, vault_of
from judged_prompts import read_prompts
from msgspec import Struct

from quarry import protocol as wire
from quarry.engine import Engine
from quarry.errors import BadQuery, DeadlineExceeded
from quarry.evaluation.collections import Collection
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import indexed
from quarry.limits import CHARACTERS_PER_TOKEN
from quarry.search.quotes import Quote, choose_quotes
from quarry.server.encode import context
from quarry.server.encode.context import SEPARATOR, Quoted, in_note_order, written
from quarry.vault.paths import nfc

BUDGETS = (500, 1500, 2000)  # of a prompt, a block and a question
QUERIES = 300  # of a collection: the largest would count for more than all others otherwise
WITH_SPANS = "chroma-chunks"
PROMPTED = (SAMPLE, "garden-dendron", "garden-jackyzha0")
LIMIT = wire.ContextParams(query="").limit


class Asked(Struct, frozen=True):
    """A query, what answers it, and what may be quoted for it."""

    relevant: frozenset[str]  # paths of notes
    spans: tuple[str, ...]  # one of which must be quoted as well, where the collection has them
    passages: tuple[Quoted, ...]


class Count(Struct, frozen=True):
    """Answers, tokens, and queries with an answer."""

    answers: int = 0
    tokens: float = 0.0
    answered: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.answers + other.answers, self.tokens + other.tokens, self.answered + other.answered)

    def cells(self) -> list[str]:
        """Answers per 1,000 tokens, answers, and queries with one."""
        density = 1000 * self.answers / self.tokens if self.tokens else 0.0
        return [f"{density:.2f}", f"{self.answers:,}", f"{self.answered:,}"]


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--only", metavar="NAME,NAME", help="these collections alone")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else None
    asked: dict[str, list[Asked]] = {}
    with tempfile.TemporaryDirectory(prefix="quarry-context-") as folder:
        for name, questions in every_set(options.data, Path(folder), wanted):
            asked[name] = questions
            print(f"{name}: {len(questions)} queries", file=sys.stderr, flush=True)
    print(table(asked))
    return 0


def every_set(data: Path, folder: Path, wanted: Sequence[str] | None) -> Iterator[tuple[str, list[Asked]]]:
    """The collections and sets of prompts by name, with what was asked of each."""
    for name in (*beside(), *available(data)):
        if wanted is None or name in wanted:
            collection = read_named(name, data, folder / "packed")
            yield name, asked_of(some_queries(collection, QUERIES), folder)
    for name in PROMPTED:
        if wanted is None or f"prompts {name}" in wanted:
            yield f"prompts {name}", prompts_of(name, vault_of(name, data, folder), folder)


def asked_of(collection: Collection, folder: Path) -> list[Asked]:
    """Ask the queries of *collection*; its files go below *folder*."""
    corpus = prepare(collection, folder / "work")
    path_of = {document: path for path, document in corpus.ids.items()} if corpus.ids is not None else None
    spans = spans_of(collection) if collection.name == WITH_SPANS else {}
    with indexed(corpus.vault, corpus.index_path) as engine:
        return [
            Asked(
                frozenset(path_of.get(document, "") if path_of else document for document in query.grades),
                spans.get(query.text, ()),
                passages(engine, query.text),
            )
            for query in collection.queries
        ]


def prompts_of(name: str, vault: Path, folder: Path) -> list[Asked]:
    """Ask the prompts about *vault*, of which many have no answer."""
    prompts = read_prompts(PROMPTS / f"{name}.jsonl")
    with indexed(vault, folder / f"{name}.db") as engine:
        return [
            Asked(
                frozenset(prompt.paths if prompt.is_answered else ()),
                (),
                passages(engine, prompt.text, () if prompt.is_answered else prompt.paths),
            )
            for prompt in prompts
        ]


def spans_of(collection: Collection) -> Mapping[str, tuple[str, ...]]:
    """Question -> the stretches of text that answer it, with single spaces."""
    rows = question_rows(collection.corpus.parent / "raw" / QUESTIONS)
    return {text: tuple(even(found["content"]) for found in references) for text, _, references in rows}


def passages(engine: Engine, text: str, without: Sequence[str] = ()) -> tuple[Quoted, ...]:
    """What may be quoted for *text*, most confident first; nothing of the notes at the paths *without*."""
    params = wire.ContextParams(query=text, filters=wire.Filters(not_paths=list(without)))
    try:
        answer = engine.search(context.search_options(params))
    except (BadQuery, DeadlineExceeded):
        return ()
    return tuple(context.quotable(answer, params.min_confidence))


def chosen(asked: Asked, room: int) -> list[Quote]:
    """The quotes that are made."""
    return choose_quotes([passage.quotable for passage in asked.passages], room, len(asked.passages))


def count(asked: Asked, quotes: Sequence[Quote]) -> Count:
    """What *quotes* hold."""
    of_each = in_note_order(asked.passages, quotes)
    answers = len({passage.source.path for passage, length in of_each if is_answer(asked, passage, length)})
    return Count(answers, len(written(of_each)) / CHARACTERS_PER_TOKEN, int(answers > 0))


def is_answer(asked: Asked, passage: Quoted, length: int) -> bool:
    """Whether a quote answers."""
    if nfc(passage.source.path) not in asked.relevant:
        return False
    shown = even(passage.quotable.text[: passage.quotable.lengths[length]])
    return not asked.spans or any(shared(shown, span) >= len(span) / 2 for span in asked.spans)


def shared(text: str, span: str) -> int:
    """The longest stretch of *span* that stands in *text*, in characters."""
    return SequenceMatcher(None, text, span, autojunk=False).find_longest_match().size


def even(text: str) -> str:
    """*text* with single spaces."""
    return " ".join(text.split())


def table(asked: Mapping[str, Sequence[Asked]]) -> str:
    """A table for each budget, one after the other."""
    halves = {"to tune on": TUNING, "held back": HELD_BACK}
    groups = {"all": list(asked)}
    groups |= {half: [name for name in asked if name in names] for half, names in halves.items()}
    groups |= {name: [name] for name in asked}
    columns = ["per 1,000", "answers", "answered"]
    tables = []
    for budget in BUDGETS:
        room = budget * CHARACTERS_PER_TOKEN + len(SEPARATOR)
        counts = {
            name: sum((count(one, chosen(one, room)) for one in questions), start=Count())
            for name, questions in asked.items()
        }
        rows = [
            [
                group,
                f"{sum(len(asked[name]) for name in names):,}",
                *sum((counts[name] for name in names), start=Count()).cells(),
            ]
            for group, names in groups.items()
            if names
        ]
        tables.append(markdown_table([f"{budget:,} tokens", "queries", *columns], rows))
    return "\n\n".join(tables)


if __name__ == "__main__":
    sys.exit(main())
