"""What a client asks becomes what the engine takes."""

import pytest

from quarry import protocol as wire
from quarry.errors import BadRequest
from quarry.search import Source
from quarry.server import encode as translate


def test_a_request_says_to_the_engine_what_the_client_said():
    filters = wire.Filters(folders=["A"], not_folders=["B"], paths=["c"], not_paths=["d"], tags=["e"], not_tags=["f"])

    request = translate.search_request(
        wire.SearchParams(
            query="q",
            limit=3,
            mode="keyword",
            fusion="rrf",
            typing=True,
            filters=filters,
            weights=wire.Weights(lexical=2.0),
        )
    )

    assert (request.query, request.limit, request.mode) == ("q", 3, "keyword")
    assert (request.fusion, request.typing) == ("rrf", True)
    assert request.scope.folders == ("A",)
    assert request.scope.not_tags == ("f",)
    assert request.weights == {"lexical": 2.0, "dense": 1.0}
    assert not request.with_text


def test_a_listing_names_its_filters():
    which = translate.listing(wire.ListNotesParams(folder="A", tag="t", type="log", modified_after_ms=1))

    assert which.scope.folders == ("A",)
    assert which.scope.tags == ("t",)
    assert (which.type, which.modified_from_ms, which.modified_until_ms) == ("log", 1, None)


def test_what_is_explained_is_the_search_that_was_asked():
    shared = {"query": "q", "limit": 3, "mode": "semantic", "fusion": "rrf", "typing": True, "weights": wire.Weights()}

    searched = translate.search_request(wire.SearchParams(**shared, filters=wire.Filters(folders=["A"])))
    explained = translate.explain_request(
        wire.ExplainParams(**shared, path="Tea.md", filters=wire.Filters(folders=["A"]))
    )

    same = ("query", "limit", "mode", "fusion", "typing", "scope", "weights")
    assert [getattr(explained, name) for name in same] == [getattr(searched, name) for name in same]


def test_a_source_is_a_note_a_line_of_it_or_a_text():
    whole = translate.related_source(wire.RelatedParams(path="Tea.md"))
    passage = translate.related_source(wire.RelatedParams(path="Tea.md", line=0))
    text = translate.related_source(wire.RelatedParams(text="oolong"))

    assert (whole, passage, text) == (Source("Tea.md"), Source("Tea.md", 0), Source(text="oolong"))


@pytest.mark.parametrize(
    "params",
    [{}, {"path": "Tea.md", "text": "x", "line": 0}, {"text": ""}, {"text": "x", "line": 0}, {"line": 0}],
)
def test_a_source_that_is_none_or_ambiguous_is_refused(params):
    with pytest.raises(BadRequest, match="related: "):
        translate.related_source(wire.RelatedParams(**params))


def test_a_snippet_is_as_wide_as_asked_for_or_as_the_detail_wants():
    wide = wire.SearchParams(query="q", snippet_width=240)
    scan, full = wire.SearchParams(query="q"), wire.SearchParams(query="q", detail="full")

    assert [translate.search_request(params).snippet_width for params in (wide, scan, full)] == [240, 120, 300]
