"""`quarry search`: hits, the prompt, and what is printed beside them."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from quarry.interfaces.cli.search import SIGNALS, corrected, shares, signal_name, unknown
from quarry.interfaces.protocol import Correction, Signal
from quarry.ranking.signals import SIGNAL_NAMES
from quarry.ranking.six_signals import WITH_VECTORS

PATIENCE_S = 30.0


def test_hits_are_numbered_with_title_why_path_and_snippet(at_shared, command):
    done = command("search", "trouble", "sleeping")

    lines = done.out.split("\n")
    assert done.code == 0
    assert any("Lying awake  both · Health/Lying awake.md" in line for line in lines)
    assert lines[0].startswith(" 1. ")
    assert " ms" in lines[-2]


def test_what_no_note_answers_is_told_as_weak_above_the_hits(at_shared, command):
    done = command("search", "who won the chess championship in Reykjavik")

    assert done.out.startswith("No note contains these words. The nearest in meaning:\n 1. ")


def test_finding_nothing_is_no_failure(at_shared, command):
    done = command("search", "--mode", "keyword", "xyzzyqqq")

    assert done.code == 0
    assert done.out.startswith("nothing found")


def test_the_limit_is_kept(at_shared, command):
    done = command("search", "--limit", "2", "--mode", "keyword", "reed")

    assert " 2. " in done.out
    assert " 3. " not in done.out
    assert re.search(r"\n2 of \d+ notes · ", done.out)


def test_where_all_notes_are_shown_their_number_is_told_once(at_shared, command):
    done = command("search", "--mode", "keyword", "file:labskaus")

    assert "\n1 note · " in done.out


def test_full_prints_passages_with_their_line_and_ranks(at_shared, command):
    done = command("search", "--full", "--limit", "1", "sourdough")

    assert "keyword rank 1" in done.out
    assert "fused 0." in done.out
    assert "\n    line " in done.out


def test_json_gives_text_and_breakdown(at_shared, command):
    done = command("search", "--json", "sourdough")

    passage = json.loads(done.out)["hits"][0]["passages"][0]
    assert passage["text"]
    assert passage["breakdown"]["fused"] > 0


def test_words_are_joined_as_they_were_typed(at_shared, command):
    apart = command("search", "--json", "tag:health", "sleep")
    together = command("search", "--json", "tag:health sleep")

    assert apart.out == together.out
    assert json.loads(apart.out)["hits"]


def test_a_budget_that_ends_first_is_told(at_shared, command):
    done = command("search", "--full", "--max-tokens", "50", "reed")

    assert "raise --max-tokens" in done.err


def test_a_bad_query_is_shown_with_the_place_and_what_to_do(at_shared, command):
    done = command("search", "🍵茶 modified:someday x")

    what, query, caret, way_out = done.err.splitlines()
    assert done.code == 2
    assert query == "  🍵茶 modified:someday x"
    assert caret == " " * len("  MMMM modified:") + "^"
    assert "'someday'" in what
    assert way_out.startswith("quarry: ")


def test_a_slip_of_the_finger_is_told_above_the_hits(at_shared, command):
    done = command("search", "--mode", "keyword", "sourdouhg")

    first, second, *_ = done.out.splitlines()
    assert first == "Showing results for sourdough (no note has “sourdouhg”)"
    assert second.startswith(" 1. ")


def test_what_was_given_up_to_find_anything_is_told_above_the_hits(at_shared, command):
    done = command("search", "--mode", "keyword", "tag:nowhere", "sourdough")

    first, second, *_ = done.out.splitlines()
    assert first == "There are no notes tagged #nowhere. These results ignore that filter."
    assert second.startswith(" 1. ")


@pytest.mark.parametrize("option", ["--why", "--explain"])
def test_why_says_how_the_query_was_read_and_what_spoke_for_each_hit(at_shared, command, option):
    done = command("search", option, "--limit", "1", "sourdough", "-labskaus")

    assert done.out.startswith('interpreted as: notes without "labskaus", near in meaning to sourdough\n 1. ')
    assert " + words in the note 0." in done.out or " + words in a passage 0." in done.out


def test_by_rank_alone_the_ranks_say_why(at_shared, command):
    done = command("search", "--why", "--fusion", "rrf", "--limit", "1", "sourdough")

    assert "keyword rank 1, meaning rank 1 · fused 0.0328" in done.out


def test_queries_come_line_by_line_from_a_pipe(at_shared, quarry):
    done = quarry("search", "--limit", "1", "--vault", str(at_shared.vault), input="sourdough\n\n  kombüse \n")

    assert done.returncode == 0
    assert done.stdout.count(" 1. ") == 2
    assert "\x1b" not in done.stdout


def test_a_pipe_with_nothing_in_it_asks_nothing(at_shared, quarry):
    done = quarry("search", "--vault", str(at_shared.vault), input="")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_first_search_of_a_vault_finds_what_is_there(quarry, vault):
    done = quarry("search", "--vault", str(vault), "oolong")

    assert done.returncode == 0
    assert "Tea.md" in done.stdout


def test_a_leg_that_is_missing_is_told(vault, command, monkeypatch):
    monkeypatch.setenv("QUARRY_WITHOUT", "fts5")
    command("index", str(vault))

    done = command("search", "--vault", str(vault), "oolong")

    assert done.code == 0
    assert done.err.strip()


class Terminal:
    """The command at a pseudo-terminal."""

    def __init__(self, *arguments, env):
        import pty

        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-m", "quarry", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**env, "TERM": "xterm"},
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def until(self, text):
        """Read until *text* has been shown anew; all that was shown for it."""
        seen = ""
        deadline_s = time.monotonic() + PATIENCE_S
        while text not in seen:
            assert time.monotonic() < deadline_s, f"{text!r} was not shown: {seen!r}"
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.ours, 65536).decode(errors="replace")
                except OSError:
                    break
        self.shown += seen
        return seen

    def type(self, text):
        os.write(self.ours, text.encode())

    def interrupt(self):
        """Ctrl-C, and again: Python notices one that comes between the prompt and the reading only with the next."""
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)

    def end(self):
        code = self.process.wait(PATIENCE_S)
        os.close(self.ours)
        return code


@pytest.fixture
def terminal(at_shared, tools):
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    opened = []

    def open_(*arguments, **env):
        opened.append(Terminal(*arguments, env=tools.environment(at_shared.home, **env)))
        return opened[-1]

    yield open_
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.process.kill()
            terminal.process.wait()


def test_the_prompt_answers_until_an_empty_line(terminal, at_shared):
    prompt = terminal("search", "--limit", "1", "--vault", str(at_shared.vault))
    assert "80 notes" in prompt.until("search> ")

    prompt.type("sourdough\n")
    first = prompt.until("search> ")
    prompt.type("-only\n")
    refused = prompt.until("search> ")
    prompt.type("kombüse\n")
    second = prompt.until("search> ")
    prompt.type("\n")

    assert "\x1b[1m" in first
    assert "Sourdough" in first
    assert "quarry: " in refused
    assert "Komb" in second
    assert prompt.end() == 0


def test_no_color_is_obeyed(terminal, at_shared):
    prompt = terminal("search", "--limit", "1", "--vault", str(at_shared.vault), NO_COLOR="1")
    prompt.until("search> ")
    prompt.type("sourdough\n")

    shown = prompt.until("search> ")

    assert "\x1b[1m" not in shown
    prompt.type("\x04")
    assert prompt.end() == 0


@pytest.mark.slow
def test_ctrl_c_leaves_the_prompt(terminal, at_shared):
    prompt = terminal("search", "--vault", str(at_shared.vault))
    prompt.until("search> ")

    prompt.interrupt()

    assert prompt.end() == 130
    assert "Traceback" not in prompt.shown


def test_a_word_with_one_dash_is_left_out_wherever_it_stands(at_shared, command):
    with_it = command("search", "--mode", "keyword", "--limit", "50", "reed")
    before = command("search", "-harmonium", "reed", "--mode", "keyword", "--limit", "50")
    behind = command("search", "reed", "-harmonium", "--mode", "keyword", "--limit", "50")

    assert "Harmonium of the St Jürgen chapel" in with_it.out
    assert "Harmonium of the St Jürgen chapel" not in before.out
    assert before.out.splitlines()[:-1] == behind.out.splitlines()[:-1]  # the last line has the time


def test_an_empty_query_is_refused(at_shared, command):
    done = command("search", "")

    assert done.code == 2
    assert "the query is empty" in done.err


@pytest.mark.parametrize("query", ['"', "(", "tag:", "-", " OR ", "folder: ("])
def test_a_query_with_nothing_to_search_for_is_refused(at_shared, command, query):
    done = command("search", query)

    what, _, caret, way_out = done.err.splitlines()
    assert (done.code, done.out) == (2, "")
    assert "type a word" in what
    assert "tag:idea" in what
    assert caret.strip() == "^"
    assert way_out


def test_a_search_of_a_folder_without_notes_says_so(tmp_path, command):
    (tmp_path / "empty").mkdir()
    command("index", str(tmp_path / "empty"))

    done = command("search", "--vault", str(tmp_path / "empty"), "tea")

    assert done.code == 0
    assert "there are no Markdown files in" in done.err


def correction(typed, used):
    return Correction(typed=typed, used=used)


def test_every_signal_has_words():
    assert SIGNALS.keys() == {*SIGNAL_NAMES, *WITH_VECTORS}


def test_a_signal_of_a_newer_sidecar_keeps_its_name():
    assert signal_name(Signal(name="novelty", share=0.1)) == "novelty"


def test_shares_are_a_sum():
    signals = [Signal(name="meaning", share=0.25), Signal(name="title", share=0.125)]

    assert shares(signals, 0.375) == "meaning 0.250 + title 0.125 = 0.375"


def test_unknown_words_are_named():
    assert unknown(["unicorns"]) == "No note contains “unicorns”"
    assert unknown(["a", "b", "c"]) == "No note contains “a”, “b” or “c”"


def test_corrections_name_what_was_typed_and_what_was_looked_for():
    one = corrected([correction("refrences", "references")])
    three = corrected([correction("a", "x"), correction("b", "y"), correction("c", "z")])

    assert one == "Showing results for references (no note has “refrences”)"
    assert three == "Showing results for x, y and z (no note has “a”, “b” or “c”)"
