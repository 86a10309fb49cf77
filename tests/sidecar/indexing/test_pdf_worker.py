"""Real files, read by a real process that is ended in every way."""

import os
import signal
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pypdf
import pytest
from builders import wait_until
from pdf_files import pdf, pdf_of_streams
from sidecars import is_running

from quarry.errors import Cancelled
from quarry.indexing.pdf_worker import PdfLimits, PdfReader
from quarry.indexing.process import ProcessLimits
from quarry.messages import message

pytestmark = pytest.mark.slow


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PdfReader]:
    process = PdfReader(tmp_path)
    yield process
    process.close()


def test_pages_and_what_a_file_says_of_itself_are_read(tmp_path, reader):
    (tmp_path / "a.pdf").write_bytes(pdf("Walnut trees\ngrow slowly", "", "caf\u00e9 (quiet)", title="On trees"))

    found = reader.read("a.pdf")

    assert [page.strip() for page in found.pages] == ["Walnut trees\ngrow slowly", "", "café (quiet)"]
    assert found.fields == {"title": "On trees", "author": "Ada"}
    assert found.problems == ()


def test_one_process_reads_all_files_and_ends_with_the_reader(tmp_path, reader):
    (tmp_path / "a.pdf").write_bytes(pdf("one"))
    reader.read("a.pdf")
    pid = reader.pid
    reader.read("a.pdf")

    assert reader.pid == pid
    reader.close()
    wait_until(lambda: not is_running(pid), "the process to end")


def _encrypted(data: bytes, algorithm: str = "RC4-128", user: str = "secret") -> bytes:
    import io

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(user, "owner", algorithm=algorithm)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (pdf("", ""), "no-text"),
        (_encrypted(pdf("walnut")), "locked"),
        (b"", "damaged"),
        (b"# Markdown", "damaged"),
        (pdf("walnut")[:200], "damaged"),
        (b"%PDF-1.4\n" + b"[" * 100_000, "damaged"),
    ],
)
def test_what_cannot_be_read_is_told_with_the_reason_and_the_next_file_is_read(tmp_path, reader, data, problem):
    (tmp_path / "bad.pdf").write_bytes(data)
    (tmp_path / "good.pdf").write_bytes(pdf("walnut"))

    [told] = reader.read("bad.pdf").problems

    assert told == message(f"reason.{problem}")
    assert reader.read("good.pdf").pages[0].strip() == "walnut"


def test_a_file_that_only_its_owner_may_change_is_read(tmp_path, reader):
    (tmp_path / "a.pdf").write_bytes(_encrypted(pdf("walnut"), user=""))

    assert reader.read("a.pdf").pages[0].strip() == "walnut"


def test_pages_and_bytes_beyond_the_limits_are_told(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("one", "two", "three"))
    few, small = (
        PdfReader(tmp_path, limits=PdfLimits(max_pages=2)),
        PdfReader(tmp_path, limits=PdfLimits(max_bytes=99)),
    )
    short = PdfReader(tmp_path, limits=PdfLimits(max_chars=4))
    try:
        found = few.read("a.pdf")
        assert [page.strip() for page in found.pages] == ["one", "two"]
        assert found.problems == (message("reason.too-large.pages", pages=2, total=3),)
        assert small.read("a.pdf").problems[0].code == "reason.too-large.pdf"
        assert short.read("a.pdf").problems == (message("reason.too-large.text", pages=2, total=3),)
    finally:
        for process in (few, small, short):
            process.close()


def test_after_a_process_was_killed_the_next_file_has_another(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("walnut"))
    killed: list[int] = []

    def kill_once() -> None:
        if not killed and reader.pid:
            killed.append(reader.pid)
            os.kill(reader.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    reader = PdfReader(tmp_path, kill_once)
    try:
        found = reader.read("a.pdf")
        assert reader.pid is None
        assert found.problems[0].code == "reason.too-large.page"
        assert reader.read("a.pdf").pages[0].strip() == "walnut"
    finally:
        reader.close()


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no such limit")
def test_a_page_without_end_is_ended_by_its_time_and_the_pages_before_it_are_kept(tmp_path):
    heavy = b"BT /F1 1 Tf " + b"1 0 0 1 0 0 Tm (a) Tj " * 1_500_000 + b"ET"
    (tmp_path / "a.pdf").write_bytes(pdf_of_streams([b"BT /F1 12 Tf (first) Tj ET", heavy]))
    eager = ProcessLimits(niceness=0)  # a nice process gets no seconds of a busy machine to spend
    reader = PdfReader(tmp_path, limits=PdfLimits(cpu_s=1, page_cpu_s=1, process=eager))
    try:
        found = reader.read("a.pdf")
    finally:
        reader.close()

    assert [page.strip() for page in found.pages] == ["first"]
    assert (found.problems[0].code, found.problems[0].args["page"]) == ("reason.too-large.page", 2)


def test_a_process_that_is_silent_is_ended(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("walnut"))
    reader = PdfReader(tmp_path, limits=PdfLimits(process=ProcessLimits(silence_s=0.04)))  # less than it takes to start
    try:
        found = reader.read("a.pdf")
        assert reader.pid is None
    finally:
        reader.close()

    assert found.problems == (message("reason.too-large.page", page=1, how="it said nothing for 0.04 s"),)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not limited")
def test_a_file_that_asks_for_all_memory_ends_no_more_than_its_own_reading(tmp_path):
    bomb = zlib.compress(b"BT (a) Tj ET " * 30_000_000)
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(bomb), bomb)
    plain = pdf_of_streams([b"MARK"])
    data = plain.replace(b"<< /Length 4 >>\nstream\nMARK\nendstream", stream)
    (tmp_path / "a.pdf").write_bytes(data)
    (tmp_path / "b.pdf").write_bytes(pdf("walnut"))
    reader = PdfReader(tmp_path, limits=PdfLimits(memory_bytes=400 * 2**20, cpu_s=20))
    try:
        assert reader.read("a.pdf").problems
        assert reader.read("b.pdf").pages[0].strip() == "walnut"
    finally:
        reader.close()


def test_who_waits_may_stop_and_the_process_ends(tmp_path):
    (tmp_path / "a.pdf").write_bytes(pdf("walnut"))

    def stop() -> None:
        raise Cancelled

    reader = PdfReader(tmp_path, stop)
    with pytest.raises(Cancelled):
        reader.read("a.pdf")
    assert reader.pid is None


def test_a_link_out_of_the_vault_is_not_followed(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "outside.pdf").write_bytes(pdf("walnut"))
    (tmp_path / "vault" / "a.pdf").symlink_to(tmp_path / "outside.pdf")
    reader = PdfReader(tmp_path / "vault")
    try:
        found = reader.read("a.pdf")
    finally:
        reader.close()

    assert found.pages == ()
    assert found.problems == (message("reason.link"),)
