"""
Where do the vault and the index of a collection lie, and can those of an earlier run be used again?

They lie in a temporary folder, as a rule. Folders that are kept have a fingerprint in their name, of the documents and
of all code that decides what is indexed: another corpus or another chunker makes other folders.
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
from quarry.evaluation.vault_writer import write_vault
from quarry.vault.paths import nfc

NOT_IN_FINGERPRINT = (  # modules and folders
    *("search", "engine", "evaluation", "protocol", "server", "client", "agents", "cli", "mcp", "python"),
)
DONE = "ids.json"  # written last
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class CachedCorpus(Struct, frozen=True):
    """A vault on disk, and where its index goes."""

    vault: Path
    index_path: Path
    ids: Mapping[str, str] | None  # path of a note in NFC -> id of its document; None: the path is the id


def prepare(collection: Collection, folder: Path, *, keep: bool) -> CachedCorpus:
    """
    Write the corpus of *collection* as a vault below *folder*, or reuse the one that was kept there.

    Raises:
        BadCollection: A document cannot be read.
    """
    suffix = hashlib.sha256(collection.name.encode("utf-8", "surrogateescape")).hexdigest()[:6]
    name = f"{_UNSAFE.sub('-', collection.name)}-{suffix}"
    place = folder / (f"{name}-{fingerprint(collection)}" if keep else name)
    if collection.is_vault:
        place.mkdir(parents=True, exist_ok=True)
        return CachedCorpus(collection.corpus, place / "index.db", None)
    vault, done = place / "vault", place / DONE
    if not done.is_file():
        for old in _earlier(folder, name) if keep else []:
            shutil.rmtree(old)
        ids = {nfc(note.path): note.id for note in write_vault(read_documents(collection.corpus), vault)}
        done.write_text(json.dumps(ids), "utf-8")
    return CachedCorpus(vault, place / "index.db", json.loads(done.read_text("utf-8")))


def fingerprint(collection: Collection) -> str:
    """A hash of the corpus and of the code that decides what is indexed: 16 hexadecimal digits."""
    digest = hashlib.sha256()
    package = Path(quarry.__file__).parent
    for file in sorted(package.rglob("*")):
        part = file.relative_to(package)
        if (
            file.is_file()
            and part.parts[0].removesuffix(".py") not in NOT_IN_FINGERPRINT
            and "__pycache__" not in part.parts
        ):
            digest.update(f"{part.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    # A vault may change between two runs: the engine brings its index up to date, as it always does.
    corpus = str(collection.corpus.resolve()).encode() if collection.is_vault else collection.corpus.read_bytes()
    digest.update(corpus)
    return digest.hexdigest()[:16]


def _earlier(folder: Path, name: str) -> list[Path]:
    """Folders that earlier runs made for the collection *name*, complete or not; nothing else is ever removed."""
    if not folder.is_dir():
        return []
    ours = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}")
    return [found for found in folder.iterdir() if ours.fullmatch(found.name) and not found.is_symlink()]
