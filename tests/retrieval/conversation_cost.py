"""
What do ten prompts of a conversation cost in tokens? `python tests/retrieval/conversation_cost.py [DATA]`.

`conversations/*.toml` name ten prompts about one subject each, and three context blocks. DATA is a folder with
`vaults/*.tar.xz`; without it, the sample vault alone is asked. Each conversation is held in four ways:

    search        every prompt is searched for, 5 hits, 2,000 tokens of passages: an agent with no context
    context       every prompt gets quotes, up to 2,000 tokens, whatever was quoted before
    prompts       every prompt gets what a hook gives: 3 quotes, 500 tokens, none twice in the conversation
    blocks        the blocks first, up to 3,000 tokens, then what a hook gives, none of it quoted by a block

Prints the tokens of the ten answers together, and how many of the prompts that a note answers had it before the model:
quoted for them, for a prompt before them, or by a block.
"""

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from collected import HERE, PROMPTS, SAMPLE, vault_of
from judged_prompts import Prompt, read_prompts
from msgspec import Struct
from msgspec.structs import replace

from quarry import protocol as wire
from quarry.engine import Engine
from quarry.errors import BadQuery
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import indexed
from quarry.search.answer import estimate_tokens
from quarry.server.blocks.block_reader import Blocks
from quarry.server.blocks.block_store import BlockStore
from quarry.server.encode import context
from quarry.settings import SETTINGS_FILE
from quarry.vault.paths import nfc

CONVERSATIONS = HERE / "conversations"
SEARCH = wire.SearchOptions(
    query="", limit=5, max_tokens=2_000, detail="full", expand_small_results=False
)  # as over MCP
CONTEXT = wire.ContextParams(query="", max_tokens=2_000)
HOOK = wire.ContextParams(query="", max_tokens=500, limit=3)
WAYS = ("search", "context", "prompts", "blocks")


class Reply(Struct, frozen=True):
    """What a model gets to read."""

    tokens: int
    paths: frozenset[str]  # of the notes quoted


class Held(Struct, frozen=True):
    """A conversation that was held."""

    tokens: int
    answered: int  # prompts whose note was before the model


class Seen:
    """The passages that were quoted in a conversation."""

    def __init__(self) -> None:
        self._passages: set[tuple[str, str]] = set()

    def has(self, path: str, passage: str, /) -> bool:
        """Whether the passage was quoted."""
        return (path, passage) in self._passages

    def add(self, path: str, passage: str, /) -> None:
        """The passage is quoted now."""
        self._passages.add((path, passage))

    def spend(self, tokens: int) -> None:
        """Quotes of so many tokens are shown: their number is no matter here."""


def main() -> int:
    """Hold the conversations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", metavar="DATA")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="quarry-conversation-") as folder:
        for name, vault in vaults(options.data, Path(folder)):
            prompts, settings = read_conversation(CONVERSATIONS / f"{name}.toml")
            held = hold(vault, prompts, settings, Path(folder) / f"{name}.db")
            answerable = sum(prompt.is_answered for prompt in prompts)
            rows += [[name, way, f"{one.tokens:,}", f"{one.answered} of {answerable}"] for way, one in held.items()]
    print(markdown_table(["conversation", "way", "tokens", "answered"], rows, (0, 1)))
    return 0


def vaults(data: Path | None, folder: Path) -> Iterator[tuple[str, Path]]:
    """A copy of the vault of each conversation below *folder*, by its name."""
    for file in sorted(CONVERSATIONS.glob("*.toml")):
        if file.stem == SAMPLE or data:
            yield file.stem, shutil.copytree(vault_of(file.stem, data, folder), folder / "copies" / file.stem)


def read_conversation(file: Path) -> tuple[list[Prompt], str]:
    """The prompts of a conversation in order, and the settings with its blocks."""
    text = file.read_text("utf-8")
    known = {prompt.id: prompt for prompt in read_prompts(PROMPTS / f"{file.stem}.jsonl")}
    return [known[name] for name in tomllib.loads(text)["prompts"]], settings_of(tomllib.loads(text)["context"])


def settings_of(blocks: Mapping[str, Mapping[str, Any]]) -> str:
    """*blocks* as a vault's settings have them."""
    return "\n".join(
        f"[context.{json.dumps(name)}]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in block.items())
        for name, block in blocks.items()
    )


def hold(vault: Path, prompts: Sequence[Prompt], settings: str, index_path: Path) -> dict[str, Held]:
    """Hold the conversation in each way. *settings* are written into *vault*."""
    (vault / SETTINGS_FILE).write_text(settings, "utf-8")
    with indexed(vault, index_path) as engine:
        seen, seen_with_blocks = Seen(), Seen()
        blocks, quotes = Blocks(engine, BlockStore(), lambda: 0).read(wire.BlocksReadParams(), lambda: False)
        for quote in quotes:
            for sentence in quote.sentences:
                seen_with_blocks.add(quote.source.path, sentence)
        loaded = Reply(blocks.tokens, frozenset(source.path for block in blocks.blocks for source in block.sources))
        return {
            "search": held(prompts, lambda text: searched(engine, text)),
            "context": held(prompts, lambda text: quoted(engine, text, CONTEXT)),
            "prompts": held(prompts, lambda text: quoted(engine, text, HOOK, seen)),
            "blocks": held(prompts, lambda text: quoted(engine, text, HOOK, seen_with_blocks), loaded),
        }


def held(prompts: Sequence[Prompt], reply: Callable[[str], Reply], first: Reply | None = None) -> Held:
    """Give *reply* to each of *prompts*, behind what is read *first*."""
    tokens, paths, answered = (first.tokens, set(first.paths), 0) if first else (0, set[str](), 0)
    for prompt in prompts:
        one = reply(prompt.text)
        tokens += one.tokens
        paths |= one.paths
        answered += prompt.is_answered and not paths.isdisjoint(prompt.paths)
    return Held(tokens, answered)


def searched(engine: Engine, text: str) -> Reply:
    """The passages of a search."""
    try:
        answer = engine.search(replace(SEARCH, query=text))
    except BadQuery:
        return Reply(0, frozenset())
    return Reply(answer.tokens, frozenset(nfc(hit.path) for hit in answer.hits))


def quoted(engine: Engine, text: str, params: wire.ContextParams, seen: Seen | None = None) -> Reply:
    """The quotes of a context."""
    params = replace(params, query=text)
    try:
        answer = engine.search(context.search_options(params))
    except BadQuery:
        return Reply(0, frozenset())
    result = context.context_result(answer, engine.freshness.now(), params, seen)
    return Reply(estimate_tokens(result.text), frozenset(source.path for source in result.sources))


if __name__ == "__main__":
    sys.exit(main())
