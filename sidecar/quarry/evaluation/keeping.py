"""
Where do the vault and the index of a collection lie, and may they be used again?

In a temporary folder, as a rule. Kept ones carry a fingerprint in their name, of the documents and of every part of
Quarry that has a say in what is indexed: with another corpus or another chunker they are other folders.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

import quarry
from quarry.evaluation.collections import Collection, read_documents
from quarry.evaluation.vaults import write_vault
from quarry.vault.paths import nfc

NO_SAY_IN_INDEXING = ("ranking", "search", "engine", "evaluation", "interfaces")  # modules and folders
DONE = "ids.json"  # written last
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class Prepared(Struct, frozen=True):
    """A vault to index, and where its index goes."""

    vault: Path
    index_path: Path
    ids: Mapping[str, str] | None  # path of a note in NFC -> id of its document; None: the path is the id


def prepare(collection: Collection, folder: Path, *, keep: bool) -> Prepared:
    """
    Write the corpus of *collection* out as a vault below *folder*, or take the one that was kept there.

    Raises:
        BadCollection: A document cannot be read.
    """
    told_apart = hashlib.sha256(collection.name.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    name = f"{_UNSAFE.sub('-', collection.name)}-{told_apart}"
    place = folder / (f"{name}-{fingerprint(collection)}" if keep else name)
    if collection.is_vault:
        place.mkdir(parents=True, exist_ok=True)
        return Prepared(collection.corpus, place / "index.db", None)
    vault, done = place / "vault", place / DONE
    if not done.is_file():
        for old in _earlier(folder, name) if keep else []:
            shutil.rmtree(old)
        ids = {nfc(note.path): note.id for note in write_vault(read_documents(collection.corpus), vault)}
        done.write_text(json.dumps(ids), "utf-8")
    return Prepared(vault, place / "index.db", json.loads(done.read_text("utf-8")))


def fingerprint(collection: Collection) -> str:
    """What tells this collection, as this Quarry would index it, from every other: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    package = Path(quarry.__file__).parent
    for file in sorted(package.rglob("*")):
        part = file.relative_to(package)
        if (
            file.is_file()
            and part.parts[0].removesuffix(".py") not in NO_SAY_IN_INDEXING
            and "__pycache__" not in part.parts
        ):
            digest.update(f"{part.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    # A vault may change between two runs; the engine sees to that, as it does every day.
    corpus = str(collection.corpus.resolve()).encode() if collection.is_vault else collection.corpus.read_bytes()
    digest.update(corpus)
    return digest.hexdigest()[:16]


def _earlier(folder: Path, name: str) -> list[Path]:
    """Folders that this module made for the same collection, whole or interrupted; nothing else is ever removed."""
    if not folder.is_dir():
        return []
    ours = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}")
    return [found for found in folder.iterdir() if ours.fullmatch(found.name) and not found.is_symlink()]
