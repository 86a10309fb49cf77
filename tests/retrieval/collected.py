"""
The collections, vaults and prompts that search is measured with: those beside this file, and those of a data folder.

Which ones may be tuned on is settled here, once: what was chosen by looking at figures says nothing about them.
"""

import hashlib
import random
import shutil
import tarfile
from pathlib import Path

from code_bases import SOURCES, code_base, is_installed
from msgspec.structs import replace

from quarry.evaluation.collections import Collection, find_collections, read_collection

HERE = Path(__file__).parent
LANGUAGES = HERE / "languages"
PROMPTS = HERE / "prompts"
SAMPLE = "sample"
TUNING = ("chroma-chunks", "cosqa", "gold-dendron", "psdocs-desc", SAMPLE, "xquad-zh")
HELD_BACK = ("anthropic-docs", "cranfield", "qmd-eval", "stackfaq", "xquad-en-6k")
"""Documentation, vaults of notes and passages stand on both sides; code and Chinese only where it may be tuned."""

VAULTS = {  # file of prompts -> archive of the data folder, folder within it; None: the sample vault
    "garden-dendron": ("garden-dendron", "garden-dendron"),
    "garden-jackyzha0": ("garden-jackyzha0", "garden-jackyzha0"),
    "powershell-docs": ("big", "big/powershell-docs"),
    SAMPLE: None,
    "til-jbranchaud": ("big", "big/til-jbranchaud"),
    "til-simonw": ("big", "big/til-simonw"),
}
BROAD = "big"  # the 17,000 notes of the four of them together
NEVER_FITTED = {name: ("big", f"big/{name}") for name in ("cpp-docs", "fcc-guide")}  # vaults as `VAULTS`, held back
PUBLISHED_NOTES = 609
FLOORED_QUERIES = 75  # of each collection that has a floor: enough to see a fall, few enough for every test run
_SEED = 20_260_101


def sample() -> Collection:
    """The sample vault with its queries."""
    return replace(read_collection(HERE), name=SAMPLE)


def languages() -> dict[str, Collection]:
    """The collections of single languages that stand beside this file, by name."""
    if not LANGUAGES.is_dir():
        return {}
    return {collection.name: collection for collection in map(read_collection, find_collections(LANGUAGES))}


def further() -> dict[str, Collection]:
    """
    Other questions than those of `sample`.

    `more` and `translated` are about the same notes, `pairs` about a short and a long note.
    """
    of_sample = {name: read_collection(HERE / name, HERE / "vault") for name in ("more", "translated")}
    return {**of_sample, "pairs": read_collection(HERE / "pairs")}


def beside() -> dict[str, Collection]:
    """All collections that need no data folder, by name."""
    return {SAMPLE: sample(), **further(), **languages()}


def code() -> list[str]:
    """The names of the collections of code, where the packages are installed that they are made from."""
    return [name for name in SOURCES if is_installed(name)]


def available(data: Path) -> list[str]:
    """The names of the collections in the folder *data*."""
    return sorted(file.name.removesuffix(".tar.xz") for file in (data / "ir").glob("*.tar.xz"))


def unpack(data: Path, name: str, folder: Path) -> Collection:
    """Unpack one collection of *data* below *folder*."""
    with tarfile.open(data / "ir" / f"{name}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return read_collection(folder / name)


def read_named(name: str, data: Path | None, folder: Path) -> Collection:
    """The collection *name*: one beside this file, one of code, or one of *data*; the latter come below *folder*."""
    known = beside()
    if name in known:
        return known[name]
    if name in SOURCES:
        return code_base(name, folder)
    assert data is not None, f"{name} needs a data folder"
    return unpack(data, name, folder)


def vault_of(name: str, data: Path | None, folder: Path) -> Path:
    """The vault that the prompts *name* are asked of; one of *data* is unpacked below *folder*."""
    place = (VAULTS | NEVER_FITTED | {BROAD: (BROAD, BROAD)})[name]
    if place is None:
        return HERE / "vault"
    assert data is not None, f"{name} needs a data folder"
    archive, inner = place
    unpacked = folder / "vaults" / archive
    if not unpacked.is_dir():
        with tarfile.open(data / "vaults" / f"{archive}.tar.xz") as packed:
            packed.extractall(unpacked, filter="data")
    return unpacked / inner


def of_published_size(data: Path, folder: Path) -> Collection:
    """
    A vault of as many notes as a published system was measured on, with 20 queries; copied below *folder*.

    Its notes are those of garden-dendron whose paths have the least SHA-256. The queries are about every kind of them,
    judged by reading before anything was ranked.
    """
    vault, source = folder / "of-published-size", vault_of("garden-dendron", data, folder)
    paths = [path.relative_to(source).as_posix() for path in source.rglob("*.md")]
    for path in sorted(paths, key=lambda path: hashlib.sha256(path.encode()).digest())[:PUBLISHED_NOTES]:
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, vault / path)
    return replace(read_collection(HERE / "stages", vault), name="of-published-size")


def some_queries(collection: Collection, count: int) -> Collection:
    """The collection with at most *count* of its queries, the same ones every time."""
    queries = collection.queries
    if len(queries) > count:
        queries = tuple(random.Random(_SEED).sample(queries, count))
    return replace(collection, queries=queries)
