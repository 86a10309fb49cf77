"""Knowledge of embedding models by their names, from `models.toml`: the prompts that they expect."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

_FILE = Path(__file__).with_name("models.toml")


class Prompts(Struct, frozen=True):
    """The prefixes that a model expects before a query and before a passage."""

    query: str = ""
    passage: str = ""


def family_prompts(name: str) -> Prompts:
    """The prompts that the model called *name* is known to expect; empty ones if it is not known."""
    family = name.lower().rpartition("/")[2]
    known = (entry for entry in _table()["prompts"] if re.search(entry["pattern"], family))
    return next((Prompts(entry.get("query", ""), entry.get("passage", "")) for entry in known), Prompts())


@cache
def _table() -> Any:
    return tomllib.loads(_FILE.read_text("utf-8"))
