"""Context blocks of a real sidecar, which follows the vault by itself: what ends a block, and what is left on disk."""

import os
import signal
import stat
import sys

import pytest

pytestmark = pytest.mark.slow  # each test starts a sidecar

SETTINGS = '[context.tea]\nquery = "steep the oolong"\n[context.beans]\nquery = "runner beans"\n'
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals and modes")


@pytest.fixture
def blocks_vault(vault):
    """The vault with two blocks."""
    (vault / ".quarry.toml").write_text(SETTINGS, "utf-8")
    return vault


def states(talk):
    return {block["name"]: block["state"] for block in talk.result("blocks/read", waitMs=2000)["blocks"]}


def stale(talk):
    return {block["name"]: block["stale"] for block in talk.result("blocks/check")["blocks"]}


def kept_file(home):
    (file,) = (home / "data").glob("*.blocks")
    return file


def test_a_reader_gets_blocks_which_hold_until_a_source_is_saved(start, blocks_vault, tools):
    talk = start(blocks_vault).talk()
    talk.live()

    assert states(talk) == {"tea": "built", "beans": "built"}
    assert states(talk) == {"tea": "kept", "beans": "kept"}
    (blocks_vault / "Tea.md").write_text("# Tea\n\nSteep the oolong for two minutes, no more.\n", "utf-8")

    tools.eventually(lambda: stale(talk)["tea"] == "changed")
    assert "two minutes" in talk.result("blocks/read")["text"]
    assert states(talk) == {"tea": "kept", "beans": "kept"}


@pytest.mark.parametrize("how", ["delete", "rename"])
def test_a_source_that_goes_leaves_block_and_file(start, blocks_vault, home, tools, how):
    talk = start(blocks_vault).talk()
    talk.live()
    talk.result("blocks/read")
    assert b"oolong" in kept_file(home).read_bytes()

    if how == "delete":
        (blocks_vault / "Tea.md").unlink()
    else:
        (blocks_vault / "Tea.md").rename(blocks_vault / "Chai.md")

    tools.eventually(lambda: b"Tea.md" not in kept_file(home).read_bytes())
    talk.live()
    text = talk.result("blocks/read", waitMs=2000)["text"]
    assert "Tea.md" not in text
    assert ("Chai.md" in text) == (how == "rename")


def test_a_new_note_enters_the_block_that_it_answers(start, blocks_vault, tools):
    talk = start(blocks_vault).talk()
    talk.live()
    talk.result("blocks/read")

    tools.write_vault(blocks_vault, {"More.md": "# Leaves\n\nSteep the oolong at ninety degrees.\n"})

    tools.eventually(lambda: stale(talk)["tea"] == "outdated")
    assert "ninety degrees" in talk.result("blocks/read")["text"]
    assert stale(talk) == {"tea": None, "beans": None}


def test_a_new_note_about_something_else_leaves_every_byte(start, blocks_vault, tools):
    talk = start(blocks_vault).talk()
    talk.live()
    before = talk.result("blocks/read")

    tools.write_vault(blocks_vault, {"Bicycle.md": "# Bicycle\n\nA zanzibar of a chain.\n"})

    tools.eventually(lambda: talk.result("search", query="zanzibar", mode="keyword")["hits"])
    after = talk.result("blocks/read")
    assert after["index"]["epoch"] > before["index"]["epoch"]
    assert after["text"] == before["text"]
    assert [block["builtMs"] for block in after["blocks"]] == [block["builtMs"] for block in before["blocks"]]


@POSIX_ONLY
def test_blocks_outlive_the_sidecar_also_one_that_is_killed(start, blocks_vault, home):
    first = start(blocks_vault)
    talk = first.talk()
    talk.live()
    text = talk.result("blocks/read")["text"]
    assert stat.S_IMODE(kept_file(home).stat().st_mode) == 0o600
    os.kill(first.pid, signal.SIGKILL)
    first.process.wait()

    again = start(blocks_vault).talk()
    again.live()

    assert states(again) == {"tea": "kept", "beans": "kept"}
    assert again.result("blocks/read")["text"] == text


def test_a_note_that_changed_while_no_sidecar_ran_is_quoted_anew(start, blocks_vault):
    first = start(blocks_vault)
    talk = first.talk()
    talk.live()
    talk.result("blocks/read")
    assert first.leave() == 0
    (blocks_vault / "Tea.md").write_text("# Tea\n\nSteep the oolong for two minutes, no more.\n", "utf-8")

    again = start(blocks_vault).talk()
    again.live()

    text = again.result("blocks/read")["text"]
    assert "two minutes" in text
    assert "three minutes" not in text


def test_an_unknown_block_is_refused_with_what_there_is(start, blocks_vault):
    talk = start(blocks_vault).talk()

    error = talk.ask("blocks/read", name="nope")["error"]

    assert "there are: tea, beans" in error["message"]
    assert error["data"]["next"]
