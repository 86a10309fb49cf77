"""`quarry capture`: a text becomes a note that the next search finds."""

import io
import json
import sys

import pytest

from quarry.limits import MAX_CAPTURE_BYTES

pytestmark = pytest.mark.slow  # most tests start a sidecar

KEY = "gh" + "p_" + "Ab1Cd2" * 6


@pytest.fixture
def at_own(vault, start, monkeypatch):
    """A sidecar over a vault of its own, which may be written to."""
    start(vault)
    monkeypatch.setenv("QUARRY_VAULT", str(vault))
    return vault


@pytest.fixture
def pipe(monkeypatch):
    """Puts bytes on standard input."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_the_path_is_printed_and_the_note_found(command, at_own):
    done = command("capture", "Warm the samovar.", "--domain", "tea", "--tags", "brass, kitchen", "--type", "signal")

    assert (done.code, done.out, done.err) == (0, "00-inbox/Warm the samovar.md\n", "")
    found = json.loads(command("search", "--json", "samovar domain:tea tag:kitchen type:signal").out)
    assert [hit["path"] for hit in found["hits"]] == [done.out.strip()]
    assert "source: cli\n" in (at_own / done.out.strip()).read_text("utf-8")


@pytest.mark.parametrize(("argument", "encoding"), [((), "utf-8-sig"), (("-",), "utf-16")])
def test_the_text_is_read_from_standard_input(command, at_own, pipe, argument, encoding):
    pipe("# Tea\r\n\nWarm the 茶壺.\n".encode(encoding))

    done = command("capture", *argument, "--folder", "Kitchen", "--json")

    assert json.loads(done.out)["path"] == "Kitchen/Tea.md"
    assert (at_own / "Kitchen/Tea.md").read_text("utf-8").endswith("\n# Tea\n\nWarm the 茶壺.\n")


def test_redactions_and_repetitions_are_told(command, at_own):
    first = command("capture", f"the key {KEY}", "--title", "Key")
    second = command("capture", f"the key {KEY}", "--title", "Key")

    assert first.out == second.out == "00-inbox/Key.md\n"
    assert "1 credential redacted (github-token)" in first.err
    assert "already" in second.err
    assert KEY not in first.out + first.err


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff\xfe\x00", b"caf\xe9", b"a\0b", b"x" * (MAX_CAPTURE_BYTES + 1)])
def test_what_is_no_text_is_refused_and_nothing_written(command, at_own, pipe, data):
    pipe(data)

    done = command("capture")

    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 2
    assert not (at_own / "00-inbox").exists()


@pytest.mark.parametrize(
    "arguments",
    [("--folder", "../out"), ("--folder", "/tmp"), ("--folder", ".obsidian"), ("--type", "diary"), ("--tags", "2026")],
)
def test_options_that_cannot_be_are_refused(command, at_own, arguments):
    assert command("capture", "x", *arguments).code == 2
    assert sorted(path.name for path in at_own.iterdir()) == ["Garden", "Kitchen", "Tea.md"]


def test_a_terminal_is_not_waited_at(command, at_own, type_at_terminal):
    type_at_terminal("")

    done = command("capture")

    assert done.code == 2
    assert 'quarry capture "' in done.err
