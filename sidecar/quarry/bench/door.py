"""What do the ways in cost: the hook of an agent, the command line, a captured note, MCP?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from quarry.bench.door_cli import measure_capture, measure_search
from quarry.bench.door_hook import PROMPTS, measure_hook
from quarry.bench.door_mcp import measure_mcp


def measure_door(vault: Path, texts: Sequence[str]) -> dict[str, Any]:
    """
    The cost of each way in, asked for *texts* about *vault*, which must be a copy: notes are captured in it.

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
