import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from quarry.analysis.normalize import stem
from quarry.index.postings.spelling import _Spellings


@pytest.fixture
def known(put):
    for number, text in enumerate(
        ["receive receive letters", "receive", "reception", "relieve", "Konfiguration", "kitten"]
    ):
        put(f"{number}.md", text)


@pytest.fixture
def nearest(by_fts5):
    """What a word may stand for, by postings in memory and likewise by what FTS5 has."""

    def ask(index, word, limit=5):
        found = from_memory(index, word, limit)
        with by_fts5(index) as keywords:
            assert keywords.similar_terms(word, limit) == found
        return found

    return ask


def from_memory(index, word, limit):
    with index.reader() as reader:
        return reader.keywords.similar_terms(word, limit)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("recieve", [("receiv", 2)]),  # two letters swapped
        ("receeive", [("receiv", 2)]),
        ("konfigurration", [("konfigur", 1)]),
        ("kitte", [("kitten", 1)]),
        ("itten", [("kitten", 1)]),
        ("mitten", [("kitten", 1)]),
        ("mittens", [("kitten", 1)]),
    ],
)
def test_a_mistyped_word_is_near_to_what_was_meant(nearest, index, known, typed, meant):
    assert nearest(index, typed)[: len(meant)] == meant


@pytest.mark.parametrize("word", ["", "cat", "a b", "k1tten", "xyzzy", "receive"])
def test_short_words_names_and_known_words_are_near_nothing_else(nearest, index, known, word):
    assert ("receiv", 2) not in nearest(index, word)
    assert ("kitten", 1) not in nearest(index, word)


def test_the_nearest_stands_first_then_the_commonest(nearest, index, put):
    for number, text in enumerate(["wander", "wonder", "wonder", "winder winder"]):
        put(f"{number}.md", text)

    assert nearest(index, "wunder") == [("wonder", 2), ("wander", 1), ("winder", 1)]
    assert nearest(index, "wunder", limit=1) == [("wonder", 2)]


def test_a_term_that_stands_in_names_alone_is_near_nothing(nearest, index, put):
    put("a.md", "x", title="Kitten", context="")

    assert nearest(index, "kittem") == []


def test_words_come_and_go_with_their_notes(nearest, index, put):
    put("a.md", "kitten")
    assert nearest(index, "kittem") == [("kitten", 1)]
    put("b.md", "kitten")
    assert nearest(index, "kittem") == [("kitten", 2)]
    index.remove("a.md")
    index.remove("b.md")
    assert nearest(index, "kittem") == []


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("configuraton", "configuration"),
        ("documentaion", "documentation"),
        ("enviroment", "environment"),
        ("neccessary", "necessary"),
        ("seperate", "separate"),
        ("authentification", "authentication"),
        ("definately", "definitely"),
        ("accomodation", "accommodation"),
        ("runing", "running"),
        ("goverment", "government"),
    ],
)
def test_slips_at_the_end_of_a_word_are_seen_through_its_stem(nearest, index, put, typed, written):
    put("a.md", written)
    put("b.md", "unrelated words of all kinds")

    assert [term for term, _ in nearest(index, typed)] == [stem(written)]


SPELT = st.text("abcé\u0161\u4e2d", min_size=3, max_size=6)


@given(st.lists(SPELT, min_size=1, max_size=30), SPELT, st.integers(1, 2))
def test_no_term_that_is_near_is_passed_over_for_its_letters(terms, word, slips):
    by_length: dict[int, list[str]] = {}
    for term in terms:
        by_length.setdefault(len(term), []).append(term)

    found = [near for alike in by_length.values() for near in _Spellings.of(alike).near(word, slips)]

    assert sorted(found) == sorted(term for term in terms if OSA.distance(word, term) <= slips)
