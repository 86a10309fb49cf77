"""
Measure what a hook says to prompts: `python tests/retrieval/hook_prompts.py [DATA]`.

The prompts of `prompts/` go the way of the hook: classified, made a query, answered by `context` with a least
confidence, three quotes and 500 tokens at most. For each least confidence of a prompt of one sentence, that of others
in proportion:

    recall      share of the answered prompts that a note that answers is quoted for
    near, follow, far   share of the prompts of that kind, which no note answers, that anything is quoted for
    precision   share of the prompts with quotes that have one that answers
    subject     share of the prompts with quotes that are about the vault's own subjects

DATA is a folder with `vaults/*.tar.xz`; without it, the sample vault is measured alone.
"""

import argparse
import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from collected import PROMPTS, SAMPLE, vault_of
from judged_prompts import Prompt, read_prompts

from quarry.agents.hooks.events import NoContext
from quarry.agents.hooks.queries import read_prompt, remembered
from quarry.agents.hooks.respond import HITS, LEAD_TOKENS, MIN_CONFIDENCE, PROMPT_TOKENS, least_confidence
from quarry.engine import Engine
from quarry.errors import BadQuery, DeadlineExceeded
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import indexed
from quarry.protocol import ContextParams
from quarry.server.encode import context

LEAST = (0.1, 0.15, 0.2, MIN_CONFIDENCE, 0.3, 0.35, 0.4, 0.5)
KINDS = ("on", "near", "follow", "far")  # `removed` is asked of another vault than a user has
WITH_DATA = ("garden-dendron", "garden-jackyzha0")


@dataclass(frozen=True)
class Said:
    """What is said to a prompt."""

    kind: str
    quoted: int
    is_right: bool  # a note that answers is among them
    silenced: bool  # by the classifier


@dataclass(frozen=True)
class Row:
    """What is said to many prompts, as shares."""

    least: float
    recall: float
    shown: dict[str, float]  # kind -> share of its prompts
    precision: float
    subject: float


def say(engine: Engine, prompts: Iterable[Prompt], least: Sequence[float]) -> dict[float, list[Said]]:
    """What is said to each of *prompts*, by the least confidence."""
    said: dict[float, list[Said]] = {one: [] for one in least}
    for prompt in prompts:
        try:
            query, earlier = read_prompt(prompt.text).query, words_before(prompt)
            wanted = ContextParams(query=query, limit=HITS, max_tokens=PROMPT_TOKENS - LEAD_TOKENS, conversation="one")
            answer = engine.search_request(context.search_options(wanted), earlier)
            index = engine.freshness.now()
        except (NoContext, BadQuery, DeadlineExceeded) as error:
            for one in least:
                said[one].append(Said(prompt.kind, 0, is_right=False, silenced=isinstance(error, NoContext)))
            continue
        for one in least:
            of_kind = one * least_confidence(query) / MIN_CONFIDENCE
            params = ContextParams(query=query, limit=HITS, max_tokens=wanted.max_tokens, min_confidence=of_kind)
            paths = [source.path for source in context.context_result(answer, index, params).sources]
            is_right = prompt.is_answered and not set(paths).isdisjoint(prompt.paths)
            said[one].append(Said(prompt.kind, len(paths), is_right, silenced=False))
    return said


def words_before(prompt: Prompt) -> str:
    """What a hook remembers of the prompts before *prompt*."""
    earlier = ""
    for text in prompt.before:
        with contextlib.suppress(NoContext):
            earlier = remembered(read_prompt(text), earlier)
    return earlier


def row(least: float, said: Sequence[Said]) -> Row:
    """*said* in figures."""
    asked = Counter(one.kind for one in said)
    shown = Counter(one.kind for one in said if one.quoted)
    right, told = sum(one.is_right for one in said), sum(shown.values())
    return Row(
        least=least,
        recall=right / max(1, asked["on"]),
        shown={kind: shown[kind] / max(1, asked[kind]) for kind in KINDS},
        precision=right / max(1, told),
        subject=(shown["on"] + shown["near"]) / max(1, told),
    )


def measure(vault: Path, files: Sequence[str], index_path: Path, least: Sequence[float]) -> dict[float, list[Said]]:
    """What is said to the prompts of *files* over *vault*."""
    prompts = [prompt for name in files for prompt in read_prompts(PROMPTS / f"{name}.jsonl") if prompt.kind in KINDS]
    with indexed(vault, index_path) as engine:
        return say(engine, prompts, least)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="a folder with vaults/*.tar.xz")
    data: Path | None = parser.parse_args().data
    said: dict[float, list[Said]] = {one: [] for one in LEAST}
    with tempfile.TemporaryDirectory(prefix="quarry-hooks-") as name:
        folder = Path(name)
        for place, files in [(SAMPLE, (SAMPLE, "nothing")), *((vault, (vault,)) for vault in WITH_DATA if data)]:
            vault = vault_of(place, data, folder)
            for one, found in measure(vault, files, folder / f"{place}.db", LEAST).items():
                said[one] += found
    rows = [
        [f"{found.least:g}"]
        + [f"{share:.0%}" for share in (found.recall, *list(found.shown.values())[1:], found.precision, found.subject)]
        for found in (row(one, said[one]) for one in LEAST)
    ]
    print(markdown_table(["least confidence", "recall", *KINDS[1:], "precision", "subject"], rows))
    silenced = Counter(one.kind for one in said[LEAST[0]] if one.silenced)
    print(f"\n{sum(map(len, said.values())) // len(LEAST)} prompts; silenced by their form: {dict(silenced)}")


if __name__ == "__main__":
    main()
