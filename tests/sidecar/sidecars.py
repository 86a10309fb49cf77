"""
What these tests share: homes and vaults below a temporary folder, real sidecars in processes of their own, and a plain
client that speaks the wire without any code of ours.

Every sidecar that a test starts, or has a tool start, is ended by its process id.
"""

import contextlib
import dataclasses
import io
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.sync.client import connect

from quarry import protocol
from quarry.agents.conversations import Ledgers
from quarry.cli.main import main
from quarry.client.discovery import Discovery, discovery_path, read_discovery
from quarry.server.blocks.block_store import BlockStore
from quarry.server.feedback import FeedbackLog
from quarry.server.gate import Gate
from quarry.server.service import Service
from quarry.vault.paths import vault_id

SAMPLE_VAULT = Path(__file__).resolve().parents[1] / "retrieval" / "vault"
PATIENCE_S = 30.0  # how long a condition may take on a busy machine; it is met in milliseconds
TOKEN, OWNER_TOKEN = "7a" * 32, "a7" * 32  # of a service in this process
NOTES = {
    "Tea.md": "# Tea\n\nSteep the oolong for three minutes.\n",
    "Kitchen/Bread.md": "---\ntags: [baking]\n---\n# Bread\n\nFold the sourdough four times, then let it rest.\n",
    "Garden/Beans.md": "# Beans\n\nSow the runner beans in May. See [[Tea]].\n",
}


def eventually(condition: Callable[[], Any], what: str = "the condition") -> Any:
    """The first value of *condition* that is true."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        if value := condition():
            return value
        time.sleep(0.01)
    raise AssertionError(f"{what} was not met in {PATIENCE_S:.0f} s")


def make_service(
    engine: Any, pool: Executor, feedback: Path = Path(os.devnull), stop: Callable[[], None] = lambda: None
) -> Service:
    """A service in this process, which answers on threads of *pool*."""
    return Service(
        engine=engine,
        executors={"search": pool, "vault": pool},
        feedback=FeedbackLog(feedback),
        ledgers=Ledgers("v"),
        blocks=BlockStore(),
        gate=Gate(TOKEN, OWNER_TOKEN),
        vault=protocol.Vault(id="v", name="v", path="/v"),
        stop=stop,
    )


def is_running(pid: int) -> bool:
    """Whether the process does anything any more; one that only waits to be buried does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        if sys.platform == "linux":
            return False
        with contextlib.suppress(OSError):
            os.kill(pid, 0)
            return True
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def sidecars_of(home: Path) -> Iterator[int]:
    """The sidecars whose QUARRY_HOME is *home*; on Linux also those that have no discovery file yet."""
    if sys.platform != "linux":
        found = [discovery.pid for file in (home / "run").glob("*.json") if (discovery := read_discovery(file))]
        yield from (pid for pid in found if pid != os.getpid() and is_running(pid))
        return
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile, or is another user's
            is_serving = b"serve" in (process / "cmdline").read_bytes().split(b"\0")
            if is_serving and f"QUARRY_HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0"):
                yield int(process.name)


def write_vault(root: Path, notes: Mapping[str, str]) -> Path:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


class Talk:
    """One connection, spoken to in JSON."""

    def __init__(self, port: int) -> None:
        self._open = contextlib.ExitStack()
        self._socket = self._open.enter_context(
            # The sidecar pings; a ping of ours takes its bytes from `random`, which hypothesis must find as it left it.
            connect(f"ws://127.0.0.1:{port}/", proxy=None, compression=None, max_size=None, ping_interval=None)
        )
        self._ids = itertools.count(1)
        self.news: list[dict[str, Any]] = []

    def introduce(self, token: str, protocol_version: int = protocol.PROTOCOL_VERSION) -> dict[str, Any]:
        return self.ask("initialize", token=token, protocol=protocol_version, client={"name": "test"})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        request_id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return self.answer(request_id)

    def result(self, method: str, **params: Any) -> Any:
        answer = self.ask(method, **params)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def send(self, message: object) -> None:
        self.send_text(message if isinstance(message, str) else json.dumps(message))

    def send_text(self, frame: str | bytes) -> None:
        self._socket.send(frame)

    def receive(self) -> dict[str, Any]:
        return json.loads(self._socket.recv(PATIENCE_S))

    def receive_text(self) -> str | bytes:
        return self._socket.recv(PATIENCE_S)

    def answer(self, request_id: int | str | None) -> dict[str, Any]:
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == request_id:
                return message
            self.news.append(message)

    def live(self) -> dict[str, Any]:
        """The status once the index equals the vault."""
        return eventually(
            lambda: (status := self.result("index/status"))["state"] == "live" and status, "an index that is live"
        )

    def close(self) -> None:
        self._open.close()

    @property
    def close_code(self) -> int | None:
        return self._socket.close_code


@dataclasses.dataclass
class Sidecar:
    """A sidecar in a process of its own."""

    process: "subprocess.Popen[bytes]"
    vault: Path
    home: Path
    ready: dict[str, Any]
    talks: list[Talk] = dataclasses.field(default_factory=list)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def port(self) -> int:
        return int(self.ready["port"])

    @property
    def discovery_file(self) -> Path:
        return Path(self.ready["discovery"])

    @property
    def token(self) -> str:
        return str(json.loads(self.discovery_file.read_text(encoding="utf-8"))["token"])

    @property
    def owner_file(self) -> Path:
        return Path(json.loads(self.discovery_file.read_text(encoding="utf-8"))["owner"])

    @property
    def owner_token(self) -> str:
        return str(json.loads(self.owner_file.read_text(encoding="utf-8"))["token"])

    def talk(self) -> Talk:
        """A connection that has been let in."""
        talk = self.knock()
        talk.introduce(self.token)
        return talk

    def owner_talk(self) -> Talk:
        """A connection with the owner's token."""
        talk = self.knock()
        talk.introduce(self.owner_token)
        return talk

    def knock(self) -> Talk:
        """A connection that has said nothing yet."""
        talk = Talk(self.port)
        self.talks.append(talk)
        return talk

    def leave(self) -> int:
        """Ask it to go; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def end(self) -> None:
        for talk in self.talks:
            talk.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()


def environment(home: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    for name in ("QUARRY_VAULT", "CLAUDE_CODE_SESSION_ID"):
        inherited.pop(name, None)
    return {**inherited, "QUARRY_HOME": str(home), **more}


def spawn(vault: Path, home: Path, *options: str, stdin: int = subprocess.DEVNULL, **env: str) -> Sidecar:
    """Start `quarry serve` and read its one line."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "quarry", "serve", "--vault", str(vault), *options],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=home.parent,
        env=environment(home, **env),
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    sidecar = Sidecar(process, vault, home, json.loads(line) if line else {})
    if not line:
        sidecar.process.wait()
    return sidecar


def end_those_of(home: Path) -> None:
    """End the sidecars that tools started and left to themselves below *home*."""
    for pid in sidecars_of(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        eventually(lambda pid=pid: not is_running(pid), "the end of a sidecar")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where Quarry keeps its files in this test."""
    folder = tmp_path / "home"
    monkeypatch.setenv("QUARRY_HOME", str(folder))
    monkeypatch.delenv("QUARRY_VAULT", raising=False)
    for name in [name for name in os.environ if "proxy" in name.lower()]:
        monkeypatch.delenv(name)
    yield folder
    end_those_of(folder)


@pytest.fixture(autouse=True)
def in_home(home: Path) -> Path:
    """Every test of a folder whose conftest imports this one has a home of its own."""
    return home


@pytest.fixture
def small_vault(tmp_path: Path) -> Path:
    """Three short notes, one of them in a folder with a tag, one with a link."""
    return write_vault(tmp_path / "vault", NOTES)


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Sidecar]]:
    """Start sidecars; they end with the test."""
    started: list[Sidecar] = []

    def begin(vault: Path, *options: str, home: Path = home, **more: Any) -> Sidecar:
        started.append(spawn(vault, home, *options, **more))
        return started[-1]

    yield begin
    for sidecar in started:
        sidecar.end()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    """One sidecar over a copy of the sample vault, for all who only ask."""
    folder = tmp_path_factory.mktemp("shared")
    vault = Path(shutil.copytree(SAMPLE_VAULT, folder / "sample"))
    sidecar = spawn(vault, folder / "home")
    talk = sidecar.talk()
    talk.live()
    eventually(lambda: talk.result("index/status")["model"]["state"] == "ready", "a model")
    talk.close()
    yield sidecar
    sidecar.end()
    end_those_of(sidecar.home)


@pytest.fixture
def talk(shared: Sidecar) -> Iterator[Talk]:
    """A connection to the shared sidecar."""
    talk = shared.talk()
    yield talk
    talk.close()


@pytest.fixture
def at_shared(shared: Sidecar, monkeypatch: pytest.MonkeyPatch) -> Sidecar:
    """The shared sidecar, which clients in this process find."""
    monkeypatch.setenv("QUARRY_HOME", str(shared.home))
    monkeypatch.setenv("QUARRY_VAULT", str(shared.vault))
    return shared


@pytest.fixture
def raw(shared: Sidecar) -> Callable[..., bytes]:
    """Send bytes to the shared sidecar's port; what came back until it closed or had answered with headers."""

    def exchange(request: bytes, *, until: bytes = b"\r\n\r\n") -> bytes:
        with socket.create_connection(("127.0.0.1", shared.port), timeout=PATIENCE_S) as stream:
            stream.sendall(request)
            received = b""
            while until not in received:
                try:
                    piece = stream.recv(65536)
                except ConnectionError:
                    break
                if not piece:
                    break
                received += piece
            return received

    return exchange


@pytest.fixture
def quarry(home: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run the command in a process of its own."""

    def run(*arguments: str, **more: Any) -> "subprocess.CompletedProcess[str]":
        more = {"capture_output": True, "text": True, "check": False, "stdin": subprocess.DEVNULL, **more}
        if "input" in more:
            del more["stdin"]
        more.setdefault("env", environment(Path(os.environ["QUARRY_HOME"])))
        return subprocess.run([sys.executable, "-I", "-m", "quarry", *arguments], timeout=60, **more)

    return run


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., SimpleNamespace]:
    """Run the command in this process, which saves a start: exit code, what it printed, what it complained of."""

    def run(*arguments: str) -> SimpleNamespace:
        try:
            code = main(arguments)
        except SystemExit as leaving:  # argparse
            code = leaving.code
        captured = capsys.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return run


class Keyboard(io.StringIO):
    """A terminal at which a text is typed."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def type_at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make standard input and standard error a terminal, at which a text is typed."""

    def begin(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", Keyboard(text))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    return begin


@pytest.fixture
def found() -> Callable[[Path, Path], Discovery | None]:
    """The discovery file of a vault below a home."""
    return lambda home, vault: read_discovery(discovery_path(home / "run", vault_id(vault)))


@pytest.fixture
def tools() -> SimpleNamespace:
    """Plain helpers, by name."""
    return SimpleNamespace(
        eventually=eventually, is_running=is_running, write_vault=write_vault, environment=environment, NOTES=NOTES
    )
