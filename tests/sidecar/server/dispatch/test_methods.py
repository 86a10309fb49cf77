"""What the methods give, and what none of them gives."""

import asyncio
import json
import threading

import msgspec
import pytest

from quarry.messages import Message, text

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
    assert full["breakdown"]["keywordRank"] == 1


@pytest.mark.parametrize("detail", ["scan", "full"])
def test_a_hit_unfolds_to_the_passages_that_it_has_when_expanded(sample_session, detail):
    asked = {"query": "restore the backup", "detail": detail, "maxTokens": 100_000}
    expanded = sample_session.result("search", **asked, expand=True)["hits"]
    hits = sample_session.result("search", **asked)["hits"]

    further = [sample_session.result("search/passages", **asked, path=hit["path"])["passages"] for hit in hits]

    assert [hit["furtherPassages"] for hit in hits] == [len(passages) for passages in further]
    assert any(further)
    assert [
        hit | {"passages": hit["passages"] + passages, "furtherPassages": 0}
        for hit, passages in zip(hits, further, strict=True)
    ] == expanded


def test_a_note_that_is_no_hit_unfolds_to_nothing(session):
    further = session.result("search/passages", query="oolong", mode="keyword", path="Bread.md")

    assert further == {"passages": [], "truncated": False, "index": further["index"]}


@pytest.mark.parametrize("method", ["search", "search/passages", "explain", "context"])
def test_what_is_wrong_with_a_query_is_placed_in_units_that_the_client_counts(session, method):
    many_words = " ".join(["tea"] * 40)
    note = {"path": "Tea.md"} if method in ("search/passages", "explain") else {}

    error = session.error(method, query=f'🍵🍵 "{many_words}"', **note)

    assert error["code"] == -32010
    assert error["data"]["position"] == len("🍵🍵 ".encode("utf-16-le")) // 2


def understood(result) -> str:
    return text(msgspec.convert(result["understood"], Message))


def test_an_answer_tells_what_was_understood_and_marks_the_title(session):
    answer = session.result("search", query="bread -oolong")

    assert understood(answer) == "notes without “oolong”, about bread"
    assert (answer["corrections"], answer["relaxed"]) == ([], None)
    assert answer["hits"][0]["titleMarks"] == [{"start": 0, "end": 5, "kind": "word"}]


def test_a_slip_of_the_finger_is_mended_and_told(session):
    answer = session.result("search", query="sourdouhg", mode="keyword")

    assert answer["corrections"] == [{"typed": "sourdouhg", "used": "sourdough", "isBeside": False}]
    assert [hit["path"] for hit in answer["hits"]] == ["Bread.md"]


def test_what_was_given_up_to_find_anything_is_told(session):
    answer = session.result("search", query='"sourdough tea"', mode="keyword")

    assert answer["relaxed"]["step"] == "any-passage"
    assert answer["relaxed"]["messages"]
    assert "Bread.md" in [hit["path"] for hit in answer["hits"]]


def test_the_filter_that_no_note_meets_is_told(session):
    answer = session.result("search", query="sourdough tag:wine")

    assert answer["hits"] == []
    assert answer["unmet"]["clause"] == 0
    assert answer["unmet"]["message"]["args"] == {"filter": "tag:wine"}


def test_while_a_query_is_typed_its_last_word_may_be_the_beginning_of_one(session):
    typed = session.result("search", query="sourd", mode="keyword", typing=True)
    sent = session.result("search", query="sourd", mode="keyword")

    assert [hit["path"] for hit in typed["hits"]] == ["Bread.md"]
    assert typed["relaxed"] is None
    assert sent["relaxed"]["step"] == "beginnings"


def test_full_names_the_signals_that_spoke_for_a_hit_and_they_make_up_its_score(session):
    hit = session.result("search", query="oolong", detail="full")["hits"][0]

    shares = [signal["share"] for signal in hit["signals"]]
    assert shares == sorted(shares, reverse=True)
    assert all(shares)
    assert sum(shares) == pytest.approx(hit["score"], abs=1e-4)
    assert session.result("search", query="oolong")["hits"][0]["signals"] is None


def test_by_rank_alone_there_are_no_signals(session):
    hit = session.result("search", query="oolong", detail="full", fusion="rrf")["hits"][0]

    assert hit["signals"] == []
    assert hit["score"] == pytest.approx(2 / 61)


# --- explaining ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ways", [{}, {"fusion": "rrf"}, {"mode": "keyword"}, {"weights": {"dense": 0}}])
def test_an_explanation_says_what_the_search_did(session, ways):
    hit = session.result("search", query="oolong tea", detail="full", **ways)["hits"][0]

    explained = session.result("explain", query="oolong tea", path=hit["path"], **ways)

    assert (explained["state"], explained["rank"]) == ("hit", 1)
    assert explained["score"] == hit["score"]
    assert explained["signals"] == hit["signals"]
    assert explained["breakdown"] == hit["passages"][0]["breakdown"]


def test_an_explanation_names_the_words_that_a_note_lacks(session):
    explained = session.result("explain", query="oolong elephant", path="Tea.md")

    assert (explained["wordsFound"], explained["wordsLacking"]) == (["oolong"], ["elephant"])
    assert understood(explained) == "notes about oolong elephant"


@pytest.mark.parametrize(
    ("query", "path", "state"),
    [
        ("oolong tag:drink", "Bread.md", "refused"),
        ("tag:drink", "Tea.md", "listed"),
        ("oolong", "Private/Diary.md", "excluded"),
        ("oolong", "Nothing.md", "unknown"),
    ],
)
def test_of_a_note_that_is_not_among_the_hits_the_reason_is_told(session, query, path, state):
    explained = session.result("explain", query=query, path=path)

    assert (explained["path"], explained["state"]) == (path, state)
    assert explained["messages"]
    assert (explained["rank"], explained["score"], explained["breakdown"]) == (None, None, None)
    assert explained["signals"] == []


def test_only_the_owner_learns_of_a_note_that_its_data_class_keeps_out(session, owner):
    secret, absent = (session.result("explain", query="oolong", path=path) for path in ("Salary.md", "Sallary.md"))

    assert secret == json.loads(json.dumps(absent).replace("Sallary.md", "Salary.md"))
    assert owner.result("explain", query="oolong", path="Salary.md")["state"] == "excluded"


# --- what is like what --------------------------------------------------------------------------


@pytest.mark.parametrize("source", [{"path": "Tea.md"}, {"path": "Tea.md", "line": 6}])
def test_what_is_like_a_note_leaves_that_note_out_and_says_what_is_linked(session, source):
    answer = session.result("related", **source)

    (note,) = answer["notes"]
    assert (note["path"], note["title"], note["linked"]) == ("Bread.md", "Bread", True)
    assert note["matchStart"] <= note["matchEnd"]
    assert answer["retrievers"] == ["keyword", "dense"]
    assert answer["missing"] == []


def test_what_is_like_a_text_may_be_any_note(session):
    answer = session.result("related", text="a loaf of sourdough bread", limit=1)

    assert [note["path"] for note in answer["notes"]] == ["Bread.md"]
    assert not answer["notes"][0]["linked"]


def test_a_text_of_a_note_is_compared_without_the_note(session):
    answer = session.result("related", path="Bread.md", text="a loaf of sourdough bread", snippetWidth=40)

    assert "Bread.md" not in [note["path"] for note in answer["notes"]]
    assert all(len(note["snippet"]) <= 40 + 2 for note in answer["notes"])


def test_a_search_is_kept_to_one_note_or_away_from_it(session):
    only = session.result("search", query="tea", filters={"notes": ["Tea.md"]})
    without = session.result("search", query="tea", filters={"notNotes": ["Tea.md"]})

    assert [hit["path"] for hit in only["hits"]] == ["Tea.md"]
    assert "Tea.md" not in [hit["path"] for hit in without["hits"]]


def test_filters_hold_for_what_is_like_something(session):
    answer = session.result("related", text="a loaf of sourdough bread", filters={"tags": ["drink"]})

    assert [note["path"] for note in answer["notes"]] == ["Tea.md"]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "neither was given"),
        ({"path": "Tea.md", "text": "tea", "line": 3}, "`line` and `text` both say"),
        ({"text": "tea", "line": 3}, "`line` is a line of the note at `path`"),
        ({"text": " \n"}, "`text` is empty"),
    ],
)
def test_what_to_find_the_like_of_is_said_once(session, params, says):
    error = session.error("related", **params)

    assert (error["code"], error["data"]["kind"]) == (-32602, "bad-request")
    assert says in error["message"]


# --- odd queries --------------------------------------------------------------------------------


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
    answers = [
        session.ask("search", query=query[:4096], typing=True),
        session.ask("explain", query=query[:4096], path="Tea.md"),
        session.ask("related", text=query),
    ]

    assert [a for a in answers if "error" in a and a["error"]["code"] not in (-32010, -32013, -32602)] == []


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
    assert session.error("related", path=path)["code"] == -32011
    assert session.result("explain", query="canaryword", path=path)["state"] in ("excluded", "unknown")


def test_no_method_gives_an_excluded_note_away(session):
    answers = [
        session.ask("search", query="canaryword", detail="full", expandSmallResults=False),
        session.ask("search", query="canaryword hidden diary", mode="semantic", detail="full"),
        session.ask("search", query="path:Private"),
        session.ask("search", query="", filters={"folders": ["Private"]}),
        session.ask("related", text="canaryword hidden diary"),
        session.ask("related", text="canaryword", filters={"folders": ["Private"]}),
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

    assert accepted["accepted"] == len(paths)
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


def test_feedback_is_kept_without_the_words_of_the_query_or_the_name_of_the_note(session):
    session.result("feedback", query="Oolong  tea", path="Tea.md", kind="opened")

    (entry,) = session.service.feedback.entries()
    assert entry.kind == "opened"
    assert entry.query == session.service.feedback.hash_of("oolong tea")
    assert entry.path == session.service.feedback.hash_of("Tea.md")
    kept = (session.service.engine.root.parent / "feedback").read_text(encoding="utf-8").lower()
    assert "oolong" not in kept
    assert "tea" not in kept


def test_what_a_block_quotes_is_not_quoted_again_in_the_conversation(session, engine):
    settings = engine.root / ".quarry.toml"
    settings.write_text('[context.tea]\nquery = "steep the oolong"\n', "utf-8")
    try:
        tried = session.result("blocks/read", conversation="c", dryRun=True)
        before = session.result("context", query="steep the oolong", conversation="c", dryRun=True)
        blocks = session.result("blocks/read", conversation="c")
        after = session.result("context", query="steep the oolong", conversation="c")
        other = session.result("context", query="steep the oolong", conversation="d")
        again = session.result("blocks/read", conversation="c")
    finally:
        settings.unlink()

    assert "oolong" in tried["text"]
    assert before["sources"] == other["sources"] == blocks["blocks"][0]["sources"]
    assert (after["text"], after["abstained"]) == ("", "all-seen")
    assert again["text"] == ""


def test_a_conversation_whose_tokens_are_used_up_is_told_so_and_not_to_raise_the_budget(session, engine):
    with session.service.ledgers.of("u") as shown:
        shown.add("x.md", "x")
        shown.spend(engine.settings.conversation_tokens - 1)
        shown.save()
    used_up = session.result("context", query="oolong", conversation="u")

    assert (used_up["text"], used_up["abstained"]) == ("", "used-up")


def test_no_passage_is_quoted_twice_in_a_conversation_and_looking_counts_nothing(session):
    looked = session.result("context", query="oolong", conversation="s", dryRun=True)
    first = session.result("context", query="oolong", conversation="s")
    second = session.result("context", query="oolong", conversation="s")

    assert looked["text"] == first["text"] != ""
    assert (second["text"], second["abstained"]) == ("", "all-seen")
    assert session.result("context", query="oolong", conversation="t")["text"] == first["text"]
    assert session.result("context", query="oolong")["text"] == first["text"]


@pytest.mark.parametrize("name", ["", "s" * 501, 7])
def test_the_name_of_a_conversation_is_bounded(session, name):
    assert session.error("context", query="oolong", conversation=name)["data"]["kind"] == "invalid-params"


def test_examples_are_queries_that_their_note_answers(sample_session):
    answer = sample_session.result("search/examples", language="en", limit=2)

    assert len(answer["examples"]) == 2
    for example in answer["examples"]:
        found = sample_session.result("search", query=example["query"])
        assert found["hits"][0]["path"] == example["path"]


@pytest.mark.parametrize("params", [{"language": 7}, {"limit": 0}, {"limit": 11}, {"templates": ["About {topic}?"]}])
def test_bad_wishes_for_examples_are_refused_by_name(session, params):
    error = session.error("search/examples", **params)

    assert error["code"] == -32602
    assert next(iter(params)) in error["message"]
