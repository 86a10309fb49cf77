"""Of a token everything is found that is wanted of it, though most of it is not analysed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.normalize import fold
from quarry.search.snippet.highlighting import candidate_offsets
from quarry.search.snippet.matcher import HighlightTerms
from quarry.search.snippet.token_matches import token_matches, token_terms

WORDS = ["health", "Checks", "getStaleFiles", "user's", "can't", "U", "S", "python3", "rates", "YAML2", "Ｒate", "机器"]
SIGNS = ["", "-", "_", ".", "/", "::", "'", "--", "@", "#", "~", ":"]
TOKENS = st.lists(st.sampled_from(WORDS + SIGNS), min_size=1, max_size=8).map("".join)
TERMS = [
    "health",
    "check",
    "healthcheck",
    "get",
    "stale",
    "file",
    "user",
    "cant",
    "us",
    "python",
    "python3",
    "rate",
    "机器",
]


def found_in(token: str, wanted: HighlightTerms) -> list[tuple[str, str]]:
    hits = token_matches(token, candidate_offsets(token, wanted.matcher), wanted.matcher)
    return [(key, token[start:end]) for start, end, key, _ in hits]


@pytest.mark.parametrize(
    ("token", "found"),
    [
        ("limits.", [("limit", "limits")]),
        ("'https://example.org/rate_Limits'", [("limit", "Limits"), ("ratelimit", "rate_Limits")]),
        ("getLimits", [("limit", "Limits")]),
        ("limit's", [("limit", "limit's")]),
        ("unlimited", []),
        ("limité", [("limit", "limité")]),
        ("«rate-limité»", [("limit", "limité"), ("ratelimit", "rate-limité")]),
    ],
)
def test_words_their_parts_and_what_they_are_together_are_found_where_they_stand(token: str, found: list) -> None:
    assert found_in(token, HighlightTerms({"limit": 1.0, "ratelimit": 1.0})) == found


@given(TOKENS, st.sets(st.sampled_from(TERMS), min_size=1), st.sampled_from([None, "he", "stal", "pyth", "ra"]))
def test_the_same_is_found_as_when_all_of_it_is_analysed(token: str, terms: set[str], prefix: str | None) -> None:
    wanted = HighlightTerms(dict.fromkeys(terms, 1.0), prefix=prefix)
    words, parts = token_terms(token)
    every = [
        (at.start, at.end)
        for at in words + parts
        if at.term in terms or (prefix and fold(token[at.start : at.end]).startswith(prefix))
    ]
    pairs = [(a.start, b.end) for a, b in pairwise(words) if a.term + b.term == "机器" in terms]

    hits = token_matches(token, candidate_offsets(token, wanted.matcher), wanted.matcher)

    assert sorted((start, end) for start, end, _, _ in hits) == sorted(every + pairs)
