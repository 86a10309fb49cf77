"""Marks stand where the terms of a query stand, and nowhere else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.analysis import locate_terms, phrase_terms, ranking_terms
from quarry.analysis.normalize import fold
from quarry.search.snippet.highlighting import FOLDED_CHARACTERS, find_matches, highlight
from quarry.search.snippet.matcher import HighlightTerms


def marked(text: str, query: str, *phrases: str, prefix: str | None = None) -> list[str]:
    weights = {term: 1.0 for word in query.split() for term in ranking_terms(word)}
    marks = highlight(text, HighlightTerms(weights, tuple(phrase_terms(phrase) for phrase in phrases), prefix))
    return [text[mark.start : mark.end] for mark in marks]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Renaming a branch renames it", "rename", ["Renaming", "renames"]),
        ("the filing of happiness", "file happy", ["filing", "happiness"]),
        ("start the artist's art", "art", ["art"]),
        ("start the artist's art", "art start", ["start", "art"]),
        ("getStaleFiles() and stale_files", "stale", ["Stale", "stale"]),
        ("getStaleFiles() and more", "getStaleFiles", ["getStaleFiles"]),
        ("a health-check, U.S.A.", "healthcheck usa", ["health-check", "U.S.A"]),
        ("C++, not C-3", "C++", ["C++", "C"]),
        ("use --verbose here", "--verbose", ["--verbose"]),
        ("it doesn’t, isn't", "doesn't isnt", ["doesn’t", "isn't"]),
        ("Ελλάδα και Ёлка", "ελλαδα елка", ["Ελλάδα", "Ёлка"]),
        ("cafe\u0301s, ﬁne, İzmir", "café fine izmir", ["cafe\u0301s", "ﬁne", "İzmir"]),
        ("so 🎉 much", "🎉", ["🎉"]),
        ("«\u00a0état\u00a0», un\u2009été …à", "etat ete à", ["état", "été", "à"]),
        ("nothing", "", []),
        ("", "word", []),
    ],
)
def test_words_are_marked_by_their_terms(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("text", "query", "phrase", "expected"),
    [
        ("Die Häuser, haeuser und Haustür", "Haus", "", ["Häuser", "haeuser"]),
        ("Les journaux du cheval", "journal chevaux", "", ["journaux", "cheval"]),
        ("the houses", "house", "", ["houses"]),
        ("alte Häuser, ein altes Haus", "", "alt Haus", ["alte Häuser", "altes Haus"]),
        ("old houses of an old house", "", "old house", ["old houses", "old house"]),
        ("ein snake_case und v1.2.3", "snake_case v1.2.3", "", ["snake_case", "v1.2.3"]),
    ],
)
def test_words_are_marked_in_any_language_of_the_vault(text: str, query: str, phrase: str, expected: list[str]) -> None:
    languages = ("de", "fr")
    weights = {term: 1.0 for word in query.split() for term in ranking_terms(word, languages)}
    phrases = (phrase_terms(phrase, languages),) if phrase else ()

    marks = highlight(text, HighlightTerms(weights, phrases, languages=languages))

    assert [text[mark.start : mark.end] for mark in marks] == expected


def test_what_is_typed_without_accents_is_marked_with_them() -> None:
    weights = dict.fromkeys(ranking_terms("comia", ("es",)), 1.0)

    assert [(mark.start, mark.end) for mark in highlight("Ella comía", HighlightTerms(weights, languages=("es",)))] == [
        (5, 10)
    ]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("关于数据库设计的笔记", "数据库 设计", ["数据库设计"]),
        ("数的据，关于数据的", "数据", ["数据"]),
        ("猫和狗", "猫", ["猫"]),
        ("用Python写", "python", ["Python"]),
        ("데이터베이스를 쓴다", "데이터베이스", ["데이터베이스"]),
    ],
)
def test_scripts_without_spaces_are_marked_by_pairs(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("git rebase, then rebase git; Git\n\n- rebases", "git rebase", ["git rebase", "Git\n\n- rebases"]),
        ("stale_files of getStaleFiles", "stale files", ["stale_files"]),
        ("数据库设计", "据库", ["据库"]),
        ("a a b a a a b", "a a b", ["a a b", "a a b"]),
        ("end of it", "of it all", []),
    ],
)
def test_a_phrase_is_one_mark(text: str, phrase: str, expected: list[str]) -> None:
    assert marked(text, "", phrase) == expected


def test_words_of_a_phrase_are_marked_elsewhere_where_they_are_wanted_too() -> None:
    assert marked("git, or git rebase", "git", "git rebase") == ["git", "git rebase"]


def test_the_beginning_of_a_word_marks_the_words_that_begin_so() -> None:
    text = "Reported by the reporter: prerelease, getRepairs, Répondez"

    assert marked(text, "", prefix="rep") == ["Reported", "reporter", "Repairs", "Répondez"]


def test_the_word_being_typed_counts_once_with_what_it_may_become() -> None:
    wanted = HighlightTerms({"rep": 2.0}, prefix="rep")

    assert {key for _, _, key, _ in find_matches("rep report", wanted)} == {"rep"}


WORDS = st.text(st.sampled_from("aeiouybcdfghlmnrstvzAESÉéßİёй'-_.中文데이터e\u0301"), min_size=1, max_size=12)
INNER = st.sampled_from(["ing", "ed", "s", "ly", "ies", "ational", "ability", "ization", "y", "e", ""])


@given(st.lists(st.tuples(WORDS, INNER).map("".join), min_size=1, max_size=8), st.data())
def test_every_term_that_stands_in_a_text_is_found_there(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    terms = list(locate_terms(text))
    wanted_term = data.draw(st.sampled_from(terms)) if terms else None
    if wanted_term is None:
        return

    found = find_matches(text, HighlightTerms({wanted_term.text: 1.0}))

    stands = {(term.start, term.end) for term in terms if term.text == wanted_term.text}
    assert stands <= {(start, end) for start, end, _, _ in found}


@given(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), st.data())
def test_every_phrase_that_stands_in_a_text_is_found_there(text: str, data: st.DataObject) -> None:
    terms = list(locate_terms(text))
    start = data.draw(st.integers(0, len(terms)))
    phrase = terms[start : data.draw(st.integers(start, len(terms)))]
    if not phrase:
        return

    found = find_matches(text, HighlightTerms({}, (tuple(term.text for term in phrase),)))

    assert (phrase[0].start, phrase[-1].end) in {(start, end) for start, end, _, _ in found}


@given(st.text(st.sampled_from("abe-_. 中文é\n"), max_size=60))
def test_nothing_else_is_marked(text: str) -> None:
    wanted = HighlightTerms({"ab": 1.0, "中文": 1.0})

    for mark in highlight(text, wanted):
        stretch = text[mark.start : mark.end]
        assert re.fullmatch("(ab|中文)*", re.sub("[-_.e]", "", fold(stretch)))  # `abe` is `ab`, too


def test_signs_that_are_looked_for_as_they_are_written_are_kept_so_in_terms() -> None:
    plain = [sign for sign in map(chr, range(0x110000)) if not FOLDED_CHARACTERS.match(sign)]

    assert [sign for sign in plain if fold(sign) != sign.lower() and sign.strip()] == []
