"""Answers become wire values: hits, passages, explanations, related notes, quotes."""

import msgspec
import pytest

from quarry import protocol as wire
from quarry.index import MapOfContent
from quarry.indexing.freshness import Freshness
from quarry.messages import message
from quarry.options import SearchOptions
from quarry.search import Correction, Explanation, Extract, Related, RelatedNote, Relaxed
from quarry.search.answer import RankedChunk, RetrieverScores
from quarry.search.signals import SIGNAL_NAMES
from quarry.search.snippet.highlighting import Mark
from quarry.search.snippet.snippet import Snippet
from quarry.server.encode.answers import explain_result, related_result, search_result
from quarry.types import Span

INDEX = Freshness("live", 3, 3, 7)


@pytest.fixture
def stored(made):
    return made.stored


@pytest.fixture
def hit_of(made):
    def hit(chunk, **options):
        answer = made.answer_of(chunk, **options)
        return search_result(
            answer, INDEX, SearchOptions(query="", detail="full" if options.get("text") else "scan")
        ).hits[0]

    return hit


def test_marks_and_jumps_count_in_utf_16(stored, hit_of):
    passage = hit_of(stored("🍵🍵 oolong", start=10, start_utf16=14, line=3)).passages[0]

    (mark,) = passage.marks
    units = passage.snippet.encode("utf-16-le")
    assert units[2 * mark.start : 2 * mark.end].decode("utf-16-le") == "oolong"
    assert (passage.start, passage.match_start, passage.match_end) == (14, 19, 25)
    assert passage.line == 3


def test_a_jump_goes_to_the_line_of_the_first_mark(stored, hit_of):
    passage = hit_of(stored("one\ntwo\nthe oolong", line=7)).passages[0]

    assert passage.line == 9


def test_the_sentence_that_answers_is_placed_in_the_note_and_scrubbed(stored, made, secret):
    chunk = stored(f"🍵 Tea.\nSteep it for 🍵 two minutes, {secret}.", start=10, start_utf16=14, line=7)
    answer = made.answer_of(chunk, extract=Extract("Tea.md", chunk, Span(7, len(chunk.chunk.text)), 0.8))

    extract = search_result(answer, INDEX, SearchOptions(query="")).extract

    assert extract.text.startswith("Steep it for 🍵 two minutes, ")
    assert secret not in extract.text
    assert (extract.path, extract.line, extract.heading_path, extract.confidence) == ("Tea.md", 8, ["Tea"], 0.8)
    assert (extract.match_start, extract.match_end) == (
        14 + 8,
        14 + 8 + len("Steep it for .. two minutes, .") + len(secret),
    )


def test_a_hit_tells_the_type_and_the_domain_of_its_note(stored, hit_of, secret):
    chunk = msgspec.structs.replace(
        stored("oolong"), front_matter=f'{{"type":["daily","log"],"domain":"tea {secret}"}}'
    )

    hit, bare = hit_of(chunk), hit_of(stored("oolong"))

    assert hit.type == "daily, log"
    assert hit.domain.startswith("tea ")
    assert secret not in hit.domain
    assert (bare.type, bare.domain) == (None, None)


def test_words_in_the_title_are_marked_in_utf_16(stored, hit_of):
    hit = hit_of(stored("oolong", title="🍵 Oolong"))

    assert hit.title_marks == [wire.Mark(start=3, end=9, kind="word")]


@pytest.mark.parametrize(
    ("retrievers", "matched_by"), [(["keyword"], "words"), (["dense"], "meaning"), (["dense", "keyword"], "both")]
)
def test_a_hit_says_which_retrievers_matched(stored, hit_of, retrievers, matched_by):
    assert hit_of(stored("oolong"), retrievers=retrievers).matched_by == matched_by


def test_a_note_that_is_only_listed_has_no_score_and_no_why(stored, made):
    answer = msgspec.structs.replace(made.answer_of(stored("oolong"), text="oolong"), listed=True)

    result = search_result(answer, INDEX, SearchOptions(query="", detail="full"))

    assert result.listed
    assert (result.hits[0].score, result.hits[0].matched_by, result.hits[0].passages[0].breakdown) == (None, None, None)


def test_a_path_goes_out_in_nfc(stored, hit_of):
    assert hit_of(stored("oolong", path="Cafe\u0301.md")).path == "Caf\u00e9.md"


def test_maps_of_content_go_out_with_their_titles(stored, hit_of):
    (map_,) = hit_of(stored("oolong"), maps=(MapOfContent("Cafe\u0301 MOC.md", "Drinks"),)).maps

    assert (map_.path, map_.title) == ("Caf\u00e9 MOC.md", "Drinks")


def test_every_text_is_scrubbed_once_more(made, secret):
    told = f"token: {secret}"
    chunk = made.stored(f"oolong {told}", title=told, tags=(told,), heading=(told,))
    answer = made.answer_of(
        chunk,
        text=chunk.chunk.text,
        understood=message("understood.notes", conditions=(message("understood.with", what=told), told)),
        maps=(MapOfContent("Tea/MOC.md", told),),
        corrections=(Correction(told, told),),
        relaxed=Relaxed("any-passage", (message("word.all-of", words=(told,)),)),
    )

    result = search_result(answer, INDEX, SearchOptions(query=f'"{told}"', detail="full"))

    assert secret not in repr(result)
    assert "REDACTED" in result.hits[0].passages[0].text


def test_marks_are_dropped_where_the_second_scrub_moved_them(stored, hit_of, secret):
    told = f"token: {secret} oolong"
    hit = hit_of(stored(told, title=told))

    assert secret not in repr(hit)
    assert (hit.title_marks, hit.passages[0].marks) == ([], [])


def test_signals_come_strongest_first_without_those_that_add_nothing(stored, hit_of):
    hit = hit_of(stored("oolong"), text="oolong", shares={"title": 0.1, "note": 0.0, "meaning": 0.3, "exact": 0.1})

    assert [signal.name for signal in hit.signals] == ["meaning", "exact", "title"]


def test_the_description_of_a_signal_names_all_that_there_are():
    described = msgspec.json.schema(wire.Signal)["$defs"]["Signal"]["properties"]["name"]["description"]

    assert [name for name in SIGNAL_NAMES if f"`{name}`" not in described] == []


def test_an_explanation_goes_out_in_nfc_and_scrubbed(secret):
    told = f"token: {secret}"
    fused = RankedChunk(1, "x", 0.5, RetrieverScores(1, None, 2.0, None))
    explanation = Explanation(
        "Cafe\u0301.md",
        "beyond",
        (message("explained.status", value=told),),
        message("understood.tag", tag=told),
        12,
        40,
        0.5,
        0.8,
        fused,
        {"note": 0.5},
        (told,),
        (told,),
    )

    result = explain_result(explanation, INDEX)

    assert secret not in repr(result)
    assert (result.path, result.rank, result.total, result.score) == ("Caf\u00e9.md", 12, 40, 0.5)
    assert result.signals == [wire.Signal(name="note", share=0.5)]
    assert result.confidence == 0.8
    assert result.breakdown.keyword_rank == 1


def test_a_related_note_is_quoted_marked_and_placed_as_a_hit_is(stored, secret):
    chunk = stored("one\n🍵 oolong", path="Cafe\u0301.md", start=5, start_utf16=6, line=2)
    snippet = Snippet("🍵 oolong", 4, 12, (Mark(2, 8, "sentence"),))
    note = RelatedNote("Cafe\u0301.md", f"token: {secret}", 0.5, 0.25, True, chunk, snippet)

    (sent,) = related_result(
        Related((note,), ("dense",), {"keyword": message("status.words-unavailable", detail="x")}), INDEX
    ).notes

    assert (sent.path, sent.cosine, sent.linked, sent.snippet) == ("Caf\u00e9.md", 0.25, True, "🍵 oolong")
    assert sent.marks == [wire.Mark(start=3, end=9, kind="sentence")]
    assert (sent.start, sent.line, sent.match_start, sent.match_end) == (6, 3, 13, 19)
    assert secret not in sent.title
