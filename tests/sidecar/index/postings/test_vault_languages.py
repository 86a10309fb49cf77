import pytest

from quarry.index.postings.vault_languages import vault_languages


@pytest.fixture
def languages(index):
    def read():
        with index.reader() as reader:
            return vault_languages(reader._db)

    return read


def test_a_vault_in_english_has_no_other_language(put, languages):
    put("a.md", "The apple is red and it was good for you.")
    put("42.md", "42", properties={"lang": "de"})

    assert languages() == ()


def test_the_languages_are_those_of_the_notes_after_every_edit(index, put, languages):
    put("a.md", "apple", properties={"lang": "fr"})
    put("b.md", "apple", properties={"lang": "de"})
    put("c.md", "apple", properties={"lang": "de"})
    assert languages() == ("de", "fr")

    index.remove("b.md")
    assert languages() == ("de", "fr")

    put("c.md", "apple", properties={"lang": "tr"})
    assert languages() == ("fr", "tr")

    put("a.md", "apple")
    assert languages() == ("tr",)


def test_a_note_may_have_several(put, languages):
    put("a.md", "Das Haus ist alt und für die Kinder nicht gut.", "La maison est vieille et elle n'a pas de toit.")

    assert languages() == ("de", "fr")


def test_many_notes_in_one_language_are_asked_about_once(index, put, languages):
    with index.batch():
        for number in range(50):
            put(f"{number}.md", "apple", properties={"lang": "de"})
    put("x.md", "apple", properties={"lang": "es"})

    assert languages() == ("de", "es")
