"""A vault with context blocks, an engine over it, and a clock that the test turns."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import IMPATIENT, Vault, settle

from quarry import protocol
from quarry.engine import Engine
from quarry.server.blocks.block_reader import Blocks
from quarry.server.blocks.block_store import BlockStore
from quarry.settings import SETTINGS_FILE
from quarry.types import VaultChange

HOUR_MS = 3_600_000
NOTES = {
    "Auth/OAuth.md": "# OAuth tokens\n\nRotate oauth refresh tokens every thirty days. The signer keeps two keys.\n",
    "Auth/Sessions.md": "# Sessions\n\nA session cookie lives for an hour; oauth renews it without a login page.\n",
    "Garden/Beans.md": "# Runner beans\n\nSow the runner beans in May, two to a cane.\n",
    "Kitchen/Bread.md": "# Bread\n\nFold the sourdough four times, then let it rest over night.\n",
}
SETTINGS = """\
[context.auth]
query = "oauth token rotation"
ttl_hours = 24

[context.beans]
query = "runner beans"
max_tokens = 500
"""


class Scene:
    """A vault, its engine, its blocks, and the time."""

    def __init__(self, folder: Path) -> None:
        self.vault = Vault(folder / "vault")
        self.vault.write_all({**NOTES, SETTINGS_FILE: SETTINGS})
        self.file = folder / "kept.blocks"
        self.now_ms = 1_000_000_000_000
        self.engine = Engine.open(self.vault.root, folder / "index.db", limits=IMPATIENT)
        self.store = BlockStore(self.file)
        self.engine.listen(self.store.on_commit)
        settle(self.engine)

    @property
    def blocks(self) -> Blocks:
        return Blocks(self.engine, self.store, lambda: self.now_ms)

    def read(self, **params: object) -> protocol.BlocksResult:
        return self.blocks.read(protocol.BlocksReadParams(**params), lambda: False)[0]  # type: ignore[arg-type]

    def check(self) -> protocol.BlocksCheckResult:
        return self.blocks.check(lambda: False)

    def states(self, **params: object) -> dict[str, str]:
        """Block -> its state, of a read."""
        return {block.name: block.state for block in self.read(**params).blocks}

    def stale(self) -> dict[str, str | None]:
        """Block -> why it does not hold, of a check."""
        return {block.name: block.stale for block in self.check().blocks}

    def write(self, path: str, text: str) -> None:
        """Save a note, and wait until it can be found."""
        is_new = not (self.vault.root / path).exists()
        self.vault.write(path, text)
        self.tell(VaultChange("created" if is_new else "modified", path))

    def tell(self, change: VaultChange) -> None:
        """Report a change, and wait until it is indexed."""
        self.engine.vault_changed([change])
        settle(self.engine)

    def restart(self) -> None:
        """A new process: what was in memory is gone."""
        self.store = BlockStore(self.file)
        self.engine.listen(self.store.on_commit)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    scene.engine.close()


@pytest.fixture
def define(scene: Scene) -> Callable[[str], None]:
    """Write the vault's settings."""

    def write(text: str) -> None:
        scene.vault.write(SETTINGS_FILE, text)

    return write
