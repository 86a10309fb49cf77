"""What ends a sidecar, tried on real processes; and the loops behind it, on a clock of seconds."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from quarry.server.process_lifetime import watch_idle, watch_parent

pytestmark = pytest.mark.slow  # each test starts a sidecar

PATIENCE_S = 30.0


def test_the_end_of_stdin_ends_it(start, vault):
    sidecar = start(vault, "--lifeline", stdin=subprocess.PIPE)
    sidecar.process.stdin.write(b"what is said here means nothing\n")
    sidecar.process.stdin.flush()
    assert sidecar.talk().result("index/status")

    sidecar.process.stdin.close()

    assert sidecar.process.wait(PATIENCE_S) == 0
    assert not sidecar.discovery_file.exists()


def test_a_stdin_that_was_closed_from_the_start_is_its_end(vault):
    command = [sys.executable, "-I", "-m", "quarry", "serve", "--vault", str(vault), "--lifeline"]
    code = "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])"

    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, timeout=PATIENCE_S, check=False)

    assert done.returncode == 0
    assert b'"ready":true' in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="the parent's number is not watched there")
@pytest.mark.parametrize("how", ["--lifeline", "--parent-pid"])
def test_a_parent_that_is_killed_takes_it_along(vault, tmp_path, how, tools):
    parent = textwrap.dedent(f"""
        import os, subprocess, sys
        options = ["--lifeline"] if {how!r} == "--lifeline" else ["--parent-pid", str(os.getpid())]
        stdin = subprocess.PIPE if {how!r} == "--lifeline" else subprocess.DEVNULL
        child = subprocess.Popen([sys.executable, "-I", "-m", "quarry", "serve", "--vault", {str(vault)!r}, *options],
                                 stdin=stdin, stdout=subprocess.PIPE)
        child.stdout.readline()
        print(child.pid, flush=True)
        child.wait()
    """)
    process = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE)
    pid = int(process.stdout.readline())
    assert tools.is_running(pid)

    process.kill()

    try:
        # Not waited for yet: a parent that nobody has buried is as dead as any other.
        tools.eventually(lambda: not tools.is_running(pid), "the end of the sidecar")
    finally:
        process.wait()
        process.stdout.close()
        if tools.is_running(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_parent_that_cannot_be_seen_is_not_waited_for():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = []

    asyncio.run(watch_parent(ended.pid, lambda: left.append(True)))

    assert left == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)])
def test_a_signal_ends_it_cleanly(start, vault, number):
    sidecar = start(vault)
    sidecar.talk().live()

    sidecar.process.send_signal(number)

    assert sidecar.process.wait(PATIENCE_S) == 0
    assert not sidecar.discovery_file.exists()
    assert sidecar.process.stderr.read() == b""


def test_being_told_to_ends_it_after_the_answer(start, vault):
    sidecar = start(vault)

    answer = sidecar.owner_talk().ask("shutdown")

    assert answer["result"] == {}
    assert sidecar.process.wait(PATIENCE_S) == 0
    assert not sidecar.discovery_file.exists()


def test_it_leaves_when_nobody_asks(start, vault):
    sidecar = start(vault, "--idle", "0.3")

    assert sidecar.process.wait(PATIENCE_S) == 0


def test_it_stays_while_someone_is_connected(start, vault, tools):
    sidecar = start(vault, "--idle", "0.2")
    talk = sidecar.talk()
    talk.live()
    began_s = time.monotonic()

    tools.eventually(lambda: talk.result("index/status") and time.monotonic() - began_s > 0.6)

    assert sidecar.process.poll() is None
    talk.close()
    assert sidecar.process.wait(PATIENCE_S) == 0


def test_the_end_of_one_client_is_nothing_to_the_others(start, vault):
    sidecar = start(vault, "--idle", "60")
    first, second = sidecar.talk(), sidecar.talk()

    first.close()

    assert second.result("index/status")
    assert sidecar.process.poll() is None


def test_idleness_counts_from_the_last_time_someone_was_there():
    """Tools that come for milliseconds fall between two looks; what counts is when they were there."""
    began_s = time.monotonic()
    wanted_s = [began_s, began_s + 0.2, began_s + 0.4]
    looks = []

    def last_wanted_s():
        looks.append(time.monotonic())
        return max([began_s, *(moment for moment in wanted_s if moment <= time.monotonic())])

    asyncio.run(watch_idle(0.3, last_wanted_s, lambda: None))

    assert time.monotonic() - began_s >= 0.7
    assert len(looks) > 2


def test_a_sidecar_that_cannot_finish_is_ended_all_the_same():
    code = "import time; from quarry.server.process_lifetime import exit_after; exit_after(0.1);time.sleep(60)"

    done = subprocess.run([sys.executable, "-c", code], timeout=PATIENCE_S, check=False)

    assert done.returncode == 1


HAS_HEAPS = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_info")

COUNT = """
import ctypes, sys, threading

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
allocated = threading.Barrier(5)

def allocate():
    libc.malloc(1000)
    allocated.wait(60)
    allocated.wait(60)

{first}
for _ in range(4):
    threading.Thread(target=allocate).start()
allocated.wait(60)
report = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, report)
libc.fclose(report)
allocated.wait(60)
"""
SHARE = "from quarry.server.process_lifetime import limit_malloc_arenas; limit_malloc_arenas()"


@pytest.mark.skipif(not HAS_HEAPS, reason="only glibc has heaps of threads")
def test_threads_that_begin_afterwards_share_one_heap(tmp_path):
    counts = []
    for number, first in enumerate(("", SHARE)):
        report = tmp_path / f"{number}.xml"
        subprocess.run([sys.executable, "-c", COUNT.format(first=first), report], check=True)
        counts.append(report.read_text().count("<heap nr="))

    assert counts[0] > 1
    assert counts[1] == 1
