"""A cache as `huggingface_hub` keeps it, without a network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

COMMIT = "0" * 40
LOAD = """
import sys
from quarry.embedding import load_contextual_encoder, load_encoder
from quarry.errors import QuarryError
try:
    print("loaded", (load_contextual_encoder(sys.argv[1]) or load_encoder(sys.argv[1])).fingerprint.name)
except QuarryError as error:
    print(type(error).__name__, error)
"""


class HuggingFaceCache:
    def __init__(self, home: Path) -> None:
        self._home = home

    def put(self, folder: Path, name: str) -> Path:
        """Lay *folder* into it as a download of *name* would: files called by their content, and links to them."""
        repository = self._home / "hub" / f"models--{name.replace('/', '--')}"
        snapshot = repository / "snapshots" / COMMIT
        (repository / "blobs").mkdir(parents=True)
        for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
            blob, link = repository / "blobs" / f"{number:040}", snapshot / path.relative_to(folder)
            shutil.copy(path, blob)
            link.parent.mkdir(parents=True, exist_ok=True)
            if os.name == "nt":  # where a download copies unless it may make links
                shutil.copy(path, link)
            else:
                link.symlink_to(os.path.relpath(blob, link.parent))
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(COMMIT, encoding="ascii")
        return snapshot

    def confirm(self, name: str) -> None:
        """Say yes to its download, in the name of the user."""
        script = "import sys; from quarry import consent; consent.confirm([('download', sys.argv[1])])"
        subprocess.run([sys.executable, "-c", script, name], env=self._environment(), check=True)

    def requests(self, name: str) -> str:
        """What its user has to confirm for *name*."""
        script = "import sys; from quarry.embedding import requests_for; print(requests_for(sys.argv[1]))"
        return self._run(script, name)

    def load(self, name: str) -> str:
        """
        Load *name* from it and give what was printed.

        In a process of its own, as the library reads its environment when it is imported.
        """
        return self._run(LOAD, name)

    def _run(self, script: str, name: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, name], env=self._environment(), capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def _environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGINGFACE_"))}
        return kept | {"HF_HOME": str(self._home), "HF_HUB_OFFLINE": "1", "QUARRY_HOME": str(self._home / "quarry")}
