"""A home folder, a project and a vault below a temporary folder, and the clients' configurations in them."""

import shutil
import sys
from pathlib import Path

import pytest

from quarry.agents.install.clients import CLIENTS, Host, config_paths
from quarry.agents.install.config_files import apply, planned
from quarry.agents.install.desired_state import ClientSetup, edits_to_install, edits_to_remove
from quarry.agents.install.server_entry import Launcher

FILES = Path(__file__).parent / "files"
LAUNCHER = Launcher("/opt/quarry/bin/quarry")

PROGRAM = """#!{python}
import json, os, sys
from pathlib import Path
{body}
"""


class Desk:
    """A user's files, and what `quarry install` does to them, without asking and without starting a server."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "user"
        self.project = folder / "project"
        self.vault = folder / "Notes"
        self.bin = folder / "bin"
        for made in (self.home, self.project, self.vault, self.bin):
            made.mkdir()
        self.host = Host("linux", self.home, self.project, {"HOME": str(self.home), "PATH": str(self.bin)})

    def setup(self, client: str, **more):
        more = {"scope": "user", "name": None, "vault": str(self.vault), "launcher": LAUNCHER, **more}
        return ClientSetup(client=CLIENTS[client], **more)

    def plan(self, client: str, **more):
        return planned(edits_to_install(self.setup(client, **more), self.host))

    def install(self, client: str, **more):
        return apply(list(edits_to_install(self.setup(client, **more), self.host)), self.host)

    def remove(self, client: str, **more):
        return apply(list(edits_to_remove(self.setup(client, **more), self.host, [client])), self.host)

    def program(self, name: str, body: str) -> Path:
        """Make a program *name* on the PATH; it records its arguments, and then runs *body*."""
        record = self.bin / f"{name}.calls"
        body = f"open({str(record)!r}, 'a').write(json.dumps(sys.argv[1:]) + chr(10))\n{body}"
        (self.bin / name).write_text(PROGRAM.format(python=sys.executable, body=body))
        (self.bin / name).chmod(0o755)
        return record

    def configuration(self, client: str, scope: str = "user") -> Path:
        """The path of the client's servers, in a folder that exists."""
        [path] = config_paths(CLIENTS[client].servers[scope], self.host, "notes")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def hooks_file(self, client: str) -> Path:
        [path] = config_paths([CLIENTS[client].hooks.files["user"]], self.host)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def content(self):
        """Every file and folder below the home folder and the project, with its content."""
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
