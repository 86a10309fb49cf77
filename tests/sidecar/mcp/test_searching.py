import pytest

pytestmark = pytest.mark.slow  # starts a sidecar

TOPIC = "trouble sleeping"


def test_a_hit_has_what_published_systems_ask_for_and_its_confidence(spoken):
    results = spoken.structured("search", query="trouble sleeping", limit=3)["results"]

    assert "Health/Lying awake.md" in [hit["file_path"] for hit in results]
    assert len(results) <= 3
    for hit in results:
        assert {"id", "file_path", "section", "text", "score", "confidence", "title", "line"} <= set(hit)
        assert 0 <= hit["confidence"] <= 1


def test_a_scan_is_short_and_its_ids_are_read(spoken):
    results = spoken.structured("search", query="trouble sleeping", detail="scan")["results"]

    assert all(len(hit["snippet"]) <= 123 for hit in results)
    first = results[0]
    assert first["type"] == "log"
    assert first["tags"] == ["health/sleep"]
    assert first["tokenEstimate"] > 0
    read = spoken.structured("read_note", paths=[hit["id"] for hit in results[:4]])["notes"]
    assert [note["path"] for note in read] == [hit["id"].rpartition(":")[0] for hit in results[:4]]
    assert first["snippet"][:40] in " ".join(read[0]["text"].split())


def test_nothing_found_says_how_to_go_on(spoken):
    found = spoken.structured("search", query="tag:nowhere-at-all zzqqxx", mode="keyword")

    assert found["results"] == []
    assert "Try broader terms" in found["message"]


def test_words_that_no_note_has_are_told(spoken):
    found = spoken.structured("search", query="zzqqxx blorp")

    assert "No note contains these words" in found["message"] or found["results"] == []


def test_what_a_filter_keeps_out_is_not_said_to_be_in_no_note(spoken):
    found = spoken.structured("search", query="-reed reed")

    assert "No notes that match your filters contain these words." in found["message"]


def test_corrections_and_relaxations_are_told(spoken):
    mended = spoken.structured("search", query="sourdouhg", mode="keyword")["message"]
    unmet = spoken.structured("search", query="tag:nowhere sourdough", limit=1)["message"]

    assert "Showing results for “sourdough”. No notes contain “sourdouhg”." in mended
    assert "No notes with tag:nowhere." in unmet


def test_folder_tag_and_type_narrow_the_notes(spoken):
    def paths(**filters):
        found = spoken.structured("search", query="sleep OR bread", limit=50, detail="scan", **filters)
        return {hit["id"].rpartition(":")[0] for hit in found["results"]}

    assert {path.split("/")[0] for path in paths(folder="Health")} == {"Health"}
    assert paths(type="log") >= {"Health/Lying awake.md"}
    assert "Recipes/Sourdough rye.md" not in paths(type="log")
    assert paths(tag="#health/sleep") == paths(tag="health/sleep") >= {"Health/Lying awake.md"}


def test_related_notes_are_placed_and_marked_where_linked(spoken):
    by_path = spoken.structured("find_related", path="Home.md", limit=50)["results"]
    by_text = spoken.structured("find_related", text="trouble sleeping at night")["results"]
    by_id = spoken.structured("find_related", path="Health/Lying awake.md:12")["results"]

    assert {note["linked"] for note in by_path} == {True, False}
    assert all(note["line"] >= 1 and note["text"] and note["file_path"] != "Home.md" for note in by_path)
    assert "Health/Lying awake.md" in [note["file_path"] for note in by_text]
    assert by_id
    assert "Health/Lying awake.md" not in [note["file_path"] for note in by_id]


def test_an_explanation_says_why_a_note_is_there_or_not(spoken):
    there = spoken.structured("explain_result", query="sourdough elephant", path="Recipes/Sourdough rye.md")
    absent = spoken.structured("explain_result", query="sourdough", path="Nothing.md")

    assert (there["state"], there["words_lacking"]) == ("hit", ["elephant"])
    assert {"passage", "note"} <= set(there["signals"])
    assert absent["state"] == "unknown"
    assert "no note" in absent["message"].lower()


def test_context_quotes_with_sources_or_says_why_not(spoken):
    found = spoken.structured("get_context", topic="trouble sleeping")
    without = spoken.structured("get_context", topic="trouble sleeping", exclude=["Health/Lying awake.md"])
    strict = spoken.structured("get_context", topic="trouble sleeping", min_confidence=1.0)

    assert found["sources"][0]["path"] == "Health/Lying awake.md"
    assert "> " in found["text"]
    assert "Health/Lying awake.md" not in [source["path"] for source in without["sources"]]
    assert strict["text"] == ""
    assert "No note is likely" in strict["message"]


def test_context_keeps_within_its_budget_whatever_it_is(spoken):
    for tokens in (50, 120, 300, 700):
        result = spoken.tool("get_context", topic="trouble sleeping", max_tokens=tokens)

        text = result["content"][0]["text"]
        assert len(text) <= tokens * 4 or not result["structuredContent"]["text"]


@pytest.fixture
def in_conversation(shared, speak):
    """Start a server for the conversation of a name, as Claude Code does, or for any."""
    return lambda name="": speak(shared.vault, home=shared.home, CLAUDE_CODE_SESSION_ID=name)


def test_what_a_hook_quoted_is_named_and_not_quoted_again_in_the_same_conversation_alone(talk, in_conversation):
    by_hook = talk.result("context", query=TOPIC, conversation="one")
    again = in_conversation("one").structured("get_context", topic=TOPIC)
    other = in_conversation("two").structured("get_context", topic=TOPIC)

    assert by_hook["quotedBefore"] == []
    assert again["text"] == ""
    assert "Quoted before in this conversation, for `read_note`: Health/Lying awake.md:" in again["message"]
    assert other["text"] == by_hook["text"]


def test_what_a_tool_quoted_counts_to_the_tokens_of_the_conversation_and_hooks_leave_it_out(talk, in_conversation):
    by_tool = in_conversation("three").structured("get_context", topic=TOPIC)
    by_hook = talk.result("context", query=TOPIC, conversation="three")

    assert (by_hook["text"], by_hook["abstained"]) == ("", "all-seen")
    assert by_hook["leftTokens"] == 8_000 - by_tool["tokens"]


def test_quotes_that_did_not_fit_are_not_counted_as_shown(talk, in_conversation):
    server = in_conversation("four")

    short = server.structured("get_context", topic=TOPIC, max_tokens=120)
    more = talk.result("context", query=TOPIC, conversation="four")

    assert short["text"]
    assert more["leftTokens"] == 8_000 - short["tokens"] - more["tokens"]


def test_a_conversation_may_have_any_bytes_as_its_name(in_conversation):
    assert in_conversation("\udcff").structured("get_context", topic=TOPIC)["text"]


def test_a_server_without_a_conversation_quotes_as_often_as_it_is_asked(in_conversation):
    server = in_conversation()

    first, second = (server.structured("get_context", topic=TOPIC) for _ in range(2))

    assert first == second
    assert first["text"]
