"""What can serve a search now."""

from collections.abc import Mapping
from typing import get_args

from msgspec import Struct

from quarry.embedding import Encoder
from quarry.index import Reader
from quarry.types import Leg, SearchMode

ALL_LEGS: tuple[Leg, ...] = get_args(Leg)


class Legs(Struct, frozen=True):
    """A snapshot of the index, the model that made its vectors, and what is missing."""

    reader: Reader
    encoder: Encoder | None
    missing: Mapping[Leg, str]  # leg -> why it cannot serve

    def serving(self, mode: SearchMode) -> tuple[Leg, ...]:
        """The legs to ask for *mode*; where the wanted one is missing, the other stands in for it."""
        able = tuple(leg for leg in ALL_LEGS if leg not in self.missing)
        return tuple(leg for leg in able if is_wanted(leg, mode)) or able


def is_wanted(leg: Leg, mode: SearchMode) -> bool:
    """Whether *mode* asks for *leg*."""
    return mode == "hybrid" or (leg == "lexical") == (mode == "keyword")
