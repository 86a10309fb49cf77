"""What a client asks becomes what the engine takes."""

import pytest

from quarry import protocol as wire
from quarry.errors import BadRequest
from quarry.search import Source
from quarry.server import encode as translate


def test_a_listing_names_its_filters():
    which = translate.listing(wire.ListNotesParams(folder="A", tag="t", type="log", modified_after_ms=1))

    assert which.scope.folders == ("A",)
    assert which.scope.tags == ("t",)
    assert (which.type, which.modified_from_ms, which.modified_until_ms) == ("log", 1, None)


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
