"""The cost of each interface, measured on real processes: hook, `quarry search`, `quarry capture`, MCP server."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from benchmark.commands import CommandCost, cost_of, run_command
from benchmark.hook import PROMPTS, measure_hook
from benchmark.mcp_server import measure_mcp
from benchmark.measurement import PartFailed
from benchmark.server_cost import serving

WARM_UP = 3  # searches: the first ones read parts of the index
CAPTURES = 10
CAPTURE_FOLDER = "quarry-bench"


def measure_search(vault: Path, texts: Sequence[str]) -> CommandCost:
    """The cost of `quarry search` for each of *texts*."""
    with serving(vault):
        for text in texts[:WARM_UP]:
            _search(vault, text)
        return cost_of([run_command(_search_arguments(vault, text)) for text in texts])


def measure_capture(vault: Path, count: int = CAPTURES) -> CommandCost:
    """
    The cost of `quarry capture` for *count* notes, each of which is then searched for by a word of its own.

    The command returns when its note can be found. The notes are deleted in the end, so *vault* must be a copy.

    Raises:
        PartFailed: A captured note was not found.
    """
    with serving(vault):
        _search(vault, "warm up")
        runs, paths = [], []
        try:
            for number in range(count):
                word = f"quarrybench{number}x{count}"
                named = ["--title", f"Benchmark {number}", "--folder", CAPTURE_FOLDER, "--vault", str(vault)]
                runs.append(run_command(["capture", f"A note about {word}.", "--json", *named]))
                paths.append(str(json.loads(runs[-1].output)["path"]))
                if paths[-1] not in _search(vault, word):
                    raise PartFailed(f"the captured note {paths[-1]} was not found by its word {word}")
        finally:
            for path in paths:
                (vault / path).unlink(missing_ok=True)
    return cost_of(runs)


def _search(vault: Path, text: str) -> list[str]:
    """The paths of the hits for *text*."""
    found = json.loads(run_command([*_search_arguments(vault, text), "--json"]).output)
    return [str(hit["path"]) for hit in found["hits"]]


def _search_arguments(vault: Path, text: str) -> list[str]:
    return ["search", "--vault", str(vault), text]


def measure_interfaces(vault: Path, texts: Sequence[str]) -> dict[str, Any]:
    """
    The cost of each interface for *texts*. *vault* must be a copy: notes are captured in it.

    Raises:
        PartFailed: One of them failed.
    """
    asked = list(texts[:PROMPTS])
    measured = {
        "hook": measure_hook(vault, asked),
        "search": measure_search(vault, asked),
        "capture": measure_capture(vault),
        "mcp": measure_mcp(vault, asked[0]),
    }
    figures: dict[str, Any] = to_builtins(measured)
    return figures
