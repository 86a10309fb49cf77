"""
What `quarry install` has written, so that it can be taken out again to the byte.

`installed.json` in our data folder names every file that was changed: what it was before, as a hash, and what was put
where. It holds nothing of what the files contained, and may be lost: what is ours is then found by what it says.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quarry.agents.install.insertions import Insertion, taken_out
from quarry.agents.install.targets import KeyPath
from quarry.config import data_dir

RECORD_FILE = "installed.json"
MAX_RECORD_BYTES = 4 * 1024 * 1024  # a kilobyte for each file and vault


@dataclass(frozen=True, slots=True)
class Layer:
    """
    One writing of one file: hashes of its text, and the steps between them.

    *owner* is whose it is: the id of the vault and the kind of content, which are taken out independently.
    """

    owner: str
    clients: tuple[str, ...]
    before: str
    after: str
    steps: tuple[tuple[Insertion, ...], ...]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """
    The record of our changes to one file: whether we made it, the folders and objects made for it, and the layers.

    *original* is the hash of its text before the first layer.
    """

    original: str = ""
    is_ours: bool = False
    folders: tuple[str, ...] = ()
    containers: tuple[KeyPath, ...] = ()
    layers: tuple[Layer, ...] = field(default=())

    def clients_of(self, owner: str) -> frozenset[str]:
        """The clients that the content of *owner* was written for."""
        return frozenset(client for layer in self.layers if layer.owner == owner for client in layer.clients)


def text_hash(text: str) -> str:
    """The hash by which a text is recognised."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def undone(text: str, record: FileRecord, owner: str) -> tuple[str, FileRecord]:
    """*text* and *record* without the last layers, as far as they are of *owner* and *text* is as they left it."""
    while record.layers and (top := record.layers[-1]).owner == owner and top.after == text_hash(text):
        before: str | None = text
        for step in reversed(top.steps):
            before = None if before is None else taken_out(before, step)
        if before is None or text_hash(before) != top.before:
            break
        text, record = before, replace(record, layers=record.layers[:-1])
    return text, record


def read_records() -> dict[str, FileRecord]:
    """Path of a file -> what was done to it; empty where nothing is recorded, or nothing that can be read."""
    try:
        with _file().open("rb") as stream:
            found = json.loads(stream.read(MAX_RECORD_BYTES))
        return {path: _record(value) for path, value in found["files"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}  # what is ours is then found by what it says


def write_records(records: Mapping[str, FileRecord]) -> None:
    """Replace what is recorded, in one step."""
    file = _file()
    temporary = file.with_suffix(f".{os.getpid()}.new")
    content = {"files": {path: _value(record) for path, record in records.items()}}
    temporary.write_text(json.dumps(content, ensure_ascii=True), encoding="ascii")
    temporary.replace(file)


def _file() -> Path:
    return data_dir() / RECORD_FILE


def _value(record: FileRecord) -> dict[str, object]:
    return {
        "original": record.original,
        "ours": record.is_ours,
        "folders": record.folders,
        "containers": record.containers,
        "layers": [
            {
                "owner": layer.owner,
                "clients": layer.clients,
                "before": layer.before,
                "after": layer.after,
                "steps": layer.steps,
            }
            for layer in record.layers
        ],
    }


def _record(value: Mapping[str, Any]) -> FileRecord:
    layers = tuple(
        Layer(
            str(layer["owner"]),
            tuple(map(str, layer["clients"])),
            str(layer["before"]),
            str(layer["after"]),
            tuple(_step(step) for step in layer["steps"]),
        )
        for layer in value["layers"]
    )
    containers = tuple(tuple(map(str, path)) for path in value["containers"])
    folders = tuple(map(str, value["folders"]))
    return FileRecord(str(value["original"]), bool(value["ours"]), folders, containers, layers)


def _step(values: Sequence[Any]) -> tuple[Insertion, ...]:
    return tuple(Insertion(int(offset), str(text)) for offset, text in values)
