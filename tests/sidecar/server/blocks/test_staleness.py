"""Why a kept block may no longer hold."""

import pytest
from msgspec.structs import replace

from quarry.protocol import Source
from quarry.server.blocks.kept import KeptBlock, KeptQuote, Likely
from quarry.server.blocks.staleness import say_the_same, stale_by_index, stale_by_itself

QUOTE = KeptQuote("> a", "00", Source(path="a.md", project=None, heading_path=["A"], line=3, confidence=0.5))
A, B, C = Likely("a.md", 0.5, "aa"), Likely("b.md", 0.3, "bb"), Likely("c.md", 0.2, "cc")
KEPT = KeptBlock("x", "key", 1_000, [A, B], [], [QUOTE])


@pytest.mark.parametrize(
    ("kept", "key", "now_ms", "kind"),
    [
        (None, "key", 1_000, "not-built"),
        (KEPT, "other", 1_000, "redefined"),
        (KEPT, "key", 1_000, None),
        (KEPT, "key", 1_099, None),
        (KEPT, "key", 1_100, "expired"),
        (KEPT, "key", 999, "expired"),
    ],
)
def test_a_block_may_be_stale_by_itself(kept, key, now_ms, kind):
    stale = stale_by_itself(kept, key, 100, now_ms)

    assert (stale.kind if stale else None) == kind


@pytest.mark.parametrize(
    ("likely", "missing", "kind", "says"),
    [
        ([A, B], [], None, None),
        ([replace(A, sha256="a2"), B], [], "changed", "a.md changed"),
        ([B], [], "removed", "a.md is gone"),
        ([A, B, C], [], "outdated", "c.md answers now"),
        ([A], [], "outdated", "fewer notes"),
        ([B, A], [], "outdated", "another confidence"),
        ([replace(A, confidence=0.6), B], [], "outdated", "another confidence"),
        ([A, B], ["dense"], "outdated", "other retrievers"),
    ],
)
def test_a_block_may_be_stale_by_what_the_index_says(likely, missing, kind, says):
    stale = stale_by_index(KEPT, likely, missing)

    assert (stale.kind if stale else None) == kind
    assert stale is None or says in stale.reason


def test_quotes_say_the_same_where_their_text_is_equal():
    assert say_the_same([QUOTE], [replace(QUOTE, passage="11")])
    assert not say_the_same([QUOTE], [replace(QUOTE, text="> b")])
    assert not say_the_same([QUOTE], [])
