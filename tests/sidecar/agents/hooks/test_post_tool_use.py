"""The answer to PostToolUse: only where the vault asks for it, in the tool's shape, never where the whole is lost."""

import json
import os
import re
from pathlib import Path

import pytest

from quarry.agents.hooks.outputs import kept_outputs, outputs_folder, read
from quarry.agents.hooks.post_tool_use import GUARD, respond

PASSED = "".join(f"tests/test_a.py::test_{number:03d} PASSED     [ {number % 100:2d}%]\n" for number in range(200))
END = "=== 1 failed, 200 passed in 1.20s ===\n"
OUTPUT = f"{PASSED}tests/test_b.py::test_x FAILED\n{'=' * 60}\nE   AssertionError: no price\n{END}"
BOTH = "[capture]\nby_agents = true\n[hooks]\ncompress_outputs = true\ncapture_outputs = true\n"


def event(command="pytest -v", stdout=OUTPUT, stderr="", **more):
    """PostToolUse as Claude Code 2.1 sends it."""
    return {
        "session_id": "abc123",
        "transcript_path": "/home/ada/.claude/projects/shop/abc123.jsonl",
        "cwd": "/home/ada/shop",
        "permission_mode": "default",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Run the tests"},
        "tool_response": {"stdout": stdout, "stderr": stderr, "interrupted": False, "isImage": False},
        "tool_use_id": "toolu_01",
        "duration_ms": 1200,
        **more,
    }


@pytest.fixture
def compressing(vault):
    """A vault whose settings ask for shorter outputs."""
    (vault / ".quarry.toml").write_text("[hooks]\ncompress_outputs = true\n")
    return vault


def test_the_answer_has_the_shape_of_the_tool_and_ends_with_where_the_whole_is(compressing):
    given = event(
        tool_response={
            "stdout": OUTPUT,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
    )

    answer = respond(given, compressing)

    told = answer["hookSpecificOutput"]
    output = told["updatedToolOutput"]
    assert told["hookEventName"] == "PostToolUse"
    assert {**output, "stdout": ""} == {**given["tool_response"], "stdout": ""}
    *lines, last = output["stdout"].split("\n")
    assert "E   AssertionError: no price" in lines
    assert "=== 1 failed, 200 passed ===" in lines
    told_lines = re.fullmatch(r"\[quarry: 200 of 204 lines left out; quarry outputs (\w+)\]", last)
    assert read(told_lines[1]) == f"$ pytest -v\n{OUTPUT}"
    json.dumps(answer)


def test_the_line_stands_behind_the_last_stream(compressing):
    answer = respond(event(command="python -m pytest -v", stdout=OUTPUT, stderr="a warning\n"), compressing)

    assert answer["hookSpecificOutput"]["updatedToolOutput"]["stderr"].startswith("a warning\n[quarry: ")


@pytest.mark.parametrize(
    "settings", [None, "", "[hooks]\n", "[hooks]\ncompress_outputs = false\n", "[hooks\n", "hooks = 1\n"]
)
def test_without_the_setting_nothing_is_done(vault, settings):
    if settings is not None:
        (vault / ".quarry.toml").write_text(settings)

    assert respond(event(), vault) is None
    assert not (Path(os.environ["QUARRY_HOME"]) / "data" / "outputs").exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"tool_name": "Read"},
        {"tool_name": "mcp__quarry__search"},
        {"tool_response": OUTPUT},
        {"tool_response": None},
        {"tool_response": {"stdout": OUTPUT}},
        {"tool_response": {"stdout": 5, "stderr": "", "interrupted": False, "isImage": False}},
        {"tool_response": {"stdout": OUTPUT, "stderr": None, "interrupted": False, "isImage": False}},
        {"tool_response": {"stdout": OUTPUT, "stderr": "", "interrupted": True, "isImage": False}},
        {"tool_response": {"stdout": OUTPUT, "stderr": "", "isImage": False}},
        {"tool_response": {"stdout": OUTPUT, "stderr": "", "interrupted": False, "isImage": True}},
        {"tool_response": {"stdout": OUTPUT, "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}},
        {"tool_response": {"stdout": OUTPUT, "stderr": "", "interrupted": False, "persistedOutputPath": "/tmp/x"}},
        {"tool_input": {"command": ["pytest"]}},
        {"tool_input": {}},
        {"tool_input": None},
        {"tool_input": {"command": "pytest -v", "run_in_background": True}},
        {"tool_input": {"command": "quarry outputs ab12"}},
    ],
)
def test_of_any_other_shape_nothing_is_touched(compressing, changed):
    assert respond(event(**changed), compressing) is None
    assert respond({}, compressing) is None


def test_inside_of_itself_it_is_silent(compressing, monkeypatch):
    monkeypatch.setenv(GUARD, "1")

    assert respond(event(), compressing) is None


def test_where_the_whole_cannot_be_kept_the_output_stays(compressing, home):
    home.mkdir(exist_ok=True)
    (home / "data").write_text("a file where a folder should be")

    assert respond(event(), compressing) is None


def test_equal_outputs_give_equal_answers(compressing):
    assert respond(event(), compressing) == respond(event(), compressing)
    assert len(kept_outputs()) == 1


# --- notes of failures -------------------------------------------------------------------------


@pytest.fixture
def capturing(vault, start):
    """A vault with a sidecar, whose settings let failures become notes."""
    (vault / ".quarry.toml").write_text(BOTH)
    start(vault).talk().live()
    return vault


def notes_in(vault):
    return sorted((vault / "00-inbox").glob("*.md")) if (vault / "00-inbox").exists() else []


def test_a_failure_becomes_one_note_however_often_it_is_met(capturing):
    for seconds in ("1.20", "3.40"):
        respond(event(stdout=OUTPUT.replace("1.20", seconds)), capturing)

    (note,) = notes_in(capturing)
    text = note.read_text("utf-8")
    assert "source: claude-code-Bash\n" in text
    assert "type: signal\n" in text
    assert "E   AssertionError: no price" in text
    assert "`pytest -v` in `shop` failed:" in text


def test_a_success_becomes_none(capturing):
    respond(event(stdout=f"{PASSED}=== 200 passed in 1.20s ===\n"), capturing)

    assert notes_in(capturing) == []


@pytest.mark.parametrize("settings", ["[hooks]\ncapture_outputs = true\n", "[capture]\nby_agents = true\n[hooks]\n"])
def test_without_both_settings_none_is_written(vault, start, settings):
    (vault / ".quarry.toml").write_text(settings)
    start(vault).talk().live()

    respond(event(), vault)

    assert notes_in(vault) == []


def test_without_a_sidecar_none_is_written_and_none_is_counted(vault):
    (vault / ".quarry.toml").write_text(BOTH)

    assert respond(event(), vault) is not None
    assert notes_in(vault) == []
    assert not (outputs_folder() / "captured").exists()


def test_the_program_that_claude_code_runs_gives_this_answer(compressing, quarry, tools, home):
    environment = tools.environment(home, QUARRY_HOOK_DEADLINE_MS="60000")
    arguments = ("hook", "claude-code", "--vault", str(compressing))

    done = quarry(*arguments, input=json.dumps(event()), env=environment)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == respond(event(), compressing)
    assert quarry(*arguments, input=json.dumps(event(stdout="short")), env=environment).stdout == ""
