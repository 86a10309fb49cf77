from hypothesis import given
from hypothesis import strategies as st

from quarry.index.postings.query import MAX_TERMS, KeywordQuery, QueryTerm

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=40)


@given(words=WORDS, phrases=WORDS, prefix=st.none() | st.text(max_size=9))
def test_whatever_is_typed_is_spelled_as_the_index_spells_terms(words, phrases, prefix):
    query = KeywordQuery.of(words, phrases, prefix)

    for term in query.scored:
        assert term.text
        assert not set(term.text) & {*"\"'\x7f", *map(chr, range(32)), *"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
        assert (" " in term.text) == (term.kind == "phrase")
    assert query.is_empty == (not query.scored)


def test_any_phrase_or_term_ranks():
    query = KeywordQuery.of(["Apples", "pear"], ["Red cars", "plums"])

    assert query == KeywordQuery(("appl", "pear", "plum"), (("red", "car"),))
    assert query.scored == (QueryTerm("red car", "phrase"), QueryTerm("appl"), QueryTerm("pear"), QueryTerm("plum"))


def test_what_is_asked_for_twice_ranks_once():
    query = KeywordQuery.of(["apples", "Apple"], ["red car", "Red cars"])

    assert query == KeywordQuery(("appl",), (("red", "car"),))


def test_terms_of_other_characters_than_any_analysis_gives_are_spelled_as_they_are_stored():
    query = KeywordQuery(("it's", "A\0b", ""), (("Odd", '"; --'),), "Ap'")

    assert query.scored == (
        QueryTerm("odd _; --", "phrase"),
        QueryTerm("it_s"),
        QueryTerm("a_b"),
        QueryTerm("ap_", "prefix"),
    )


def test_nothing_to_rank_by_is_empty():
    assert KeywordQuery.of(["...", ""], ["!"]).is_empty
    assert KeywordQuery.of(["..."]).scored == ()


def test_phrases_and_terms_beyond_the_cap_are_dropped_the_prefix_never():
    words, phrases = [f"w{n}" for n in range(99)], [f"a{n} b{n}" for n in range(99)]

    assert len(KeywordQuery.of(words).scored) == MAX_TERMS
    assert [term.kind for term in KeywordQuery.of(words, phrases, "word").scored] == ["phrase"] * MAX_TERMS + ["prefix"]
    some = KeywordQuery.of(words, phrases[:2]).scored
    assert [term.text for term in some[:3]] == ["a0 b0", "a1 b1", "w0"]
    assert len(some) == MAX_TERMS


def test_only_a_single_word_of_some_length_is_a_beginning():
    assert [KeywordQuery.of([], prefix=word).prefix for word in ("Répo", "re", "学", "a-b", "...", None)] == [
        "repo",
        None,
        "学",
        None,
        None,
        None,
    ]


def test_only_a_prefix_stands_for_other_terms():
    assert [QueryTerm("a", kind).is_prefix for kind in ("term", "prefix", "name-prefix", "phrase")] == [
        False,
        True,
        True,
        False,
    ]
