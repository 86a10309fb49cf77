"""`quarry serve` from its start to its one line, and all that it lets on."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.client.discovery import VaultLock, discovery_path
from quarry.errors import IndexUnavailable, VaultMissing
from quarry.server import serve as module
from quarry.server import service
from quarry.server.serve import ServeOptions, serve
from quarry.vault.paths import vault_id

pytestmark = pytest.mark.slow  # each test starts a sidecar

PATIENCE_S = 30.0
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links, pipes and modes")


def serve_once(vault, home, tools, **more):
    """Run `quarry serve` to its end, which is near."""
    command = [sys.executable, "-I", "-m", "quarry", "serve", "--vault", str(vault)]
    more.setdefault("env", tools.environment(home))
    return subprocess.run(command, capture_output=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, **more)


# --- coming up ----------------------------------------------------------------------------------


def test_its_one_line_says_where_it_is_found_and_nothing_of_the_token(start, vault):
    sidecar = start(vault)

    assert sidecar.ready == {
        "ready": True,
        "discovery": str(sidecar.discovery_file),
        "port": sidecar.port,
        "version": sidecar.ready["version"],
        "protocol": 1,
    }
    assert sidecar.token not in json.dumps(sidecar.ready)
    sidecar.leave()
    assert sidecar.process.stdout.read() == b""


def test_the_file_says_what_the_specification_lists(start, vault):
    sidecar = start(vault)

    said = json.loads(sidecar.discovery_file.read_text(encoding="utf-8"))

    assert set(said) == {"pid", "port", "token", "protocol", "version", "vault", "owner", "part"}
    assert said["pid"] == sidecar.pid
    assert said["vault"]["path"] == str(vault)
    assert re.fullmatch("[0-9a-f]{64}", said["token"])


def test_each_start_makes_a_new_token_and_the_old_one_opens_nothing(start, vault):
    first = start(vault)
    old = first.token
    first.leave()

    second = start(vault)

    assert second.token != old
    assert "error" in second.knock().introduce(old)


def test_a_second_one_for_the_same_vault_says_who_serves_it_and_exits_3(start, vault, home, tools, tmp_path):
    first = start(vault)
    link = tmp_path / "link"
    link.symlink_to(vault, target_is_directory=True)

    for path in (vault, link):
        done = serve_once(path, home, tools)

        assert done.returncode == 3
        assert json.loads(done.stdout) == {
            "ready": False,
            "discovery": str(first.discovery_file),
            "holder": {"pid": first.pid},
        }
        assert f"process {first.pid}".encode() in done.stderr
    assert first.talk().result("index/status")


def test_a_start_that_fails_waits_for_the_rules_which_compile_in_foreign_code(vault, home, tools):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom quarry.server import serve\n"
        "def compile_rules(text):\n    time.sleep(0.3)\n    print('compiled', flush=True)\n"
        "def refuse(*_, **__):\n    raise serve.VaultLocked('another process serves it')\n"
        "serve.scrub_text, serve.VaultLock = compile_rules, refuse\n"
        "try:\n    serve.serve(serve.ServeOptions(vault=Path(sys.argv[1])))\n"
        "except serve.VaultLocked:\n    sys.exit(3)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(vault)], capture_output=True, timeout=PATIENCE_S, env=tools.environment(home)
    )

    assert done.returncode == 3
    assert b"compiled" in done.stdout


def test_one_that_was_killed_leaves_the_way_free(start, vault):
    first = start(vault)
    first.process.kill()
    first.process.wait()

    second = start(vault)

    assert second.ready["ready"]
    assert second.talk().live()["notes"] == 3


def test_what_a_killed_one_left_is_gone_from_the_moment_the_lock_is_ours(vault, home, monkeypatch):
    """A client that sees the lock held takes the file for that of whoever holds it."""
    file = discovery_path(home / "run", vault_id(vault))
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text("left by one that was killed")
    seen = []

    async def begin(options, root, identity, file):
        seen.append((file.exists(), VaultLock(file.parent, identity).is_held()))

    monkeypatch.setattr(module, "_serve", begin)

    serve(ServeOptions(vault))

    assert seen == [(False, True)]


def test_without_a_vault_it_ends_with_4(home, tools, tmp_path):
    done = serve_once(tmp_path / "nowhere", home, tools)

    assert done.returncode == 4
    assert done.stdout == b""
    assert b"nowhere" in done.stderr
    with pytest.raises(VaultMissing):
        serve(ServeOptions(tmp_path / "nowhere"))


def test_without_a_real_token_there_is_no_socket_and_no_file(vault, home, monkeypatch):
    monkeypatch.setattr(service, "new_token", lambda: "")

    with pytest.raises(ValueError, match="128 bits"):
        serve(ServeOptions(vault))

    assert not list((home / "run").glob("*.json"))


@POSIX_ONLY
@pytest.mark.parametrize("planted", ["link", "pipe", "dangling"])
def test_what_someone_planted_in_the_files_place_is_replaced_and_not_written_through(
    start, vault, home, tmp_path, planted
):
    file = start(vault).discovery_file
    elsewhere = tmp_path / "elsewhere"
    second_home = tmp_path / "second"
    place = second_home / "run" / file.name
    place.parent.mkdir(parents=True, mode=0o700)
    if planted == "pipe":
        os.mkfifo(place)
    else:
        if planted == "link":
            elsewhere.write_text("precious")
        place.symlink_to(elsewhere)

    sidecar = start(vault, home=second_home)

    assert sidecar.talk().result("index/status")
    assert stat.S_ISREG(place.lstat().st_mode)
    assert not elsewhere.exists() or elsewhere.read_text() == "precious"


@POSIX_ONLY
def test_a_runtime_folder_that_is_a_link_is_refused(vault, home, tools, tmp_path):
    home.mkdir()
    (tmp_path / "theirs").mkdir()
    (home / "run").symlink_to(tmp_path / "theirs")

    done = serve_once(vault, home, tools)

    assert done.returncode == 1
    assert b"is a link" in done.stderr
    assert not list((tmp_path / "theirs").iterdir())


@POSIX_ONLY
def test_everything_of_ours_is_private_even_under_umask_000(vault, home, tools):
    code = (
        "import os, sys; os.umask(0);"
        "os.execv(sys.executable, [sys.executable, *'-I -m quarry serve --lifeline --vault'.split(), sys.argv[1]])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(vault)],
        env=tools.environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        process.stdout.readline()
        modes = {
            found.relative_to(home).as_posix(): stat.S_IMODE(found.stat().st_mode)
            for found in [home / "run", home / "data", home / "log", *home.glob("*/*")]
        }
    finally:
        process.stdin.close()
        process.wait(PATIENCE_S)
        process.stdout.close()

    assert {path for path, mode in modes.items() if mode & 0o077} == set()
    assert len(modes) > 5


def test_stdin_is_watched_before_the_index_is_opened(vault, home, monkeypatch):
    began = []

    class Engine:
        @staticmethod
        def open(*arguments, **options):
            began.append("index")
            raise IndexUnavailable("busy")

    monkeypatch.setattr(module, "watch_stdin", lambda leave: began.append("stdin"))
    monkeypatch.setattr(service, "Engine", Engine)

    with pytest.raises(IndexUnavailable):
        serve(ServeOptions(vault, lifeline=True))

    assert began == ["stdin", "index"]


# --- what it lets on ----------------------------------------------------------------------------


@ON_LINUX
def test_the_token_stands_in_the_file_and_nowhere_else(start, vault, home):
    sidecar = start(vault)
    talk = sidecar.talk()
    talk.live()
    token = sidecar.token.encode()

    seen = {
        "cmdline": Path(f"/proc/{sidecar.pid}/cmdline").read_bytes(),
        "environ": Path(f"/proc/{sidecar.pid}/environ").read_bytes(),
        "ready line": json.dumps(sidecar.ready).encode(),
        "status": json.dumps(talk.result("index/status")).encode(),
    }
    sidecar.leave()
    seen["stdout"] = sidecar.process.stdout.read()
    seen["stderr"] = sidecar.process.stderr.read()
    seen |= {str(file): file.read_bytes() for folder in (home, vault) for file in folder.rglob("*") if file.is_file()}

    assert len(token) == 64
    assert [name for name, content in seen.items() if token in content] == []


def test_the_log_says_nothing_of_what_was_asked_or_written_even_when_all_goes_wrong(start, vault, home, tools):
    canary = "canarysong"
    tools.write_vault(vault, {f"{canary}.md": f"# {canary}\n\n{canary} text\n"})
    sidecar = start(vault)
    token = sidecar.token
    talk = sidecar.talk()
    talk.live()
    for _ in range(50):
        talk.ask("search", query=canary)
        talk.ask("search", query=f'-"{canary}"')
        talk.ask("note/read", path=f"{canary}/{canary}.md")
        talk.ask(canary)
        talk.ask("search", query=canary, colour=canary)
        talk.send(f'{{"{canary}')
        talk.answer(None)
    for _ in range(5):
        sidecar.knock().introduce(canary)
    sidecar.leave()

    log = b"".join(file.read_bytes() for file in (home / "log").glob("*"))

    assert canary.encode() not in log
    assert token.encode() not in log
    assert len(log) < 100_000
