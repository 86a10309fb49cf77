"""The discovery file and the lock: written whole and private, read with suspicion."""

import json
import os
import stat
import subprocess
import sys
import threading

import pytest

from quarry.client import discovery
from quarry.client.discovery import (
    Discovery,
    ServedVault,
    VaultLock,
    discovery_path,
    new_token,
    read_discovery,
    remove_discovery,
    remove_stale_files,
    write_discovery,
)
from quarry.errors import ConnectionFailed, VaultLocked

WHOLE = (
    b'{"pid":4711,"port":40123,"token":"%s","protocol":1,"version":"1.2.3",'
    b'"vault":{"id":"v","name":"Notes","path":"/home/me/Notes"}}' % (b"ab" * 32)
)
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links, pipes and modes")
HOLD = """
import sys
from pathlib import Path
from quarry.client.discovery import VaultLock
with VaultLock(Path(sys.argv[1]), "v"):
    print("held", flush=True)
    sys.stdin.read()
"""


def discovery_of(pid=4711, token="ab" * 32):
    served = ServedVault(id="v", name="Notes", path="/home/me/Notes")
    return Discovery(pid=pid, port=40123, token=token, protocol=1, version="1.2.3", vault=served)


@pytest.fixture
def file(tmp_path):
    return discovery_path(tmp_path, "v")


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of the vault `v`."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"held\n"
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_what_is_written_is_read(file):
    write_discovery(file, discovery_of())

    assert read_discovery(file) == discovery_of()
    assert json.loads(file.read_text())["vault"] == {"id": "v", "name": "Notes", "path": "/home/me/Notes"}


@POSIX_ONLY
def test_a_link_in_its_place_is_not_read(file, tmp_path):
    elsewhere = tmp_path / "elsewhere.json"
    write_discovery(elsewhere, discovery_of())
    file.symlink_to(elsewhere)

    assert read_discovery(file) is None


@POSIX_ONLY
def test_a_pipe_in_its_place_is_neither_waited_for_nor_kept(file):
    os.mkfifo(file)

    assert read_discovery(file) is None
    write_discovery(file, discovery_of())
    assert read_discovery(file) == discovery_of()


def test_a_folder_in_its_place_is_said_with_its_path(file):
    file.mkdir()

    assert read_discovery(file) is None
    with pytest.raises(ConnectionFailed, match=r"v\.json cannot be written: .*; move it away"):
        write_discovery(file, discovery_of())
    assert [found.name for found in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"pid":"x"}',
        b"[" * 60_000,
        b'{"port":1,"x":' + b"[" * 50_000 + b"]" * 5_000,
        WHOLE[:-1],
        WHOLE + b" " * 70_000 + b"x",
        WHOLE.replace(b"40123", b'"40123"'),
        WHOLE.replace(b"40123", b"true"),
        WHOLE.replace(b'"Notes"', b"null"),
        WHOLE.replace(b'"vault"', b'"folder"'),
    ],
)
def test_what_makes_no_sense_is_as_good_as_nothing(file, content):
    file.write_bytes(content)

    assert (read_discovery(file) or discovery_of()) == discovery_of()
    if len(content) < 70_000:
        assert read_discovery(file) is None


def test_a_file_that_says_more_than_we_know_is_read(file):
    write_discovery(file, discovery_of())
    file.write_bytes(json.dumps(json.loads(file.read_bytes()) | {"colour": "blue"}).encode())

    assert read_discovery(file) == discovery_of()


def test_only_our_own_file_is_taken_away(file):
    write_discovery(file, discovery_of(pid=2))

    remove_discovery(file, pid=1)
    was_kept = file.exists()
    remove_discovery(file, pid=2)
    remove_discovery(file, pid=2)

    assert was_kept
    assert not file.exists()


def test_what_killed_sidecars_left_is_swept_and_nothing_else(file, tmp_path):
    write_discovery(file, discovery_of())
    half = file.with_suffix(".99.new")
    other = discovery_path(tmp_path, "other")
    lock = tmp_path / "v.lock"
    for left in (half, other, lock):
        left.write_text("x")

    remove_stale_files(file)

    assert sorted(found.name for found in tmp_path.iterdir()) == ["other.json", "v.lock"]


def test_each_token_is_new_and_of_256_bits():
    tokens = {new_token() for _ in range(100)}

    assert len(tokens) == 100
    assert {len(bytes.fromhex(token)) for token in tokens} == {32}


def test_the_token_is_not_shown_with_the_rest():
    assert "ab" * 32 not in repr(discovery_of())
    assert "4711" in repr(discovery_of())


def test_a_second_process_is_refused_and_told_who_was_first(tmp_path, file, holder):
    write_discovery(file, discovery_of(pid=holder.pid))
    lock = VaultLock(tmp_path, "v")

    assert lock.is_held()
    with pytest.raises(VaultLocked, match=f"process {holder.pid} already serves"), lock:
        pass


def test_the_lock_goes_with_its_process_however_that_ends(tmp_path, holder):
    lock = VaultLock(tmp_path, "v")
    holder.kill()
    holder.wait()

    assert not lock.is_held()
    with lock:
        assert VaultLock(tmp_path, "v").is_held()
    assert not lock.is_held()


def test_two_vaults_do_not_stand_in_each_others_way(tmp_path, holder):
    with VaultLock(tmp_path, "other"):
        assert VaultLock(tmp_path, "v").is_held()


def test_who_only_looks_keeps_nobody_from_serving(tmp_path, monkeypatch):
    """Looking takes the lock for a moment; serving must not fail because of that moment."""
    monkeypatch.setattr(discovery, "LOCK_PATIENCE_S", 30.0)
    looker, serving = VaultLock(tmp_path, "v"), VaultLock(tmp_path, "v")
    looked = threading.Event()

    def look():
        with looker:
            looked.set()
            left.wait(0.05)

    left = threading.Event()
    looking = threading.Thread(target=look)
    looking.start()
    looked.wait()

    with serving:
        assert looker.is_held()
    looking.join()


@POSIX_ONLY
def test_a_lock_file_that_cannot_be_opened_is_said_with_its_path(tmp_path):
    (tmp_path / "v.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ConnectionFailed, match=r"v\.lock cannot be opened"), VaultLock(tmp_path, "v"):
        pass
    assert not (tmp_path / "elsewhere").exists()


@POSIX_ONLY
def test_the_lock_file_is_private(tmp_path):
    before = os.umask(0)
    try:
        with VaultLock(tmp_path, "v"):
            pass
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "v.lock").stat().st_mode) == 0o600


@pytest.mark.parametrize("port", [-1, 65_536, 10**30])
def test_a_port_that_no_machine_has_makes_no_sense(port, tmp_path):
    path = tmp_path / "v.json"
    vault = ServedVault("v", "Vault", "/vault")
    write_discovery(path, Discovery(1, port, "t", 1, "0", vault))

    assert read_discovery(path) is None
