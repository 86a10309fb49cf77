"""Replies as values: every field is filled from the wire, and offsets count characters."""

import pytest

from quarry.client.replies import parse_reply
from quarry.python.answers import code_points, found_notes, note_document

INDEX = '"index": {"state": "live", "done": 3, "total": 3, "epoch": 7}'


@pytest.mark.parametrize(
    ("text", "offsets", "expected"),
    [
        ("plain", [0, 3, 5], [0, 3, 5]),
        ("a🍞b", [0, 1, 3, 4], [0, 1, 2, 3]),
        ("🍞🍞", [4, 2, 0], [2, 1, 0]),
        ("🍞", [1], [1]),  # within a pair of surrogates
        ("ab", [99], [2]),
        ("", [0, 0], [0, 0]),
    ],
)
def test_utf16_offsets_become_characters(text, offsets, expected):
    assert code_points(text, offsets) == expected


def test_marks_lie_on_the_words_behind_an_emoji():
    reply = parse_reply(
        '{"hits": [{"path": "a.md", "kind": "note", "title": "A", "score": 0.5, "confidence": 0.25, "why": "both",'
        ' "type": "recipe", "domain": null, "tags": ["x"],'
        ' "modifiedMs": 1000, "passages": [{"headingPath": ["A"], "line": 2, "snippet": "🍞 rye bread",'
        ' "marks": [{"start": 3, "end": 6, "kind": "word"}], "text": null, "anchor": null}]}],'
        ' "total": 1, "confidence": 0.25,'
        ' "reachable": 1, "sort": "relevance",'
        ' "understood": "rye", "corrections": [{"typed": "rey", "used": "rye"}], "unknownWords": [], "relaxed": null,'
        f' "weakness": null, "listed": false, "missing": [{{"leg": "dense", "reason": "no model"}}], {INDEX}}}'
    )

    found = found_notes(reply)

    hit = found[0]
    start, end = hit.passages[0].marks[0]
    assert hit.snippet[start:end] == "rye"
    assert (hit.path, hit.line, hit.heading_path, hit.text, type(hit.confidence)) == ("a.md", 2, ("A",), None, float)
    assert hit.modified.timestamp() == 1
    assert found.corrections == {"rey": "rye"}
    assert found.missing == ("no model",)
    assert found.freshness.is_complete


def test_properties_are_plain_values():
    reply = parse_reply(
        '{"path": "a.md", "title": "A", "aliases": [], "tags": [], "properties": {"n": 1.50, "l": ["a"], "b": true},'
        ' "modifiedMs": 0, "text": "t", "startLine": 0, "lineCount": 1, "truncated": false, "links": [],'
        f' "backlinks": [], {INDEX}}}'
    )

    properties = note_document(reply).properties

    assert properties == {"n": 1.5, "l": ("a",), "b": True}
    assert type(properties["n"]) is float
