"""What the methods give, and what none of them gives."""

import asyncio
import json
import threading

import pytest

# --- finding ------------------------------------------------------------------------------------


def test_the_same_question_gives_the_same_bytes(session, frames):
    frame = frames.request(1, "search", query="oolong tea", detail="full")

    answers = {asyncio.run(session.conversation.answer(frame)) for _ in range(5)}

    assert len(answers) == 1


def test_marks_count_as_javascript_does(session):
    (hit, *_) = session.result("search", query="oolong")["hits"]

    passage = hit["passages"][0]
    units = passage["snippet"].encode("utf-16-le")
    marked = [units[2 * m["start"] : 2 * m["end"]].decode("utf-16-le") for m in passage["marks"]]
    assert hit["path"] == "Tea.md"
    assert marked == ["oolong"]


def test_scan_gives_no_text_and_full_does(session):
    scanned = session.result("search", query="oolong")["hits"][0]["passages"][0]
    full = session.result("search", query="oolong", detail="full")["hits"][0]["passages"][0]

    assert scanned["text"] is None
    assert scanned["breakdown"] is None
    assert "three minutes" in full["text"]
    assert full["breakdown"]["lexicalRank"] == 1


@pytest.mark.parametrize("method", ["search", "context"])
def test_what_is_wrong_with_a_query_is_placed_in_units_that_the_client_counts(session, method):
    many_words = " ".join(["tea"] * 40)

    error = session.error(method, query=f'🍵🍵 "{many_words}"')

    assert error["code"] == -32010
    assert error["data"]["position"] == len("🍵🍵 ".encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"w{n}" for n in range(900)),
        "OR " * 1300,
        '"' * 4096,
        "(" * 4096,
        "*" * 4096,
        "\x00" * 100,
        "NEAR(a b)",
        "'; DROP TABLE notes; --",
        "tea AND NOT",
        "{tea}:^x",
        "\U0010ffff" * 4096,
    ],
)
def test_no_query_however_odd_fails_in_us(session, query):
    answer = session.ask("search", query=query[:4096])

    assert "result" in answer or answer["error"]["code"] in (-32010, -32013)


def test_a_query_of_five_thousand_terms_is_refused_unread(session):
    error = session.error("search", query=" ".join(["tea"] * 5000))

    assert error["code"] == -32602


# --- what is not to be found --------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../outside.md",
        "Private/../../outside.md",
        "Tea.md/../../outside.md",
        "..\\outside.md",
        "%2e%2e/outside.md",
        "..%2foutside.md",
        "/etc/passwd",
        "C:\\outside.md",
        "\\\\host\\share\\outside.md",
        "Tea.md\x00.png",
        "\x00",
        "",
        ".",
        "..",
        "./Tea.md/..",
        ".obsidian/plugins/x/data.json",
        ".indexignore",
        ".quarry.toml",
        "Private/Diary.md",
        "private/diary.md",
        "Private//Diary.md",
        "Private",
        "Nothing.md",
    ],
)
def test_what_is_no_note_of_the_index_cannot_be_read(session, path):
    error = session.error("note/read", path=path)

    assert error["code"] == -32011
    assert "canaryword" not in json.dumps(error)
    assert error["data"]["next"]


def test_no_method_gives_an_excluded_note_away(session):
    answers = [
        session.ask("search", query="canaryword", detail="full", guard=False),
        session.ask("search", query="canaryword hidden diary", mode="semantic", detail="full"),
        session.ask("search", query="path:Private"),
        session.ask("search", query="", filters={"folders": ["Private"]}),
        session.ask("context", query="canaryword"),
        session.ask("notes/list"),
        session.ask("notes/list", folder="Private"),
        session.ask("note/read", path="Private/Diary.md"),
        session.ask("index/status"),
    ]

    assert "Diary" not in json.dumps([answer.get("result") for answer in answers])
    assert "hidden here" not in json.dumps(answers)


def test_a_change_that_names_an_excluded_or_outside_path_brings_nothing_in(session, engine):
    paths = ["Private/Diary.md", "../outside.md", ".obsidian/plugins/x/data.json", "/etc/passwd", "", "\x00"]

    accepted = session.result("vault/changed", changes=[{"kind": "modified", "path": path} for path in paths])

    assert accepted == {"accepted": len(paths)}
    deadline = threading.Event()
    while engine.status().pending or engine.status().state != "live":
        deadline.wait(0.01)
    assert session.result("notes/list")["total"] == 2


def test_a_note_is_read_by_its_lines(session):
    whole = session.result("note/read", path="Tea.md")
    rest = session.result("note/read", path="Tea.md", startLine=4)

    assert whole["links"] == ["Bread.md"]
    assert whole["aliases"] == ["Cha"]
    assert whole["tags"] == ["drink"]
    assert not whole["truncated"]
    assert rest["text"] == "\n".join(whole["text"].split("\n")[4:])
    assert session.result("note/read", path="Bread.md")["backlinks"] == ["Tea.md"]
    assert session.result("note/read", path="Tea.md", startLine=1000)["text"] == ""
