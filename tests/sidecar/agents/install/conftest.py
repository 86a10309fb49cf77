"""A home folder, a project and a vault below a temporary folder, and the clients' configurations in them."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from quarry.agents.install.apply import apply
from quarry.agents.install.clients import CLIENTS
from quarry.agents.install.entries import Launcher
from quarry.agents.install.places import Host, paths_at
from quarry.agents.install.plan import plan_install, plan_remove
from quarry.agents.install.record import read_records
from quarry.agents.install.requests import ClientSetup, requests_to_install, requests_to_remove
from quarry.vault.identity import vault_id

FILES = Path(__file__).parent / "files"
LAUNCHER = Launcher("/opt/quarry/bin/quarry")


class Desk:
    """A user's files, and what `quarry install` does to them, without asking and without a proof."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "user"
        self.project = folder / "project"
        self.vault = folder / "Notes"
        for made in (self.home, self.project, self.vault):
            made.mkdir()
        self.host = Host("linux", self.home, self.project, {})

    def setup(self, client: str, **more):
        more = {"scope": "user", "name": None, "vault": str(self.vault), "launcher": LAUNCHER, **more}
        return ClientSetup(client=CLIENTS[client], **more)

    def plan(self, client: str, **more):
        setup = self.setup(client, **more)
        return plan_install(requests_to_install(setup, self.host), vault_id(Path(setup.vault)), read_records())

    def install(self, client: str, **more):
        changes = self.plan(client, **more)
        apply(changes)
        return changes

    def remove(self, client: str, **more):
        setup = self.setup(client, **more)
        changes = plan_remove(requests_to_remove(setup, self.host), vault_id(Path(setup.vault)), read_records())
        apply(changes)
        return changes

    def configuration(self, client: str, scope: str = "user") -> Path:
        """Where the client's servers are, as a path whose folder is there."""
        [path] = paths_at(CLIENTS[client].servers[scope], self.host, "notes")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def hooks_file(self, client: str) -> Path:
        [path] = paths_at([CLIENTS[client].hooks.files["user"]], self.host)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def content(self):
        """Every file and folder below the home folder and the project, with what it holds."""
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for folder in (self.home, self.project)
            for path in sorted(folder.rglob("*"))
        }


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """A desk on which every client has a configuration already."""
    for client in CLIENTS.values():
        suffix = ".toml" if client.file_format == "toml" else ".json"
        shutil.copy(FILES / f"{client.name}{suffix}", desk.configuration(client.name))
        if client.hooks and client.name != "gemini":  # which has one file for both
            shutil.copy(FILES / f"{client.name}-hooks.json", desk.hooks_file(client.name))
    return desk


@pytest.fixture
def sample() -> SimpleNamespace:
    return SimpleNamespace(launcher=LAUNCHER, files=FILES)
