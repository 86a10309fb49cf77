import itertools
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarry.analysis.analysis import (
    SEPARATOR,
    AnalysedText,
    LocatedTerm,
    TokenCache,
    alternatives,
    analyse,
    clear_cache,
    locate_part_terms,
    locate_terms,
    phrase_alternatives,
    phrase_terms,
    query_terms,
    ranking_terms,
    split_alternatives,
    text_terms,
    unaccented_terms,
)
from quarry.analysis.normalize import untagged

PIECES = [
    "word", "Running", "résumé", "don't", "user’s", "O'Reilly", "snake_case", "getStaleFiles", "kebab-case-name", "C++",
    "C#", ".NET", "--flag", "v1.2.3", "path/to/file.md", "foo.bar()", "@user", "a@b.org", "2026-01-15", "U.S.A.", "x_",
    "机器学习", "東京タワー", "ｶﾀｶﾅ", "ｶﾞ", "ภาษาไทย", "ພາສາລາວ", "မြန်မာ", "ខ្មែរ", "데이터베이스는", "हिन्दी", "العربية",
    "עִבְרִית", "👩‍💻", "👍🏽", "🇩🇪🇫🇷", "1️⃣", "→", "é", "e\u0301", "ß", "½", "**",
    "[[", "]]", "、", "。", "'", "’", ".", "-", "_", "#", "+",
    " ", "\n", "\t", "\u3000", "\u00a0", "\u200d", "\u00ad", "\0", "s", "t", "A", "9",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.characters(exclude_categories=["Cs"])), max_size=12).map("".join)


# --- what comes out ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The running Résumés", AnalysedText("the run resum", "", "")),
        ("don't stop the user's car", AnalysedText("dont stop the user car", "", "")),
        ("GitHub getStaleFiles()", AnalysedText("github getstalefil", "", "git hub get stale file")),
        ("use snake_case.", AnalysedText("us snake case", "snakecas", "")),
        ("C++ 17", AnalysedText("c 17", "c++", "")),
        ("机器学习", AnalysedText("机 器 学 习", "机器 器学 学习", "")),
        ("用Python写", AnalysedText("用 python 写", "", "")),
        ("데이터를 책", AnalysedText("데이터를 책", "데이 이터 터를", "")),
        ("ภาษา", AnalysedText("ภ า ษ า", "ภา าษ ษา", "")),
        ("done ✅ 👍🏽", AnalysedText("done ✅ 👍", "", "")),
        ("... -- []", AnalysedText("", "", "")),
    ],
)
def test_texts_become_terms(text, expected):
    assert analyse(text) == expected


def test_terms_stand_where_they_are_said_to():
    text = "Ein snake_case 机器, user's"

    found = list(locate_terms(text))

    assert found[1] == LocatedTerm("snake", 4, 9)
    assert [text[term.start : term.end] for term in found] == ["Ein", "snake", "case", "机", "器", "user's"]


def test_parts_of_a_word_stand_where_they_are_said_to():
    text = "see getStaleFiles, C++ and python3"

    assert [(term.text, text[term.start : term.end]) for term in locate_part_terms(text)] == [
        ("get", "get"),
        ("stale", "Stale"),
        ("file", "Files"),
        ("python", "python"),
    ]


# --- what is typed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "words", "compounds"),
    [
        ("Running", ("run",), ()),
        ("GitHub", ("github",), ()),
        ("getStaleFiles", ("getstalefil",), ("get", "stale", "file")),
        ("python3", ("python3",), ()),
        ("snake_case", ("snake", "case"), ("snakecas",)),
        ("c++", ("c",), ("c++",)),
        ("机器学习", ("机", "器", "学", "习"), ("机器", "器学", "学习")),
        ("책", ("책",), ()),
        ("...", (), ()),
    ],
)
def test_a_typed_word_asks_for_words_and_compounds(word, words, compounds):
    assert query_terms(word) == (words, compounds)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("学", ("学",)),
        ("学习", ("学习",)),
        ("用Python学习", ("学习", "用", "python")),
        ("e-mail", ("email", "e", "mail")),
        ("don't", ("dont",)),
        ("", ()),
    ],
)
def test_runs_without_spaces_rank_by_pairs(word, expected):
    assert ranking_terms(word) == expected


# --- what always holds -------------------------------------------------------------------------


@given(TEXTS)
@example("x's中")
@example("don't" + "\u0301")
@example("🇩🇪🇫")
@example("ｶﾞ")
def test_what_is_located_is_what_is_analysed(text):
    terms = list(locate_terms(text))

    assert " ".join(term.text for term in terms) == analyse(text).words
    assert tuple(term.text for term in terms) == phrase_terms(text)
    assert all(before.end <= after.start for before, after in itertools.pairwise(terms))
    assert all(0 <= term.start < term.end <= len(text) for term in terms)
    assert sorted(term.text for term in locate_part_terms(text)) == sorted(analyse(text).parts.split())


@given(TEXTS, st.data())
def test_a_phrase_cut_out_between_two_terms_is_found_in_its_text(text, data):
    terms = list(locate_terms(text))
    if not terms:
        return
    first = data.draw(st.integers(0, len(terms) - 1))
    last = data.draw(st.integers(first, len(terms) - 1))
    start = data.draw(st.integers(terms[first - 1].end if first else 0, terms[first].start))
    end = data.draw(st.integers(terms[last].end, terms[last + 1].start if last + 1 < len(terms) else len(text)))

    cut_out = phrase_terms(text[start:end])

    assert cut_out == tuple(term.text for term in terms[first : last + 1])


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_a_phrase_of_ascii_has_the_terms_of_a_text(phrase):
    assert phrase_terms(phrase) == tuple(analyse(phrase).words.split())


@given(st.text("abcstxyz", min_size=1, max_size=80))
def test_a_word_of_small_letters_ranks_by_its_one_term(word):
    assert ranking_terms(word) == phrase_terms(word) == (analyse(word).words,)


@given(TEXTS)
def test_terms_hold_no_space_and_no_control_character(text):
    analysed = analyse(text)

    for joined in (analysed.words, analysed.compounds, analysed.parts):
        assert joined == " ".join(joined.split())
        assert not any(char < " " or char in "\"'" for char in joined)


@given(TEXTS)
def test_case_never_decides_what_a_word_is(text):
    ascii_text = text.encode("ascii", "ignore").decode()

    assert analyse(ascii_text).words == analyse(ascii_text.upper()).words == analyse(ascii_text.lower()).words


@given(st.lists(TEXTS, max_size=4))
def test_terms_do_not_depend_on_what_was_analysed_before(texts):
    fresh = []
    for text in texts:
        clear_cache()
        fresh.append(analyse(text))

    assert [analyse(text) for text in texts] == fresh


@given(TEXTS, TEXTS)
def test_lines_are_analysed_one_by_one(one, other):
    together, apart = analyse(one + "\n" + other), [analyse(one), analyse(other)]

    assert together.words.split() == [term for part in apart for term in part.words.split()]
    assert sorted(together.compounds.split()) == sorted(term for part in apart for term in part.compounds.split())


@given(TEXTS)
def test_what_a_word_ranks_by_is_in_a_text_that_holds_it(word):
    analysed = analyse(word)

    held = {*analysed.words.split(), *analysed.compounds.split(), *analysed.parts.split()}
    assert set(ranking_terms(word)) <= held
    assert len(set(ranking_terms(word))) == len(ranking_terms(word))


# --- bounds ------------------------------------------------------------------------------------


def test_memory_is_bounded():
    cache = TokenCache(max_chars=1000)

    for n in range(2000):
        assert cache.analyse(f"word{n} and more").words == f"word{n} and more"

    assert 0 < len(cache) < 200


def test_a_sentence_in_a_script_without_spaces_is_remembered_by_its_parts_alone():
    cache = TokenCache()

    found = cache.analyse("机器学习，" * 30)

    assert found.words == " ".join("机器学习" * 30)
    assert list(cache) == ["机器学习"]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["QUJD" * 10**6, "ab/cd+" * 10**5, "学" * 10**6, "word_" * 10**5, "aB" * 10**6])
def test_a_line_of_data_is_analysed_in_linear_time_and_space(line):
    clear_cache()
    analysed = analyse(line)

    assert len(analysed.words) <= 2 * len(line)
    assert len(analysed.compounds) <= 3 * len(line)
    clear_cache()


def test_threads_get_the_same_terms():
    texts = [f"The running users of getStaleFiles{n} in snake_case{n} 机器学习" for n in range(300)]
    expected = [analyse(text) for text in texts]
    found = []
    threads = [threading.Thread(target=lambda: found.append([analyse(text) for text in texts])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [expected] * 4


def test_a_text_is_analysed_in_its_language():
    found = analyse("Die Häuser am See: getStaleFiles, snake_case", "de")

    assert untag(found.words) == "die haus am see tstalefil snak cas"
    assert (untag(found.compounds), untag(found.parts)) == ("snakecas", "get stal fil")
    assert analyse("die Häuser").words == "die hauser"


def untag(terms):
    return " ".join(map(untagged, terms.split()))


def test_words_with_accents_are_also_known_without():
    assert untag(unaccented_terms("Ella comía mientras él come", "es")) == "comi"
    assert unaccented_terms("comía", "en") == unaccented_terms("comia", "es") == ""


def test_a_query_asks_for_its_words_in_every_language_of_the_vault():
    assert [list(map(untagged, term.split(SEPARATOR))) for term in ranking_terms("Häuser", ("de", "fr"))] == [
        ["hauser", "haus", "haus"]
    ]
    assert ranking_terms("v1.2", ("de",)) == ranking_terms("v1.2")
    assert ranking_terms("机器", ("de",)) == ranking_terms("机器")


@given(st.text(max_size=30))
def test_the_terms_of_a_word_are_as_many_in_every_language(word):
    assert len(phrase_terms(word, ("de", "tr"))) == len(phrase_terms(word))
    assert len(text_terms(word, ("de", "tr"))) == len(text_terms(word)) == len(analyse(word).words.split())
    ranking_terms(word, ("de", "fr", "pl"))


BOTH = ("de", "fr")


def test_in_a_vault_in_english_a_term_is_its_only_alternative():
    assert alternatives(lambda language: [language, "x"], ()) == ("en", "x")
    assert split_alternatives("apple") == ["apple"]


def test_stems_of_a_word_are_joined_and_equal_ones_stand_once():
    assert alternatives(lambda language: [language, "42"], BOTH) == (f"en{SEPARATOR}de{SEPARATOR}fr", "42")
    assert split_alternatives(f"en{SEPARATOR}de{SEPARATOR}fr") == ["en", "de", "fr"]


@pytest.mark.parametrize("phrase", ["42", "", "Häuser am See 42", "v1.2 机器", "l'été d'un snake_case"])
def test_a_phrase_is_asked_for_in_each_language(phrase):
    in_each = [phrase_terms(phrase), *[tuple(stem_all(phrase, language)) for language in BOTH]]

    assert phrase_alternatives(phrase_terms(phrase, BOTH)) == [*dict.fromkeys(filter(None, in_each))]


def stem_all(phrase, language):
    return (split_alternatives(term)[-1] for term in phrase_terms(phrase, (language,)))
