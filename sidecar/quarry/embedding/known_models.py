"""Knowledge of embedding models by their names, from `models.toml`: prompts, and the models that are offered."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from quarry.options import KnownLanguages

_FILE = Path(__file__).with_name("models.toml")


class KnownModel(Struct, frozen=True):
    """A model that is offered; see `models.toml`."""

    name: str
    languages: KnownLanguages
    size_mb: int
    ms: float  # for a passage
    gain: float | None = None  # of nDCG@10; None: not measured
    is_contextual: bool = False


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
def known_models() -> tuple[KnownModel, ...]:
    """The models that are offered, in order."""
    return tuple(KnownModel(**entry) for entry in _table()["known"])


@cache
def _table() -> Any:
    return tomllib.loads(_FILE.read_text("utf-8"))
