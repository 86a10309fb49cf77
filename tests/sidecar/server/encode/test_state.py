"""Notes, the status and the settings become wire values."""

from quarry import protocol as wire
from quarry.indexing.freshness import Freshness
from quarry.messages import message
from quarry.search.note_reader import WholeNote
from quarry.server import encode as translate
from quarry.settings import Settings

INDEX = Freshness("live", 3, 3, 7)


def whole(text, **more):
    fields = {
        "path": "Tea.md",
        "title": "Tea",
        "aliases": (),
        "tags": (),
        "properties": {},
        "modified_ms": 5,
        "text": text,
        "links": (),
        "backlinks": (),
    }
    return WholeNote(**fields | more)


def read(text, **params):
    return translate.note_text(whole(text), INDEX, wire.ReadNoteParams(path="Tea.md", **params))


def test_a_note_is_scrubbed_in_every_field(secret):
    told = f"token: {secret}"
    note = whole(
        "text",
        title=told,
        aliases=(told,),
        tags=(told,),
        properties={"a": told, "b": (told, "x"), "c": 3},
        links=(told,),
    )

    reply = translate.note_text(note, INDEX, wire.ReadNoteParams(path="Tea.md"))

    assert secret not in repr(reply)
    assert reply.properties["c"] == 3


def test_reading_gives_whole_lines_within_the_budget():
    text = "\n".join(f"line {number:03}" for number in range(100))

    reply = read(text, max_tokens=50)

    assert reply.truncated
    assert reply.line_count == 100
    assert len(reply.text) <= 50 * 4
    assert reply.text.endswith("\n")
    assert reply.text == text[: len(reply.text)]


def test_reading_on_from_where_it_was_cut_gives_the_whole_note():
    text = "\n".join(f"line {number}" for number in range(300)) + "\n"
    gathered, line = "", 0

    while True:
        reply = read(text, max_tokens=60, start_line=line)
        gathered += reply.text
        line += reply.text.count("\n")
        if not reply.truncated:
            break

    assert gathered == text


def test_a_line_longer_than_the_budget_is_cut_within():
    reply = read("x" * 1000, max_tokens=50)

    assert reply.text == "x" * 200
    assert reply.truncated


def test_reading_past_the_end_gives_nothing():
    reply = read("one\ntwo", start_line=5)

    assert (reply.text, reply.truncated, reply.line_count) == ("", False, 2)


def test_missing_legs_come_in_a_fixed_order():
    missing = translate.missing_retrievers(
        {
            "dense": message("status.model-missing", model="x", detail="y"),
            "keyword": message("status.words-unavailable", detail="z"),
        }
    )

    assert [each.retriever for each in missing] == ["keyword", "dense"]
    assert missing[1].reason == message("status.model-missing", model="x", detail="y")


def test_every_setting_is_told():
    told = translate.settings(
        Settings(("In",), ("Out",), "model", ("Links",), 2.0, 0.5, "rrf", True, ("draft",), "none")
    )

    assert told == wire.Settings(
        include_folders=["In"],
        exclude_folders=["Out"],
        model="model",
        skip_sections=["Links"],
        keyword_weight=2.0,
        dense_weight=0.5,
        fusion="rrf",
        stemming="none",
        index_templates=True,
        index_canvases=True,
        index_pdfs=False,
        exclude_status=["draft"],
        sensitive_folders=[],
        restricted_folders=[],
        capture_folder="00-inbox",
        capture_by_agents=False,
    )
