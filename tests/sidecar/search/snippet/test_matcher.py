"""What is looked for is what every word of a wanted term begins with."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.analysis import phrase_terms
from quarry.analysis.normalize import fold, stem
from quarry.search.snippet.highlighting import candidate_offsets
from quarry.search.snippet.matcher import HighlightTerms, token_matches, token_terms

ENDINGS = """
s ing ed y ies ied ly ness ability ibility ation er est ment ful fulness ousness ously ization izer ational alism ality
ivity iveness bly ible able ence ency ance ancy icate ical ative eli t e i l ll eed edly bility ism ous ion
"""


@given(
    st.text(st.sampled_from("aeiouybcdfghlmnrstvz"), min_size=1, max_size=8),
    st.sampled_from(["", *ENDINGS.split()]),
)
def test_a_word_begins_with_what_its_term_is_looked_for_by(beginning: str, ending: str) -> None:
    matcher = HighlightTerms({stem(beginning + ending): 1.0}).matcher

    assert (beginning + ending).startswith(matcher.prefixes)


@pytest.mark.parametrize("word", ["can't", "hasn’t", "presiden't", "user's", "they’ll"])
def test_so_does_a_word_with_an_apostrophe(word: str) -> None:
    [term] = phrase_terms(word)

    assert word.startswith(HighlightTerms({term: 1.0}).matcher.prefixes)


@pytest.mark.parametrize(
    ("word", "prefix"),
    [("happy", "happ"), ("hoping", "hop"), ("sensibility", "sensib"), ("users", "user"), ("a", "a"), ("机", "机")],
)
def test_a_word_is_looked_for_by_all_of_its_term_but_a_letter_that_stemming_put_there(word: str, prefix: str) -> None:
    assert HighlightTerms({stem(word): 1.0}).matcher.prefixes == (prefix,)


def test_what_begins_with_another_beginning_is_not_looked_for_again() -> None:
    matcher = HighlightTerms({"health": 1.0, "healthcheck": 1.0, "rate": 1.0}, prefix="heal").matcher

    assert matcher.prefixes == ("heal", "rat")


def test_what_is_written_with_signs_is_looked_for_as_it_is() -> None:
    matcher = HighlightTerms({"c++": 1.0, "readme.md": 1.0, "机器": 1.0}).matcher

    assert matcher.literals == ("c++", "readme.md")
    assert matcher.pairs == {"机器"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "haus hauses haeuser uebungen gekauft bezahlt gefaellt boote"),
        ("fr", "journaux amoureuse conscience logique"),
        ("es", "presencia soluciones resolviendo"),
        ("fi", "taloissa vanhempi"),
        ("nl", "huizen manen lopende"),
        ("cs", "praze matce"),
        ("und", "running files заметок"),
    ],
)
def test_a_word_of_another_language_begins_with_what_its_term_is_looked_for_by(language: str, words: str) -> None:
    for word in words.split():
        wanted = HighlightTerms({stem(word, language): 1.0}, languages=(language,))
        assert word.startswith(wanted.matcher.prefixes)


def test_stems_of_a_word_in_several_languages_have_one_key() -> None:
    [joined] = phrase_terms("Häuser", ("de",))
    matcher = HighlightTerms({joined: 1.0}, languages=("de",)).matcher

    assert set(matcher.keys.values()) == {joined}
    assert set(matcher.values) == set(matcher.keys) == {stem("Häuser"), stem("Häuser", "de")}


def test_a_text_in_english_alone_is_not_searched_for_stems_of_other_languages() -> None:
    [joined] = phrase_terms("Häuser", ("de", "fr"))
    wanted = HighlightTerms({joined: 1.0}, ((joined, joined),), languages=("de", "fr"))
    english, german = wanted.in_languages(()), wanted.in_languages(("de",))

    assert set(english.matcher.values) == {stem("Häuser")}
    assert set(german.matcher.values) == {stem("Häuser"), stem("Häuser", "de")}
    assert wanted.in_languages(("de", "fr")) is wanted
    assert wanted.in_languages(("de",)) is german


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
        if at.text in terms or (prefix and fold(token[at.start : at.end]).startswith(prefix))
    ]
    pairs = [(a.start, b.end) for a, b in pairwise(words) if a.text + b.text == "机器" in terms]

    hits = token_matches(token, candidate_offsets(token, wanted.matcher), wanted.matcher)

    assert sorted((start, end) for start, end, _, _ in hits) == sorted(every + pairs)
