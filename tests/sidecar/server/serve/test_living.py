"""`quarry serve` at work: how it follows the vault, answers meanwhile, and leaves."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from quarry.client.discovery import VaultLock
from quarry.errors import IndexUnavailable
from quarry.server import serve as module

pytestmark = pytest.mark.slow  # each test starts a sidecar

PATIENCE_S = 30.0
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links, pipes and modes")


# --- following the vault ------------------------------------------------------------------------


def test_a_note_saved_without_obsidian_is_found_and_told_of(start, vault, tools):
    sidecar = start(vault)
    talk, other = sidecar.talk(), sidecar.talk()
    talk.live()

    tools.write_vault(vault, {"New.md": "# New\n\nA zanzibar of a word.\n"})

    while True:
        message = other.receive()
        if message["method"] == "index/updated" and "New.md" in message["params"]["indexed"]:
            break
    assert talk.result("search", query="zanzibar", mode="keyword")["hits"][0]["path"] == "New.md"


def test_what_changed_while_it_was_starting_is_found(start, vault, tools):
    """Between the scan of the start and the moment the watch stands, nobody tells of a change."""
    sidecar = start(vault)
    tools.write_vault(vault, {"New.md": "# New\n\nA zanzibar of a word.\n"})
    talk = sidecar.talk()

    assert tools.eventually(lambda: talk.result("search", query="zanzibar", mode="keyword")["hits"])


def test_a_change_that_a_client_tells_is_carried_out_and_told_to_all(start, vault, tools):
    sidecar = start(vault, "--lifeline", stdin=subprocess.PIPE)
    talk, other = sidecar.talk(), sidecar.talk()
    talk.live()
    (vault / "Tea.md").rename(vault / "Chai.md")

    accepted = talk.result("vault/changed", changes=[{"kind": "renamed", "path": "Chai.md", "oldPath": "Tea.md"}])

    assert accepted["accepted"] == 1
    while True:  # what it told of the start may still be on its way
        message = other.receive()
        if message["method"] == "index/updated" and "Chai.md" in message["params"]["indexed"]:
            break
    assert message["params"]["removed"] == ["Tea.md"]
    assert message["params"]["status"]["notes"] == 3


def test_news_outlives_a_status_that_could_not_be_had(monkeypatch):
    """Whatever one piece of news runs into, the next is told."""

    class Server:
        client_count = 1

        def __init__(self):
            self.told = []

        def broadcast(self, method, params):
            self.told.append(method)

    class Engine:
        def __init__(self):
            self.failures = [IndexUnavailable("busy"), KeyError("a defect")]

        def listen(self, listener):
            self.listener = listener

        def status(self):
            if self.failures:
                raise self.failures.pop(0)
            return "fine"

    server, engine = Server(), Engine()
    monkeypatch.setattr(module, "index_status", lambda status: status)
    monkeypatch.setattr(module, "PROGRESS_S", 0.0)

    async def main():
        task = asyncio.create_task(module._notify_clients(engine, server))
        async with asyncio.timeout(PATIENCE_S):
            while not server.told:
                if hasattr(engine, "listener"):
                    engine.listener(None)
                await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(main())

    assert server.told[0] == "index/progress"
    assert engine.failures == []


# --- at work ------------------------------------------------------------------------------------


def test_the_same_question_gives_the_same_bytes_also_from_the_next_sidecar(start, vault):
    question = {"jsonrpc": "2.0", "id": 99, "method": "search", "params": {"query": "bread rest", "detail": "full"}}
    answers = set()
    for _ in range(2):
        sidecar = start(vault)
        talk = sidecar.talk()
        talk.live()
        while talk.result("index/status")["model"]["state"] == "loading":
            pass
        for _ in range(3):
            talk.send(question)
            answer = talk.answer(99)
            answer["result"].pop("index")  # how current it is differs: opening an index may commit to it
            answers.add(json.dumps(answer))
        sidecar.leave()

    assert len(answers) == 1


def test_settings_are_written_with_their_comments_and_take_effect(start, vault, tools):
    (vault / ".quarry.toml").write_text("# mine\n[search]\nkeyword_weight = 2.0 # more words\n", encoding="utf-8")
    talk = start(vault).owner_talk()
    talk.live()
    assert talk.result("settings/read")["keywordWeight"] == 2.0

    written = talk.result("settings/write", excludeFolders=["Garden"], denseWeight=0.5)

    assert written["excludeFolders"] == ["Garden"]
    text = (vault / ".quarry.toml").read_text(encoding="utf-8")
    assert "# mine" in text
    assert "# more words" in text
    tools.eventually(lambda: talk.result("index/status")["notes"] == 2)
    assert "error" in talk.ask("note/read", path="Garden/Beans.md")
    assert talk.result("settings/read")["denseWeight"] == 0.5


def test_settings_that_cannot_be_used_are_refused_and_nothing_is_written(start, vault):
    talk = start(vault).owner_talk()

    answer = talk.ask("settings/write", excludeFolders=["../elsewhere"])

    assert answer["error"]["data"]["kind"] == "bad-settings"
    assert not (vault / ".quarry.toml").exists()


def test_pausing_holds_changes_up_and_resuming_carries_them_out(start, vault, tools):
    talk = start(vault).owner_talk()
    talk.live()
    assert talk.result("index/pause")["state"] == "paused"
    tools.write_vault(vault, {"New.md": "# New\n\nA zanzibar of a word.\n"})
    talk.result("vault/changed", changes=[{"kind": "created", "path": "New.md"}])
    assert talk.result("search", query="zanzibar", mode="keyword")["hits"] == []
    assert talk.result("search", query="oolong")["hits"]

    talk.result("index/resume")

    assert tools.eventually(lambda: talk.result("search", query="zanzibar", mode="keyword")["hits"])


def test_searches_go_on_while_the_index_is_rebuilt(start, vault, tools):
    tools.write_vault(vault, {f"Many/{n}.md": f"# Number {n}\n\nword{n} among others\n" for n in range(400)})
    talk = start(vault).owner_talk()
    before = talk.live()

    talk.result("index/rebuild")

    found = set()

    def is_rebuilt():
        found.add(len(talk.result("search", query="oolong", mode="keyword")["hits"]))
        status = talk.result("index/status")
        return status["state"] == "live" and status["indexedMs"] != before["indexedMs"]

    while not is_rebuilt():
        time.sleep(0.01)  # the process that rebuilds is niced: whoever asks without a pause holds it up
    assert found == {1}
    assert talk.result("index/status")["notes"] == before["notes"]


def test_a_file_name_that_is_no_text_harms_nobody(start, vault, tools):
    try:
        (vault / os.fsdecode(b"bad\xff.md")).write_text("# Bad name\n\nzanzibar\n")
    except (OSError, UnicodeError):
        pytest.skip("this disk takes no such name")
    talk = start(vault).talk()

    status = talk.live()

    assert status["notes"] >= 3
    for method, params in (("search", {"query": "zanzibar"}), ("notes/list", {}), ("context", {"query": "zanzibar"})):
        assert "result" in talk.ask(method, **params)


# --- leaving ------------------------------------------------------------------------------------


def test_leaving_while_it_indexes_commits_and_keeps_what_was_done(start, vault, tools):
    tools.write_vault(vault, {f"Many/{n}.md": f"# Number {n}\n\nword{n} among others\n" * 20 for n in range(600)})
    sidecar = start(vault)
    talk = sidecar.talk()
    tools.eventually(lambda: talk.result("index/status")["notes"] > 0)

    assert sidecar.leave() == 0

    again = start(vault).talk()
    assert again.result("index/status")["notes"] > 0
    assert again.live()["notes"] == 603


@pytest.mark.skipif(sys.platform == "win32", reason="stopping a process is POSIX's")
def test_one_that_hangs_holds_its_lock_and_is_named(start, vault, home):
    sidecar = start(vault)
    sidecar.process.send_signal(signal.SIGSTOP)
    try:
        lock = VaultLock(home / "run", sidecar.discovery_file.stem)
        assert lock.is_held()
    finally:
        sidecar.process.send_signal(signal.SIGCONT)


def test_a_starter_that_is_gone_before_the_line_is_said_does_not_end_it(vault, home, tools, found):
    code = (
        "import subprocess, sys;"
        "p = subprocess.Popen([sys.executable, '-I', '-m', 'quarry', 'serve', '--idle', '60', '--vault', sys.argv[1]],"
        "stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True);"
        "import os; os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(vault)], env=tools.environment(home), check=True)

    discovery = tools.eventually(lambda: found(home, vault))

    if sys.platform == "linux":
        tools.eventually(lambda: os.path.realpath(f"/proc/{discovery.pid}/fd/1") == os.devnull)
    assert tools.is_running(discovery.pid)
