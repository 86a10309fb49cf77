"""A conversation with a real engine over a few notes, without a socket."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from sidecars import OWNER_TOKEN, TOKEN, make_service

from quarry.engine import Engine
from quarry.server.dispatch import ClientSession
from quarry.server.service import SEARCH_THREADS


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """An engine over a few notes, at rest."""
    folder = tmp_path_factory.mktemp("dispatch")
    root = folder / "vault"
    (root / "Private").mkdir(parents=True)
    (root / ".obsidian" / "plugins" / "x").mkdir(parents=True)
    (root / "Tea.md").write_text(
        "---\ntags: [drink]\naliases: [Cha]\n---\n# Tea\n\n🍵 Steep the oolong for three minutes. See [[Bread]].\n",
        encoding="utf-8",
    )
    (root / "Bread.md").write_text("# Bread\n\nFold the sourdough four times.\n", encoding="utf-8")
    (root / "Private" / "Diary.md").write_text("# Diary\n\nThe canaryword is hidden here.\n", encoding="utf-8")
    (root / ".obsidian" / "plugins" / "x" / "data.json").write_text('{"key":"canaryword"}', encoding="utf-8")
    (root / "Salary.md").write_text("---\nsensitivity: restricted\n---\nThe canaryword.\n", encoding="utf-8")
    (root / ".indexignore").write_text("Private/\n", encoding="utf-8")
    (folder / "outside.md").write_text("canaryword outside\n", encoding="utf-8")
    engine = Engine.open(root, folder / "index.db")
    at_rest = threading.Event()
    engine.listen(lambda _: at_rest.set() if engine.status().state == "live" else None)
    while engine.status().state != "live" or engine.status().model_state == "loading":
        at_rest.wait(0.02)
    yield engine
    engine.close()


class Session:
    """A conversation on a loop of its own, one frame after another."""

    def __init__(self, engine, *, is_known=True, token=TOKEN):
        self.stopped = False
        self.pool = ThreadPoolExecutor(SEARCH_THREADS)
        self.service = make_service(engine, self.pool, engine.root.parent / "feedback", self.stop)
        self.conversation = ClientSession(self.service)
        if is_known:
            self.ask("initialize", token=token, protocol=1, client={"name": "t"})

    def stop(self):
        self.stopped = True

    def say(self, frame):
        """The answer to a raw frame, as JSON; None where there was none."""
        answer = asyncio.run(self.conversation.answer(frame))
        return None if answer is None else json.loads(answer)

    def ask(self, method, **params):
        return self.say(request(1, method, **params))

    def result(self, method, **params):
        answer = self.ask(method, **params)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def error(self, method, **params):
        return self.ask(method, **params)["error"]


def request(request_id, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


@pytest.fixture
def session(engine):
    session = Session(engine)
    yield session
    session.pool.shutdown()


@pytest.fixture
def sample_session(sample):
    """A conversation about the vault of the sample queries, which has notes of many passages."""
    session = Session(sample)
    yield session
    session.pool.shutdown()


@pytest.fixture
def owner(engine):
    """A conversation with the owner's token."""
    session = Session(engine, token=OWNER_TOKEN)
    yield session
    session.pool.shutdown()


@pytest.fixture
def stranger(engine):
    """A conversation that has not begun."""
    session = Session(engine, is_known=False)
    yield session
    session.pool.shutdown()


@pytest.fixture
def frames():
    """How a request is written, and the token that opens."""
    return SimpleNamespace(request=request, token=TOKEN, owner_token=OWNER_TOKEN)
