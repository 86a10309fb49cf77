"""Kinds of queries are recognised by their form."""

import pytest

from quarry.query.kind import query_kind


@pytest.mark.parametrize(
    "name",
    [
        *("printf_s", "std::vector::push_back", "Get-ChildItem", "--no-ff", "$PSScriptRoot", "useState", "foo.bar.baz"),
        *("C4996", "ERR_OSSL_EVP_UNSUPPORTED", "ENOENT", "0x80338126", "v1.2.3", "0.102.0", "2026-02-21", "OAuth2"),
        *(".vimrc", "/etc/hosts", "/permissive-", "C++", "main()", "package.json", "#include", "@types"),
    ],
)
def test_an_identifier_is_one_by_its_signs_digits_or_capitals(name: str):
    assert query_kind(name) == "name"


@pytest.mark.parametrize("text", ["rent", "Klingenthal", "don't", "Dörte", "調律", "a", "GUI", "--", "123 456", "🌱"])
def test_a_word_is_no_identifier(text: str):
    assert query_kind(text) == "words"


def test_a_question_is_one_with_an_identifier_in_it():
    assert query_kind("what does C4996 mean?") == "question"


def test_more_than_a_few_words_are_a_text():
    assert query_kind("bellows leak at the fold") == "words"
    assert query_kind("write a letter to the customer about bellows") == "text"
