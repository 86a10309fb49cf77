"""Parts that an answer can do without: one that fails is left out and logged, and the rest of the answer stays."""

import logging
from collections.abc import Callable
from traceback import extract_tb
from typing import TypeVar

from quarry.errors import QuarryError
from quarry.index import DatabaseError, PostingsDamaged

_log = logging.getLogger(__name__)
_Part = TypeVar("_Part")
_Instead = TypeVar("_Instead")


def ornament(name: str, make: Callable[[], _Part], instead: _Instead) -> _Part | _Instead:
    """
    What *make* returns, or *instead* where it fails by a defect; *name* is that of the part, for the log.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        QuarryError, PostingsDamaged, DatabaseError: The index cannot be read, which its repair has to learn.
    """
    try:
        return make()
    except (QuarryError, PostingsDamaged, DatabaseError):
        raise
    except Exception as error:
        place = extract_tb(error.__traceback__)[-1]  # the place alone: the message may quote a note
        _log.error(
            "an answer goes without its %s: %s at %s:%s", name, type(error).__name__, place.filename, place.lineno
        )
        return instead
