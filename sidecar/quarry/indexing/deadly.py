"""
The notes whose preparing ended processes: remembered in the index, so that the serving process never tries them.

A note that has been prepared all the same, as it changed or Quarry did, is forgotten here.
"""

import json

from quarry.index import Index

DEADLY = "deadly"  # under which the index keeps their paths, a JSON array


def deadly_notes(index: Index) -> frozenset[str]:
    """Their paths."""
    return frozenset(json.loads(index.meta_get(DEADLY) or "[]"))


def set_deadly(index: Index, paths: frozenset[str]) -> None:
    """Remember *paths* and no others."""
    if paths != deadly_notes(index):
        index.meta_set(DEADLY, json.dumps(sorted(paths)))
