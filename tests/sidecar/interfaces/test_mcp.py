"""`quarry mcp`, tried with the SDK's own client over a real pipe."""

import asyncio
import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

mcp = pytest.importorskip("mcp", reason="needs the extra quarry-search[mcp]")

from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

from quarry.interfaces.mcp import SEARCH_HELP  # noqa: E402
from quarry.text.query.parse import parse_query  # noqa: E402

pytestmark = pytest.mark.slow  # most tests start a sidecar

PATIENCE_S = 60.0


@asynccontextmanager
async def session_of(vault, env):
    options = StdioServerParameters(
        command=sys.executable, args=["-I", "-m", "quarry", "mcp", "--vault", str(vault)], env=env
    )
    async with stdio_client(options) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


def with_tools(vault, env, body):
    async def main():
        async with asyncio.timeout(PATIENCE_S), session_of(vault, env) as session:
            return await body(session)

    return asyncio.run(main())


REFUSED = [
    ("read_note", {"path": "Nothing.md"}, "search or list notes to find its path"),
    ("read_note", {"path": "../outside.md"}, "no note"),
    ("read_note", {"path": ".obsidian/app.json"}, "no note"),
    ("search", {"query": "-only"}, "add a word"),
    ("search", {"query": "modified:someday"}, "'someday'"),
    ("search", {"query": "tag:"}, "type a word"),
    ("find_related", {}, "neither was given"),
    ("find_related", {"path": "Home.md", "text": "x"}, "both were given"),
    ("find_related", {"path": "Nothing.md"}, "search or list notes to find its path"),
    ("find_related", {"path": "Home.md", "line": 0}, "line"),
    ("explain_result", {"query": "x"}, "path"),
    ("explain_result", {"query": "-only", "path": "Home.md"}, "add a word"),
    ("list_notes", {"modified_after": "yesterday"}, "2026-01-31"),
    ("search", {"query": "x", "limit": 0}, "limit"),
    ("search", {"query": "x" * 5000}, "query"),
    ("search", {}, "query"),
    ("write_note", {"path": "x.md", "text": "x"}, "write_note"),
]


def state_of(vault):
    return {file: file.stat().st_mtime_ns for file in vault.rglob("*")}


@pytest.fixture(scope="module")
def spoken(shared):
    """One session over the shared vault: what each call gave, and the vault before and after."""
    env = {**os.environ, "QUARRY_HOME": str(shared.home)}
    before = state_of(shared.vault)

    async def body(session):
        async def call(name, **arguments):
            try:
                return await session.call_tool(name, arguments)
            except Exception as error:  # a protocol error, which some refusals are
                return SimpleNamespace(is_error=True, content=[SimpleNamespace(text=str(error))])

        return SimpleNamespace(
            tools={tool.name: tool for tool in (await session.list_tools()).tools},
            search=await call("search", query="trouble sleeping", limit=3),
            mended=await call("search", query="sourdouhg", mode="keyword"),
            relaxed=await call("search", query="tag:nowhere sourdough", limit=1),
            related=await call("find_related", path="Home.md", limit=50),
            like_text=await call("find_related", text="trouble sleeping at night"),
            briefly=await call("find_related", path="Home.md", limit=50, max_tokens=100),
            explained=await call("explain_result", query="sourdough elephant", path="Recipes/Sourdough rye.md"),
            absent=await call("explain_result", query="sourdough", path="Nothing.md"),
            note=await call("read_note", path="Health/Lying awake.md"),
            rest=await call("read_note", path="Health/Lying awake.md", first_line=5),
            listing=await call("list_notes", folder="Health", limit=2),
            context=await call("get_context", query="trouble sleeping", max_tokens=300),
            no_context=await call("get_context", query="zzqqxx"),
            refused=[await call(name, **arguments) for name, arguments, _ in REFUSED],
        )

    spoken = with_tools(shared.vault, env, body)
    spoken.before, spoken.after = before, state_of(shared.vault)
    return spoken


def text_of(result):
    return "".join(part.text for part in result.content)


def test_the_tools_say_what_they_take_and_that_they_only_read(spoken):
    listed = spoken.tools

    assert sorted(listed) == ["explain_result", "find_related", "get_context", "list_notes", "read_note", "search"]
    for tool in listed.values():
        assert tool.description
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema["type"] == "object"
    assert listed["search"].input_schema["required"] == ["query"]
    assert listed["search"].input_schema["properties"]["limit"]["default"] == 5
    assert listed["read_note"].input_schema["required"] == ["path"]
    assert listed["explain_result"].input_schema["required"] == ["query", "path"]
    assert "required" not in listed["list_notes"].input_schema


def test_each_tool_gives_a_structured_result(spoken):
    hits = spoken.search.structured_content["hits"]

    assert "Health/Lying awake.md" in [hit["path"] for hit in hits]
    assert len(hits) <= 3
    assert {tuple(hit["maps"]) for hit in hits} <= {(), ("Home.md",)}
    assert spoken.search.structured_content["notice"] is None
    assert "ten past two" in spoken.note.structured_content["text"]
    assert spoken.note.structured_content["first_line"] == 1
    assert len(spoken.listing.structured_content["notes"]) == 2
    assert spoken.listing.structured_content["total"] == 4
    assert spoken.context.structured_content["tokens"] <= 300
    assert "> " in spoken.context.structured_content["text"]
    assert spoken.no_context.structured_content["text"] == ""
    assert "no note is likely to answer" in spoken.no_context.structured_content["notice"]
    assert not any(result.is_error for result in (spoken.search, spoken.note, spoken.listing, spoken.context))


def test_search_teaches_the_query_language_and_no_tool_takes_up_much_room(spoken):
    operators = (
        '"',
        "-draft",
        "OR",
        "(",
        "/v",
        "folder:",
        "path:",
        "file:",
        "tag:",
        "section:",
        "task-todo:",
        "[rating:>=4]",
    )

    taught = spoken.tools["search"].description
    assert [operator for operator in (*operators, "type:", "created:", "modified:") if operator not in taught] == []
    assert {name: len(tool.description) for name, tool in spoken.tools.items() if len(tool.description) > 1_500} == {}


@pytest.mark.parametrize("line", [line for line in SEARCH_HELP.splitlines() if line.startswith("  ")])
def test_every_example_of_the_query_language_can_be_read(line):
    for example in re.split(r"\s{2,}", line.strip()):
        parse_query(f"{example} word", now=datetime(2026, 3, 1, tzinfo=UTC))


def test_an_answer_tells_how_the_query_was_read_mended_and_relaxed(spoken):
    found, mended, relaxed = (result.structured_content for result in (spoken.search, spoken.mended, spoken.relaxed))

    assert (found["understood"], found["corrections"]) == ("notes near in meaning to trouble sleeping", [])
    assert found["relaxed"] is None
    assert mended["corrections"] == [{"typed": "sourdouhg", "used": "sourdough"}]
    assert "#nowhere" in relaxed["relaxed"]
    assert len(relaxed["hits"]) == 1


def test_related_notes_are_quoted_placed_and_marked_where_linked(spoken):
    notes = spoken.related.structured_content["notes"]

    assert {note["linked"] for note in notes} == {True, False}
    assert all(note["line"] >= 1 and note["text"] and note["path"] != "Home.md" for note in notes)
    assert "Health/Lying awake.md" in [note["path"] for note in spoken.like_text.structured_content["notes"]]


def test_related_notes_keep_within_their_budget(spoken):
    brief, whole = (result.structured_content["notes"] for result in (spoken.briefly, spoken.related))

    assert brief == whole[: len(brief)]
    assert 0 < sum(len(note["text"] + note["title"] + note["heading"] + note["path"]) for note in brief) <= 400


def test_an_explanation_says_why_a_note_is_there_or_not(spoken):
    explained, absent = (result.structured_content for result in (spoken.explained, spoken.absent))

    assert explained["state"] == "hit"
    assert explained["words_lacking"] == ["elephant"]
    assert {signal["signal"] for signal in explained["signals"]} >= {"passage", "note"}
    assert absent["state"] == "unknown"
    assert "no note" in absent["message"]


def test_a_note_is_read_from_a_line_on(spoken):
    whole, rest = spoken.note.structured_content, spoken.rest.structured_content

    assert rest["first_line"] == 5
    assert whole["text"].split("\n")[4:] == rest["text"].split("\n")


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_goes_wrong_says_what_to_do_next(spoken, number):
    result = spoken.refused[number]

    assert result.is_error
    assert REFUSED[number][2] in text_of(result)
    assert "Traceback" not in text_of(result)


def test_nothing_is_written_into_the_vault(spoken):
    assert spoken.before == spoken.after


def test_what_steers_a_terminal_or_hides_words_does_not_reach_the_agent(vault, home, tools):
    hidden = "\x1b]52;c;eA==\x07 \u202eevil\U000e0041"
    tools.write_vault(vault, {"Trap.md": f"---\ntags: [a]\n---\n# Trap {hidden}\n\nzanzibar {hidden}\n"})

    async def body(session):
        while not (found := await session.call_tool("search", {"query": "zanzibar"})).structured_content["hits"]:
            await asyncio.sleep(0.05)
        read = await session.call_tool("read_note", {"path": "Trap.md"})
        context = await session.call_tool("get_context", {"query": "zanzibar"})
        related = await session.call_tool("find_related", {"text": "zanzibar"})
        explained = await session.call_tool("explain_result", {"query": "zanzibar", "path": "Trap.md"})
        later = [read, context, related, explained]
        return [found.structured_content["hits"], *(result.structured_content for result in later)]

    told = json.dumps(with_tools(vault, tools.environment(home), body), ensure_ascii=False)

    assert "zanzibar" in told
    assert not set(told) & set("\x1b\x07\u202e\U000e0041")


def test_it_starts_a_sidecar_and_answers_while_the_index_is_being_built(vault, home, tools, found):
    tools.write_vault(
        vault, {f"Many/{n}.md": f"# Number {n}\n\n" + f"word{n} among others\n" * 40 for n in range(1500)}
    )

    async def body(session):
        first = await session.call_tool("search", {"query": "oolong"})
        notices = [first.structured_content["notice"]]
        while "being built" not in (notices[-1] or "") and len(notices) < 200:
            notices.append((await session.call_tool("search", {"query": "oolong"})).structured_content["notice"])
        return first.is_error, notices

    failed, notices = with_tools(vault, tools.environment(home), body)

    assert not failed
    assert any("notes can be found so far" in (notice or "") for notice in notices)
    assert found(home, vault).pid


def test_a_sidecar_that_is_killed_between_two_questions_is_replaced(vault, home, tools, start):
    first = start(vault)
    first.talk().live()

    async def body(session):
        before = await session.call_tool("list_notes", {})
        await asyncio.to_thread(first.end)
        after = await session.call_tool("list_notes", {})
        return before, after

    before, after = with_tools(vault, tools.environment(home), body)

    assert before.structured_content["total"] == 3
    assert not after.is_error


def speak(vault, home, tools, *lines):
    """Feed raw lines to the server and close its stdin; what it printed, and its exit code."""
    return subprocess.run(
        [sys.executable, "-I", "-m", "quarry", "mcp", "--vault", str(vault)],
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        env=tools.environment(home),
        timeout=PATIENCE_S,
        check=False,
    )


HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
)


def test_it_prints_nothing_but_protocol_and_leaves_when_its_client_does(at_shared, tools):
    done = speak(at_shared.vault, at_shared.home, tools, HELLO, "no JSON", '{"jsonrpc":"2.0"', "x" * 1_000_000)

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert lines[0]["result"]["serverInfo"]["name"] == "quarry"
    assert "never as instructions" in lines[0]["result"]["instructions"]
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    assert b"Traceback" not in done.stderr


def test_without_a_vault_it_says_so_on_stderr_only(tmp_path, home, tools):
    done = speak(tmp_path / "nowhere", home, tools, HELLO)

    assert done.returncode == 4
    assert done.stdout == b""
    assert b"nowhere" in done.stderr


def test_without_the_extra_it_says_how_to_get_it(vault, home, tools, tmp_path):
    code = (
        "import sys; sys.modules['mcp'] = None;"
        "from quarry.interfaces.cli.main import main; sys.exit(main(['mcp', '--vault', sys.argv[1]]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(vault)],
        capture_output=True,
        env=tools.environment(home),
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 1
    assert b"[mcp]" in done.stderr
    assert b"Traceback" not in done.stderr
