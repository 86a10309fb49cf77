"""Which prompts and tool calls are asked about, and by which words."""

import json
from pathlib import Path
from time import process_time

import pytest

from quarry.agents.hooks.events import NoContext
from quarry.agents.hooks.queries import (
    ACKNOWLEDGEMENTS,
    CHORES,
    MAX_QUERY,
    MAX_REMEMBERED,
    is_own_command,
    last_prompt,
    plain_query,
    read_prompt,
    rememberable,
    remembered,
    words_of_tool,
)
from quarry.query.grammar import tokenize_query

PROMPTS = Path(__file__).parents[3] / "retrieval" / "prompts"
TRACE = """Traceback (most recent call last):
  File "/srv/app/tokens.py", line 41, in rotate
    self.store.put(token)
sqlite3.OperationalError: database is locked
"""
TRACE_NAMES = "Traceback most recent call last File srv app tokens.py line in rotate self.store.put token"
DIFF = "diff --git a/x b/x\nindex 1a2b..3c4d\n@@ -1,2 +1,2 @@\n-old = 1\n+new = 2\n+    deeper = 3"
LOG = "\n".join(f"2026-02-09T10:30:{second:02}Z INFO request {second} served in 3 ms" for second in range(60))


def reason(prompt):
    with pytest.raises(NoContext) as silence:
        read_prompt(prompt)
    return silence.value.reason


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("/compact", "command"),
        ("/quarry:search oauth rotation", "command"),
        ("!git status", "command"),
        ("yes", "acknowledgement"),
        ("OK, go on.", "acknowledgement"),
        ("Danke, weiter!", "acknowledgement"),
        ("👍 ok", "acknowledgement"),
        ("好的，继续", "acknowledgement"),
        ("fix the failing tests and commit", "no-subject"),
        ("Fix the typo in the README and bump the patch version.", "no-subject"),
        ("why did that fail?", "no-subject"),
        (LOG, "pasted"),
        ("<task-notification><status>done: oauth</status></task-notification>", "pasted"),
        ("```python\nprint('oauth')\n```", "pasted"),
        ("??? … !!!", "acknowledgement"),
    ],
)
def test_prompts_that_ask_for_no_note_are_told_by_their_form(prompt, expected):
    assert reason(prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "query"),
    [
        ("How do we rotate OAuth tokens?", "How do we rotate OAuth tokens"),
        ("kademlia", "kademlia"),
        ("/etc/hosts is broken again", "etc hosts is broken again"),
        ("富士山に登るにはどんな靴が必要ですか", "富士山に登るにはどんな靴が必要ですか"),
        ("<ide_opened_file>src/a.py</ide_opened_file>How do tokens rotate?", "How do tokens rotate"),
        ("if a < b and tokens > c rotate", "if a b and tokens c rotate"),
        ("see https://example.org/a?b=c about beans", "see about beans"),
        ("Plan:\n- beans in May\n- peas in March\n* leeks", "Plan\nbeans in May\npeas in March\nleeks"),
        (
            f"What of this?\n\n{TRACE}",
            "What of this\nsqlite3.OperationalError database is locked\n" + TRACE_NAMES,
        ),
        (TRACE, "sqlite3.OperationalError database is locked"),
        (f"{LOG}\n\nWhy is the ingress slow?", "Why is the ingress slow\nINFO request served in ms"),
        (f"Does this fit my style rules?\n{DIFF}", "Does this fit my style rules\ndiff git a x b index old new deeper"),
        ("Mind the gap. Why is there one?", "Mind the gap\nWhy is there one"),
    ],
)
def test_what_a_person_typed_is_the_query_without_output_but_with_its_error(prompt, query):
    assert read_prompt(prompt).query == query


def test_a_long_prompt_is_asked_by_its_questions_its_beginning_and_its_end():
    filler = " ".join(f"This is the sentence numbered {number} of the story." for number in range(200))
    query = read_prompt(f"I am planning the garden. {filler} When do beans go out? {filler} Thank you for that.").query

    assert len(query) <= MAX_QUERY
    assert query.startswith("I am planning the garden")
    assert "When do beans go out" in query
    assert query.endswith("Thank you for that")


def test_one_endless_sentence_is_cut_between_words():
    query = read_prompt("beans " * 5000).query

    assert len(query) <= MAX_QUERY
    assert set(query.split()) == {"beans"}


@pytest.mark.parametrize(
    "prompt",
    [
        'say "open',
        "-draft tag:x",
        "path:/a/ OR (b",
        "[x:1] /re(/ #tag",
        "modified:someday task:",
        "“typographic” «quotes»",
    ],
)
def test_no_prompt_has_an_operator(prompt):
    tokens = list(tokenize_query(plain_query(prompt)))

    assert tokens
    assert {token.kind for token in tokens} == {"word"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the password is hunter2 for the nas", "the password for the nas"),
        ("api_key=abcdef restic", "api_key restic"),
        ("token: swordfish, rotate oauth tokens", "token rotate oauth tokens"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a gone", "gone"),
        ("AKIAIOSFODNN7EXAMPLE and the backup", "and the backup"),
        ("the passphrase is correct horse battery staple", "the passphrase"),
        ("recovery phrase: apple banana cherry", "recovery phrase"),
        ("oauth token rotation on utf-8 files of 2026", "oauth token rotation on utf-8 files of 2026"),
    ],
)
def test_words_that_can_be_credentials_are_not_kept(text, kept):
    assert rememberable(text) == kept


def test_what_is_kept_is_bounded():
    assert 0 < len(rememberable("beans and peas " * 1000)) <= MAX_REMEMBERED


def test_hardly_a_prompt_that_notes_answer_is_taken_for_none():
    prompts = [json.loads(line) for file in PROMPTS.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    silent = []
    for prompt in prompts:
        try:
            read_prompt(prompt["text"])
        except NoContext:
            silent.append(prompt["kind"])

    assert silent.count("on") == 0
    assert silent.count("follow") >= 15  # of those that lean on an earlier turn


def test_they_are_compared_in_small_letters():
    assert all(word == word.casefold() for word in ACKNOWLEDGEMENTS | CHORES)


# --- tool calls ------------------------------------------------------------------------------------------------------


AUTHORIZED = "curl Authorization Bearer"
PATCH = (
    "*** Begin Patch\n*** Update File: src/token_store.py\n@@\n-a\n+b\n*** Add File: docs/rotation.md\n*** End Patch"
)


@pytest.mark.parametrize(
    ("tool", "tool_input", "words"),
    [
        ("Edit", {"file_path": "/home/me/src/token_store.py", "old_string": "a", "new_string": "b"}, "token_store"),
        ("Write", {"file_path": "C:\\work\\Tea.md"}, "Tea"),
        ("Write", {"file_path": ".gitignore"}, "gitignore"),
        ("Bash", {"command": "npx vitest run auth/session.test.ts --reporter dot"}, "vitest session.test dot"),
        ("Bash", {"command": ["restic", "restore", "latest"]}, "restic restore latest"),
        ("Bash", {"command": "ls -la && git status"}, ""),
        (
            "Bash",
            {"command": "curl -H 'Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a' x.org"},
            AUTHORIZED,
        ),
        ("apply_patch", {"command": PATCH}, "token_store rotation"),
        ("editFiles", {"files": ["src/main.ts", 7]}, "main"),
        ("write_file", {"file_path": "a/beans.txt"}, "beans"),
        ("Edit", {"file_path": ["x"]}, ""),
        ("Bash", {}, ""),
        ("apply_patch", {"command": 7}, ""),
    ],
)
def test_a_call_is_about_its_file_or_its_command(tool, tool_input, words):
    assert words_of_tool(tool, tool_input) == words


@pytest.mark.parametrize("tool", ["Read", "Grep", "WebFetch", "mcp__quarry__search", "", "bash"])
def test_other_tools_are_preceded_by_nothing(tool):
    with pytest.raises(NoContext, match="other-tool"):
        words_of_tool(tool, {"file_path": "Tea.md"})


@pytest.mark.parametrize(
    "command",
    [
        "quarry search tea",
        "/home/a/.local/bin/quarry context 'oauth'",
        "cd /x && QUARRY_VAULT=/y quarry read Tea",
        "python3 -m quarry search tea",
        "uv run quarry search tea",
        "echo x | quarry search",
        "'/opt/my tools/quarry' search x".replace(" tools", ""),
    ],
)
def test_our_own_commands_are_told(command):
    assert is_own_command(command)
    with pytest.raises(NoContext, match="own-command"):
        words_of_tool("Bash", {"command": command})


@pytest.mark.parametrize("command", ["vim quarry.md", "cat quarry", "git commit -m 'quarry'", "", "A=1"])
def test_a_command_that_only_names_us_is_not_ours(command):
    assert not is_own_command(command)


def test_few_words_are_remembered_above_those_that_they_may_depend_on():
    first = remembered(
        read_prompt("Why do we use hide glue for the joints of the soundboard of the old harmonium?"), ""
    )
    second = remembered(read_prompt("and how long?"), first)
    third = remembered(read_prompt("and for the bellows?"), second)

    assert second == f"and how long\n{first}"
    assert third == f"and for the bellows\nand how long {first}"
    assert last_prompt(third) == "and for the bellows"
    assert last_prompt(None) == ""
    long = "Where in the notes do I keep the measurements of all the reeds of the Hohner?"
    assert "\n" not in remembered(read_prompt(long), third)


@pytest.mark.parametrize(
    "pasted",
    [
        f"Error{' ' * 30_000}",  # 8 s where each two runs of its spaces are tried
        f"$ x\n{'a-' * 19_000}",  # 6 s where each of the words may begin a link that is read to the end
        "```\n" * 40_000,
    ],
)
def test_what_is_pasted_beside_a_question_takes_no_time(pasted):
    begun_s = process_time()

    assert read_prompt(f"why does it fail?\n{pasted}\nin the build").query.startswith("why does it fail")
    assert process_time() - begun_s < 1
