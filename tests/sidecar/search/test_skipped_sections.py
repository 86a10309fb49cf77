"""What a section says that is not searched is told to whoever asks why."""

from datetime import UTC, datetime

import pytest
from quarry.search.skipped_sections import in_skipped_sections

from quarry.query.parse import parse_query

NOTE = "---\ntags: x\n---\n# Nuts\nwalnut\n## Related\n[[hide glue]] and bones\n### More\ncherries\n## After\nstone"


@pytest.mark.parametrize(
    ("typed", "lacking", "named"),
    [
        ('"hide glue" walnut', ("hide", "glue"), ["hide glue"]),
        ('-cherry -("glue" OR stone)', (), ["cherry", "glue"]),
        ("bones stone plum", ("bones", "plum"), ["bones"]),
        ("walnut", (), []),
        ("a", ("hide", "glue", "bones", "cherry"), ["hide", "glue", "bones"]),
    ],
)
def test_phrases_exclusions_and_missing_words_are_named(typed, lacking, named):
    query = parse_query(f"x {typed}", now=datetime(2026, 3, 1, tzinfo=UTC))

    found = in_skipped_sections(NOTE, query, lacking, ("Related",))

    assert [sentence for sentence, _ in found] == [
        f"“{one}” stands in its section “Related”, which is not searched." for one in named
    ]
    assert [told.args for _, told in found] == [{"words": one, "section": "Related"} for one in named]
    assert in_skipped_sections(NOTE, query, lacking, ()) == []
