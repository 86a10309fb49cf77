"""Words stay whole without what surrounds them; dates are recognised."""

import pytest

from quarry.query.terms import content_word, date_phrases, identifier, word_count


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("Git", "git"),
        ("'x'", "x"),
        ("(x", "x"),
        ("why?!", "why"),
        ("**bold**", "bold"),
        ("「日本」", "日本"),
        ("malloc()", "malloc"),
        ("getStaleFiles", "getStaleFiles"),
        ("HTTPServer", "HTTPServer"),
        ("README.md", "readme.md"),
        ("C++", "c++"),
        ("C#", "c#"),
        (".NET", ".net"),
        ("--flag", "--flag"),
        ("@user", "@user"),
        ("__init__", "__init__"),
        ("#1", "1"),
        ("user's", "user's"),
        ("😀", "😀"),
        ("→", "→"),
        ("->", None),
        ("&", None),
        ("", None),
    ],
)
def test_a_word_stays_whole_without_what_surrounds_it(written, word):
    assert content_word(written) == word


def test_words_of_a_phrase_are_counted():
    assert [word_count(phrase) for phrase in ("a b-c", "->", "don't")] == [3, 1, 2]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("december 2021", ("2021 12",)),
        ("December, 2021", ("2021 12",)),
        ("notes from Dec 2021 on", ("2021 12",)),
        ("Dec. 2021", ("2021 12",)),
        ("SEPT", ()),
        ("7 december 2021", ("2021 12 07",)),
        ("7th of December 2021", ("2021 12 07",)),
        ("December 7th, 2021", ("2021 12 07",)),
        ("december 07 2021", ("2021 12 07",)),
        ("may 1999 and june 2000", ("1999 05", "2000 06")),
        ("may 1999 or May 1999", ("1999 05",)),
        ("December", ()),
        ("2021", ()),
        ("december 21", ()),
        ("december 20211", ()),
        ("december 3021", ()),
        ("39 december 2021", ("2021 12",)),
        ("0 december 2021", ("2021 12",)),
        ("mayonnaise 2021", ()),
        ("dismay 2021", ()),
        ("", ()),
    ],
)
def test_months_and_days_with_a_year_are_read(text: str, phrases: tuple[str, ...]):
    assert date_phrases(text) == phrases


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *(("January", 1), ("February", 2), ("March", 3), ("April", 4), ("May", 5), ("June", 6)),
        *(("July", 7), ("August", 8), ("September", 9), ("October", 10), ("November", 11), ("December", 12)),
    ],
)
def test_every_month_is_known_by_its_name_and_by_three_letters(name: str, number: int):
    assert date_phrases(f"{name} 2024") == date_phrases(f"{name[:3]} 2024") == (f"2024 {number:02}",)


@pytest.mark.parametrize(
    "name",
    [
        *("printf_s", "std::vector::push_back", "Get-ChildItem", "--no-ff", "$PSScriptRoot", "useState", "foo.bar.baz"),
        *("C4996", "ERR_OSSL_EVP_UNSUPPORTED", "ENOENT", "0x80338126", "v1.2.3", "0.102.0", "2026-02-21", "OAuth2"),
        *(".vimrc", "/etc/hosts", "/permissive-", "C++", "main()", "package.json", "#include", "@types"),
    ],
)
def test_an_identifier_is_one_by_its_signs_digits_or_capitals(name: str):
    assert identifier(name) is not None


@pytest.mark.parametrize("text", ["rent", "Klingenthal", "don't", "Dörte", "調律", "a", "GUI", "--", "v1.2 v1.3", "🌱"])
def test_a_word_is_no_identifier(text: str):
    assert identifier(text) is None
