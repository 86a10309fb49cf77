"""Notes, the status and the settings become wire values."""

import msgspec

from quarry import protocol as wire
from quarry.index import NotePage, NoteSummary
from quarry.indexing.freshness import Freshness
from quarry.inspection import coverage, note_report
from quarry.inspection.coverage import CoveredFolder, CoveredNote, StateCounts
from quarry.inspection.inspector import FolderPage, NoteStates
from quarry.inspection.note_report import NoteReport
from quarry.limits import MAX_LISTED_LINKS, MAX_LISTED_TAGS
from quarry.messages import message
from quarry.options import SearchOptions
from quarry.search.note_reader import WholeNote
from quarry.server.encode import state
from quarry.server.encode.answers import search_result
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
    return state.note_text(whole(text), INDEX, wire.ReadNoteParams(path="Tea.md", **params))


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

    reply = state.note_text(note, INDEX, wire.ReadNoteParams(path="Tea.md"))

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
    missing = state.missing_retrievers(
        {
            "dense": message("status.model-missing", model="x", detail="y"),
            "keyword": message("status.words-unavailable", detail="z"),
        }
    )

    assert [each.retriever for each in missing] == ["keyword", "dense"]
    assert missing[1].reason == message("status.model-missing", model="x", detail="y")


def test_every_setting_is_told():
    told = state.settings(Settings(("In",), ("Out",), "model", ("Links",), 2.0, 0.5, "rrf", True, ("draft",), "none"))

    assert msgspec.to_builtins(told) == {
        "includeFolders": ("In",),
        "excludeFolders": ("Out",),
        "model": "model",
        "skipSections": ("Links",),
        "keywordWeight": 2.0,
        "denseWeight": 0.5,
        "fusion": "rrf",
        "stemming": "none",
        "indexTemplates": True,
        "indexCanvases": True,
        "indexPdfs": False,
        "excludeStatus": ("draft",),
        "sensitiveFolders": (),
        "restrictedFolders": (),
        "captureFolder": "00-inbox",
        "captureByAgents": False,
    }


def test_the_links_and_tags_of_a_generated_note_are_bounded_in_every_reply(made):
    many = tuple(f"n{number}" for number in range(MAX_LISTED_LINKS + 1))
    row = NoteSummary("Tea.md", "Tea", None, None, None, many, 5, 1, 1)
    answer = made.answer_of(made.stored("oolong", tags=many))

    reply = state.note_text(whole("x", links=many, backlinks=many), INDEX, wire.ReadNoteParams(path="Tea.md"))
    listed = state.note_list(NotePage((row,), 1), INDEX)
    found = search_result(answer, INDEX, SearchOptions(query=""))

    assert len(reply.links) == len(reply.backlinks) == MAX_LISTED_LINKS
    assert reply.link_count == reply.backlink_count == len(many)
    assert listed.notes[0].tags == found.hits[0].tags == list(many[:MAX_LISTED_TAGS])


# --- the states of notes -----------------------------------------------------------------------


def test_a_folder_carries_its_counts_and_the_setting_that_leaves_it_out():
    folder = CoveredFolder("a", StateCounts(indexed=1, failed=2), 3)
    refusal = message("reason.folders-exclude", entry="a")

    result = state.folder_states(FolderPage(folder, None, ((folder, refusal),), 1))

    assert result.folder.excluded_by is None
    assert result.folders[0].excluded_by == message("reason.folders-exclude", entry="a")
    assert (result.folders[0].counts.failed, result.folders[0].folder_count) == (2, 3)


def test_credentials_in_a_reason_are_blanked_and_a_path_of_odd_bytes_can_be_sent(secret):
    note = CoveredNote("a.md", "partial", message("reason.front-matter", detail=f"Line 2 could not be read: {secret}."))
    report = NoteReport("\udcff.md", "unknown", (message("reason.unknown", path="\udcff.md"),), None, None, None)

    assert secret not in state.note_states(NoteStates((note,), 1)).notes[0].reason.args["detail"]
    state.note_report(report).path.encode()


def test_the_wire_knows_every_state():
    assert coverage.NoteState == wire.NoteState
    assert set(note_report.ReportState.__args__[0].__args__) | {"unknown"} == set(wire.ReportState.__args__)
