"""Writes the hashes of a model's files beside them, as `sha256sum` does; the sidecar checks them when loading."""

import hashlib
from pathlib import Path

MANIFEST_NAME = "SHA256SUMS"
MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json")
EXTENSION_FILES = ("extension.safetensors", "extension.tokenizer.json")
TRANSLATIONS_FILE = "translations.tsv"


def write_manifest(folder: Path) -> str:
    """Write and return a line for each file of the model, its extension and its translations that is in *folder*."""
    names = (*MODEL_FILES, *EXTENSION_FILES, TRANSLATIONS_FILE)
    present = [path for name in names if (path := folder / name).exists()]
    lines = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in present)
    (folder / MANIFEST_NAME).write_bytes(lines.encode())
    return lines
