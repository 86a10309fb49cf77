"""Attaching, starting, asking again: the client that every tool uses, with real sidecars."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from quarry import errors
from quarry import protocol as wire
from quarry.client import client as module
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed, decoded
from quarry.client.discovery import Discovery, ServedVault, VaultLock, discovery_path, write_discovery
from quarry.limits import MAX_CONNECTIONS
from quarry.protocol.envelope import ServerMessage
from quarry.vault.paths import vault_id

pytestmark = pytest.mark.slow  # most tests start a sidecar

PATIENCE_S = 30.0
NOBODY = 2**30  # above every system's highest process id


class Trap:
    """A listener that takes note of all it is told and answers as it was told to."""

    def __init__(self, reply=b""):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.heard = b""
        self.reply = reply
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            with stream:
                stream.settimeout(0.5)
                try:
                    while piece := stream.recv(65536):
                        self.heard += piece
                        if self.reply:
                            stream.sendall(self.reply)
                except OSError:
                    pass

    def close(self):
        self.listener.close()


@pytest.fixture
def trap():
    traps = []

    def lay(reply=b""):
        traps.append(Trap(reply))
        return traps[-1]

    yield lay
    for laid in traps:
        laid.close()


@pytest.fixture
def run_dir(home):
    folder = home / "run"
    folder.mkdir(parents=True, mode=0o700)
    return folder


def leave_file(run_dir, vault, port, **more):
    """A discovery file that promises a sidecar at *port*."""
    values = {"pid": NOBODY, "port": port, "token": "ab" * 32, "protocol": 1, "version": "0"} | more
    served = ServedVault(id=vault_id(vault), name=vault.name, path=str(vault))
    write_discovery(discovery_path(run_dir, vault_id(vault)), Discovery(vault=served, **values))


def test_it_attaches_to_the_sidecar_that_runs(at_shared):
    with SidecarClient(at_shared.vault, "test") as client:
        assert not client.started_sidecar
        assert client.hello.vault.path == str(at_shared.vault)
        assert client.ask("search", {"query": "accordion"}).hits


def test_waiting_is_left_to_the_sidecar(vault, tools, monkeypatch):
    tools.write_vault(vault, {f"Many/{n}.md": f"# Number {n}\n\n" + f"word{n}.\n" * 60 for n in range(300)})
    asked = []
    ask = SidecarClient.ask

    def noted(self, method, params=None):
        asked.append(params)
        return ask(self, method, params)

    with SidecarClient(vault, "test") as client:
        monkeypatch.setattr(SidecarClient, "ask", noted)
        client.wait_until_complete(PATIENCE_S)
        waits = [params.wait_ms for params in asked if params]

        assert client.status().notes == 303
    assert 0 < waits[0] <= PATIENCE_S * 1000
    assert len(waits) < 10  # a poll of 30 ms would have asked more often


def test_it_starts_one_where_none_runs_and_leaves_it_running(vault, home, found, tools):
    with SidecarClient(vault, "test", as_owner=True) as client:
        assert client.started_sidecar
        client.wait_until_complete(PATIENCE_S)
        assert client.status().model.state == "ready"
        assert client.status().notes == 3
    pid = found(home, vault).pid

    with SidecarClient(vault, "second", as_owner=True) as second:
        assert not second.started_sidecar
        assert found(home, vault).pid == pid
        second.shut_down()
    tools.eventually(lambda: not tools.is_running(pid))


def test_where_none_may_be_started_that_is_said(vault):
    with pytest.raises(errors.ConnectionFailed, match=r"no sidecar is running for .*; start one with `quarry serve`"):
        SidecarClient(vault, "test", may_start=False)


def test_a_vault_that_is_not_there_is_said_before_anything_is_started(tmp_path, home):
    with pytest.raises(errors.VaultMissing, match="there is no folder"):
        SidecarClient(tmp_path / "nowhere", "test")
    assert not list((home / "run").glob("*")) if (home / "run").exists() else True


def test_a_refusal_carries_its_kind_position_and_next_step(at_shared):
    with SidecarClient(at_shared.vault, "test") as client:
        with pytest.raises(RequestFailed) as failed:
            client.ask("search", {"query": "-only"})

        assert failed.value.kind == "bad-query"
        assert failed.value.position == 0
        assert failed.value.query == "-only"
        assert failed.value.next


def test_what_is_no_text_is_refused_without_being_sent(at_shared):
    with SidecarClient(at_shared.vault, "test") as client:
        with pytest.raises(errors.BadRequest, match="not valid Unicode"):
            client.ask("search", {"query": "caf\udce9"})

        assert client.status().state == "live"


def test_a_sidecar_that_is_killed_is_replaced_and_the_question_asked_again(vault, home, found, tools, start):
    first = start(vault)
    with SidecarClient(vault, "test") as client:
        client.wait_until_complete(PATIENCE_S)
        assert client.ask("search", {"query": "oolong"}).hits

        os.kill(first.pid, signal.SIGKILL)
        first.process.wait()
        answer = client.ask("search", {"query": "oolong", "mode": "keyword"})

        assert client.started_sidecar
        assert answer.hits[0].path == "Tea.md"
        assert found(home, vault).pid != first.pid


def test_a_sidecar_that_its_owner_ends_is_replaced_too(vault, start, tools):
    first = start(vault, "--lifeline", stdin=subprocess.PIPE)
    with SidecarClient(vault, "test") as client:
        assert client.status()
        first.process.stdin.close()

        # Asked without a pause: also while the old one finishes its notes, with the lock in its hand.
        tools.eventually(lambda: client.status() and client.started_sidecar)


def test_one_client_too_many_is_told_that_the_sidecar_is_busy_and_what_to_do(start, vault):
    sidecar = start(vault)
    for _ in range(MAX_CONNECTIONS):
        sidecar.talk()

    with pytest.raises(errors.SidecarBusy, match=f"busy: .* serves {MAX_CONNECTIONS} clients"):
        SidecarClient(vault, "test")

    sidecar.talks.pop().close()
    with SidecarClient(vault, "test") as client:
        assert client.status()


def test_an_owner_may_what_a_reader_may_not(vault, start):
    start(vault)
    with SidecarClient(vault, "test") as reader, pytest.raises(RequestFailed) as refused:
        reader.ask("index/pause")
    with SidecarClient(vault, "test", as_owner=True) as owner:
        assert owner.ask("index/pause").state == "paused"

    assert refused.value.kind == "forbidden"


def test_telling_one_to_leave_that_has_left_starts_none(vault, home, start, found):
    first = start(vault)
    with SidecarClient(vault, "test", as_owner=True) as client:
        first.leave()

        client.shut_down()

    assert found(home, vault) is None
    assert not VaultLock(home / "run", vault_id(vault)).is_held()


def test_a_file_that_was_left_with_a_stranger_on_its_port_is_not_trusted(vault, home, run_dir, trap, found):
    stranger = trap()
    leave_file(run_dir, vault, stranger.port)

    with SidecarClient(vault, "test") as client:
        assert client.started_sidecar
        assert found(home, vault).port != stranger.port

    assert stranger.heard == b""


def test_what_a_starting_sidecar_finds_of_its_killed_predecessor_is_gone_before_it_serves(
    vault, home, start, found, trap
):
    first = start(vault)
    first.process.kill()
    first.process.wait()
    stranger = trap()
    leave_file(home / "run", vault, stranger.port)

    second = start(vault)

    assert found(home, vault).pid == second.pid


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"HTTP/1.1 403 Forbidden\r\n\r\n",
        b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: aaaa\r\n\r\n",
        b"220 smtp ready\r\n",
        b"\x00" * 100,
    ],
)
def test_a_holder_that_does_not_speak_our_protocol_is_given_up_on(vault, run_dir, trap, reply):
    leave_file(run_dir, vault, trap(reply).port)

    with (
        VaultLock(run_dir, vault_id(vault)),
        pytest.raises(errors.ConnectionFailed, match=f"process {NOBODY} serves .* but does not answer"),
    ):
        SidecarClient(vault, "test", patience_s=0.3)


def test_a_redirect_is_not_followed(vault, run_dir, trap):
    elsewhere = trap()
    reply = f"HTTP/1.1 301 Moved\r\nLocation: ws://127.0.0.1:{elsewhere.port}/\r\nContent-Length: 0\r\n\r\n"
    leave_file(run_dir, vault, trap(reply.encode()).port)

    with VaultLock(run_dir, vault_id(vault)), pytest.raises(errors.ConnectionFailed, match="does not answer"):
        SidecarClient(vault, "test", patience_s=0.3)

    assert elsewhere.heard == b""


@pytest.mark.parametrize("data", ["", "{", "NaN", "[" * 100_000, b'{"id": "\xff"}', '{"id": 1.5}', "[]"])
def test_what_is_not_a_message_is_no_answer(data):
    with pytest.raises(errors.ConnectionFailed, match="does not follow the sidecar's protocol"):
        decoded(data, ServerMessage)


def test_a_result_without_a_field_names_it_and_the_way_out():
    with pytest.raises(errors.ConnectionFailed, match=r"`reportedMs`.*of another version than this tool; stop it"):
        decoded('{"accepted": 1}', wire.Accepted)


def test_a_field_that_only_a_newer_sidecar_has_is_ignored():
    text = '{"state": "live", "done": 1, "total": 1, "epoch": 7, "fallback": null, "colour": "blue"}'

    assert decoded(text, wire.Freshness).epoch == 7


def test_a_sidecar_that_reads_nothing_does_not_hold_us_for_ever(vault, start, monkeypatch):
    sidecar = start(vault)
    with SidecarClient(vault, "test") as client:
        os.kill(sidecar.pid, signal.SIGSTOP)
        client._socket.settimeout(0.2)
        begun_s = time.monotonic()
        with pytest.raises(module.ConnectionLost):
            client._ask("search", {"query": "x" * 50_000_000})
        os.kill(sidecar.pid, signal.SIGCONT)

    assert time.monotonic() - begun_s < PATIENCE_S


def test_the_sidecar_of_another_vault_is_not_asked_for_this_one(vault, tmp_path, start, tools):
    here, there = start(vault), start(tools.write_vault(tmp_path / "other", {"Secret.md": "# Secret\n\nof another\n"}))
    for sidecar in (here, there):
        sidecar.talk().live()
    here.discovery_file.write_bytes(there.discovery_file.read_bytes())

    with pytest.raises(errors.ConnectionFailed):
        SidecarClient(vault, "test", may_start=False, patience_s=1.0)


def test_a_holder_that_says_nothing_of_itself_is_given_up_on(vault, run_dir):
    with (
        VaultLock(run_dir, vault_id(vault)),
        pytest.raises(errors.ConnectionFailed, match="another process serves"),
    ):
        SidecarClient(vault, "test", patience_s=0.3)


def test_a_sidecar_of_another_protocol_is_told_from_its_file_and_not_called(vault, run_dir, trap):
    other = trap()
    leave_file(run_dir, vault, other.port, protocol=99, version="9.0")

    with (
        VaultLock(run_dir, vault_id(vault)),
        pytest.raises(errors.ProtocolMismatch, match=r"version 9\.0\) speaks protocol 99.*update the older"),
    ):
        SidecarClient(vault, "test")
    assert other.heard == b""


def test_the_token_is_shown_to_no_proxy(at_shared, trap, monkeypatch):
    proxy = trap()
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "ws_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")

    with SidecarClient(at_shared.vault, "test") as client:
        assert client.status().state == "live"

    assert proxy.heard == b""


def test_it_is_found_through_a_link_to_the_vault(at_shared, tmp_path):
    link = tmp_path / "link"
    try:
        link.symlink_to(at_shared.vault, target_is_directory=True)
    except OSError:
        pytest.skip("links cannot be made here")

    with SidecarClient(link, "test") as client:
        assert not client.started_sidecar


def test_a_relative_vault_and_home_mean_the_same_to_the_sidecar(vault, tmp_path, monkeypatch, found):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUARRY_HOME", "home")

    with SidecarClient(vault.relative_to(tmp_path), "test") as client:
        assert client.started_sidecar
        assert client.hello.vault.path == str(vault)
        assert found(tmp_path / "home", vault).port


def test_what_the_sidecar_says_on_its_way_out_is_said_by_the_client(vault, home, start):
    start(vault).leave()
    (database,) = (home / "data").glob("*.db")
    sql = "import apsw, sys; apsw.Connection(sys.argv[1]).execute('PRAGMA user_version = 9999')"
    subprocess.run([sys.executable, "-c", sql, str(database)], check=True)

    with pytest.raises(errors.SchemaTooNew, match=r"update|rebuild"):
        SidecarClient(vault, "test")


def test_progress_ends_in_a_live_index_even_if_no_news_ever_comes(vault, start, monkeypatch):
    monkeypatch.setattr(module, "STATUS_POLL_S", 0.05)
    monkeypatch.setattr(module, "_status_in", lambda news: None)  # all news is lost
    start(vault)

    with SidecarClient(vault, "test") as client:
        states = []
        for status in client.statuses():
            states.append(status.state)
            if status.state == "live" and len(states) > 3:
                break

    assert states[-1] == "live"


def test_progress_goes_on_with_the_next_sidecar_when_one_is_killed(vault, start):
    first = start(vault)
    with SidecarClient(vault, "test") as client:
        statuses = client.statuses()
        next(statuses)
        first.process.kill()
        first.process.wait()

        assert next(status for status in statuses if status.state == "live").notes == 3
        assert client.started_sidecar


def test_news_that_piles_up_while_nobody_listens_is_no_answer(vault, start, tools):
    sidecar = start(vault)
    with SidecarClient(vault, "test") as client:
        sidecar.talk().live()
        for number in range(30):
            tools.write_vault(vault, {f"More {number}.md": f"# More {number}\n\nword{number}\n"})
            client.ask("vault/changed", {"changes": [{"kind": "created", "path": f"More {number}.md"}]})
        tools.eventually(lambda: client.status().notes == 33)

        assert client.ask("search", {"query": "word29", "mode": "keyword"}).hits[0].path == "More 29.md"


def test_ten_tools_at_once_end_with_one_sidecar_and_ten_answers(vault, home, tools, found):
    command = [sys.executable, "-I", "-m", "quarry", "search", "--vault", str(vault), "--json", "oolong"]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        for _ in range(10)
    ]
    deadline_s = time.monotonic() + 2 * PATIENCE_S
    ended = [process.communicate(timeout=deadline_s - time.monotonic()) for process in processes]

    assert [process.returncode for process in processes] == [0] * 10, [err for _, err in ended]
    assert all(b'"hits"' in out for out, _ in ended)
    assert len(list((home / "run").glob("*.json"))) == 1
    pid = found(home, vault).pid  # those that lost the lock may still be leaving
    tools.eventually(lambda: serving_pids(vault) in ([pid], None), "the end of all other sidecars")


def serving_pids(vault):
    """The sidecars that serve *vault*, as the system lists them; None where it lists none."""
    if sys.platform != "linux":
        return None
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if b"serve" in words and str(vault).encode() in words:
                pids.append(int(process.name))
    return pids


class Slow:
    """A connection whose sidecar answers a question only when it is told to cancel it."""

    def __init__(self):
        self.sent = []

    def send(self, message):
        self.sent.append(json.loads(message))

    def recv(self, timeout_s):
        if len(self.sent) == 1:
            raise TimeoutError
        error = {"code": -32800, "message": "cancelled", "data": {"kind": "cancelled", "next": "ask again"}}
        return json.dumps({"jsonrpc": "2.0", "id": self.sent[0]["id"], "error": error})


def test_who_gives_up_has_the_sidecar_cancel_the_question(at_shared, monkeypatch):
    asked = iter([False, True])
    with SidecarClient(at_shared.vault, "test") as client:
        slow = Slow()
        with monkeypatch.context() as patched:
            patched.setattr(client, "_connection", slow)
            with pytest.raises(RequestFailed) as failed:
                client.ask("search", {"query": "x"}, lambda news: next(asked))

    question, cancel = slow.sent
    assert failed.value.kind == "cancelled"
    assert (cancel["method"], cancel["params"]) == ("$/cancel", {"id": question["id"]})
    assert "id" not in cancel


def test_threads_that_decode_a_struct_for_the_first_time_at_once_do_not_end_the_process():
    code = """
        import sys, threading
        from msgspec import defstruct
        from quarry.client.codec import decoded

        sys.setswitchinterval(1e-6)
        for _ in range(200):
            fields = [(f"field_{number}", defstruct("Inner", ["field"]) | None, None) for number in range(20)]
            outer = defstruct("Outer", fields)
            begin = threading.Barrier(4)

            def decode():
                begin.wait()
                decoded(b'{"field_19": {"field": 1}}', outer)

            threads = [threading.Thread(target=decode) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    """

    assert subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False).returncode == 0
