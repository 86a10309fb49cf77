"""
The notes whose preparing ended processes: remembered in the index, so that the serving process never tries them.

A note that has been prepared all the same, as it changed or Quarry did, is forgotten here.
"""

import json

from quarry.index import Index

POISON = "deadly"  # under which the index keeps their paths, a JSON array


def poison_notes(index: Index) -> frozenset[str]:
    """Their paths."""
    return frozenset(json.loads(index.meta_get(POISON) or "[]"))


def set_poison_notes(index: Index, paths: frozenset[str]) -> None:
    """Remember *paths* and no others."""
    index.meta_set(POISON, json.dumps(sorted(paths)))
