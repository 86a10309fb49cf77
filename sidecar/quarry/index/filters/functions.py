"""SQL functions by which a filter asks Python about a note."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import apsw

from quarry.conditions import InTask, PropertyComparison
from quarry.index.database import SqlValue
from quarry.index.filters.properties import created_ms, stands
from quarry.index.filters.tasks import holds_task
from quarry.index.folding import fold_case
from quarry.terms.patterns import compile_pattern
from quarry.types import PropertyValue


def register(connection: apsw.Connection) -> None:
    """Register the functions that compiled filters use on *connection*."""
    functions: dict[str, tuple[Callable[..., SqlValue], int]] = {
        "fold_case": (_fold_case, 1),
        "matches": (_matches, 2),
        "has_task": (_has_task, 2),
        "property_stands": (_property_stands, 4),
        "created_ms": (_created_ms, 1),
    }
    for name, (function, count) in functions.items():
        connection.create_scalar_function(name, function, count, deterministic=True)


def _fold_case(text: SqlValue) -> str:
    return fold_case(str(text))


def _matches(pattern: SqlValue, text: SqlValue) -> bool:
    return compile_pattern(str(pattern)).search(str(text)) is not None


def _has_task(text: SqlValue, wanted: SqlValue) -> bool:
    return holds_task(str(text), _task(str(wanted)))


@lru_cache(maxsize=64)
def _task(wanted: str) -> InTask:
    state, phrases, without = json.loads(wanted)
    return InTask(state, tuple(phrases), tuple(without))


def _property_stands(kind: SqlValue, value: SqlValue, comparison: SqlValue, wanted: SqlValue) -> bool:
    """Compare *value*, of type *kind*, as `json_each` gives them: a list is its JSON, a truth value a number."""
    read: PropertyValue = "" if value is None or isinstance(value, bytes) else value
    if kind == "array":
        read = tuple(json.loads(str(value)))
    elif kind in ("true", "false"):
        read = kind == "true"
    return stands(read, cast("PropertyComparison", comparison), str(wanted))


def _created_ms(properties: SqlValue) -> int | None:
    try:
        read = json.loads(str(properties))
    except ValueError:  # a damaged row, which its checksum will tell when the note is shown
        return None
    return created_ms({name: tuple(value) if isinstance(value, list) else value for name, value in read.items()})
