"""
What does an index know of how it was made?

Its vault, the model of its vectors, the rules its notes were read by, and the notes whose preparation ended processes:
the serving process never prepares those.
"""

import json
import time
from functools import lru_cache
from pathlib import Path

from msgspec.structs import asdict

from quarry.documents.reading_rules import READER_VERSION, SCRUBBER_VERSION
from quarry.embedding import Fingerprint
from quarry.errors import IndexMisplaced
from quarry.index import TERMS_VERSION, Index
from quarry.settings import Settings
from quarry.vault.identity import folder_key, vault_id

FINGERPRINT = "fingerprint"  # of the model whose vectors it holds
VAULT = "vault"  # whose notes it holds: a JSON object of `vault_id` and `folder_key`
POISON = "deadly"  # paths of the notes whose preparation ended processes: a JSON array
BUILT = "built_ms"  # when it was begun from nothing, or rebuilt: milliseconds since 1970
FILLED = "filled"  # there once it has held all notes of the vault
READING = "reading"  # what decides the rows of a note besides its bytes


def reading_key(settings: Settings) -> str:
    """The value of `READING` under *settings*; another one in the index means reading every note anew."""
    return json.dumps(
        [READER_VERSION, SCRUBBER_VERSION, TERMS_VERSION, list(settings.skip_sections), settings.stemming]
    )


@lru_cache(maxsize=4)  # every query compares the one of its model
def fingerprint_text(fingerprint: Fingerprint) -> str:
    """The value of `FINGERPRINT`."""
    return json.dumps(asdict(fingerprint))


def stored_fingerprint(index: Index) -> Fingerprint | None:
    """Fingerprint of the model whose vectors *index* holds; None where it never had one."""
    stored = index.meta_get(FINGERPRINT)
    return Fingerprint(**json.loads(stored)) if stored else None


def claim_index(index: Index, root: Path) -> None:
    """
    See that *index* is of the vault at *root*, and remember that it is.

    Either sign is enough: a vault that was moved or renamed has another path and is the same folder, one that came
    back from a backup is another folder at the same path. What differs otherwise, comparing with the disk finds.

    Raises:
        IndexMisplaced: It holds the notes of another vault.
    """
    ours = {"id": vault_id(root), "folder": folder_key(root)}
    stored = index.meta_get(VAULT)
    if stored is not None:
        theirs = json.loads(stored)
        if theirs == ours:
            return
        if theirs["id"] != ours["id"] and (ours["folder"] is None or theirs["folder"] != ours["folder"]):
            raise IndexMisplaced(f"the index held the notes of another vault ({theirs['id']})")
    else:
        index.meta_set(BUILT, _now_ms())
    index.meta_set(VAULT, json.dumps(ours))


def rebuild_metadata(index: Index, reading: str, fingerprint: Fingerprint | None) -> dict[str, str]:
    """Metadata for a rebuilt index that is to replace *index*."""
    facts = {key: value for key in (VAULT, POISON) if (value := index.meta_get(key))}
    facts |= {READING: reading, BUILT: _now_ms(), FILLED: "1"}
    return facts | {FINGERPRINT: fingerprint_text(fingerprint)} if fingerprint else facts


def poison_notes(index: Index) -> frozenset[str]:
    """Paths of the notes whose preparation ended processes."""
    return frozenset(json.loads(index.meta_get(POISON) or "[]"))


def set_poison_notes(index: Index, paths: frozenset[str]) -> None:
    """Remember *paths* and no others as the notes whose preparation ended processes."""
    index.meta_set(POISON, json.dumps(sorted(paths)))


def _now_ms() -> str:
    return str(time.time_ns() // 1_000_000)
