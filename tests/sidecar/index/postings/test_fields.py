import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.analysis import analyse, phrase_terms
from quarry.analysis.languages import UNSTEMMED
from quarry.analysis.normalize import TAGS
from quarry.index.memory import vault_languages
from quarry.index.postings.fields import (
    BETWEEN,
    CHUNK_FIELDS,
    MAX_TERM_CHARACTERS,
    MAX_TERMS,
    NAME_FIELDS,
    KeywordQuery,
    NoteTerms,
    QueryTerm,
    chunk_fields,
    decode_terms,
    encode_terms,
    languages_in,
    name_fields,
    note_terms,
    occurrences_by_field,
    occurrences_with_prefix,
    spaced,
    stands_in_text,
    stored,
)
from quarry.index.postings.fts5 import _CREATE_INDEX, _CREATE_VOCABULARY


def test_a_note_has_its_terms_by_where_they_stand(make_note):
    note = make_note(
        "f/file_name.md",
        "first text",
        "getStale x-y",
        title="A Title",
        aliases=("One", "Two"),
        tags=("t/u",),
        heading="Head",
    )

    title, aliases, name, headings, tags, compounds = name_fields(note)

    assert (title, name, headings, tags) == ("a titl", "file name", "head", "t u")
    assert aliases == f"on {BETWEEN} two"
    assert compounds.split() == ["filenam", "t/u"]


def test_without_stemming_a_note_has_its_words_in_whatever_language(make_note):
    note = make_note("running.md", "Die Häuser am Markt sind alt und nicht dicht", "houses", properties={"lang": "de"})

    terms = note_terms(note, "none")

    tag = TAGS[UNSTEMMED]
    assert terms.names[2] == f"running{tag}"
    assert [fields[0].split()[-1] for fields in terms.chunks] == [f"dicht{tag}", f"houses{tag}"]
    assert languages_in(terms) == UNSTEMMED


def test_a_chunk_has_its_terms_by_where_they_stand(make_note):
    (chunk,) = make_note("a.md", "Of getStaleFiles()", heading="snake_case", context="The apples").chunks

    text, section, context, compounds, parts = chunk_fields(chunk)

    assert (text, section, context) == (analyse("Of getStaleFiles()").words, "snake case", "the appl")
    of_text, of_section = analyse("Of getStaleFiles()"), analyse("snake_case")
    assert compounds.split() == [*of_text.compounds.split(), *of_section.compounds.split()]
    assert parts.split() == [*of_text.parts.split(), *of_section.parts.split()]


def test_headings_stand_once(make_note):
    assert name_fields(make_note("a.md", "x", "y", heading="Head"))[3] == "head"


def test_what_stands_between_two_aliases_is_no_term_of_a_text():
    assert phrase_terms(BETWEEN) == ()


def test_a_field_has_one_space_between_two_terms_and_none_at_its_ends():
    assert stored("  a   b c ") == "a b c"
    assert stored(" ") == stored("") == ""


def test_what_fts5_would_split_or_fold_or_cut_is_replaced_alike_for_all():
    assert stored('it\'s "A\x00b\x1fc\x7f"') == "it_s _a_b_c__"
    long = "机" * (MAX_TERM_CHARACTERS + 1)
    assert stored(f"a {long} {long}x") == f"a {long[:-1]} {long[:-1]}"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=5))
def test_any_field_is_to_fts5_the_terms_that_the_forward_index_has(words):
    field = stored(" ".join(words))
    connection = apsw.Connection(":memory:")
    connection.execute(_CREATE_INDEX)
    connection.execute(_CREATE_VOCABULARY)
    connection.execute("INSERT INTO notes_fts(rowid, terms) VALUES (1, ?)", (field,))

    terms = field.split(" ") if field else []
    assert sorted(term for (term,) in connection.execute("SELECT term FROM vocabulary")) == sorted(set(terms))
    whole = NoteTerms((field, "", "", "", "", ""), ())
    assert decode_terms(encode_terms(whole)) == whole
    for term in terms:
        asked = '"' + term + '"'
        assert connection.execute("SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?", (asked,)).fetchall() == [(1,)]


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


TERM = st.sampled_from(["a", "aa", "b", "ab", "ba", "ü", "机", "\u2028", "\x85"])
FIELD = st.lists(TERM, max_size=6).map(" ".join)
TERMS = st.builds(
    NoteTerms,
    st.tuples(*[FIELD] * NAME_FIELDS),
    st.lists(st.tuples(*[FIELD] * CHUNK_FIELDS), max_size=4).map(tuple),
)
PHRASE = st.lists(TERM, min_size=1, max_size=3)
NO_NAMES = ("",) * NAME_FIELDS


def fields_of(terms):
    return [field.split(" ") if field else [] for fields in (terms.names, *terms.chunks) for field in fields]


def count(phrase, field):
    return sum(field[at : at + len(phrase)] == phrase for at in range(len(field)))


def of_texts(*texts):
    """The line of a note whose chunks have these *texts* and nothing else."""
    return encode_terms(NoteTerms(NO_NAMES, tuple((text, "", "", "", "") for text in texts))).encode()


@given(TERMS)
def test_terms_come_back_as_they_were_from_one_line(terms):
    line = encode_terms(terms)

    assert "\n" not in line
    assert decode_terms(line) == terms


@pytest.mark.parametrize("count", [0, 1, 5, 7, 10, 12])
def test_another_number_of_fields_than_any_note_has_is_no_note(count):
    with pytest.raises(ValueError, match="fields"):
        decode_terms("\x1f".join(["a"] * count))


@given(TERMS, PHRASE)
def test_a_phrase_is_counted_in_every_field_where_its_terms_stand_side_by_side(terms, phrase):
    found = occurrences_by_field(" ".join(phrase).encode(), spaced(encode_terms(terms).encode()))

    expected = [(at, times) for at, field in enumerate(fields_of(terms)) if (times := count(phrase, field))]
    assert found == expected


@given(TERMS, PHRASE)
def test_a_phrase_stands_in_the_text_of_a_note_over_borders_of_chunks(terms, phrase):
    text = [term for chunk in terms.chunks if chunk[0] for term in chunk[0].split(" ")]

    found = stands_in_text(" ".join(phrase).encode(), encode_terms(terms).encode())

    assert found == any(text[at : at + len(phrase)] == phrase for at in range(len(text)))


def test_a_phrase_may_fill_many_chunks_and_pass_over_empty_ones():
    words = [f"w{number}" for number in range(60)]
    phrase = " ".join(words).encode()

    assert stands_in_text(phrase, of_texts(*words))
    assert stands_in_text(phrase, of_texts("before " + " ".join(words) + " after"))
    assert stands_in_text(phrase, of_texts(" ".join(words[:20]), "", "", " ".join(words[20:]) + " after"))
    assert not stands_in_text(phrase, of_texts(*words[:20], *words[21:]))
    assert not stands_in_text(phrase, of_texts(*reversed(words)))
    assert not stands_in_text(b"w1 w2", of_texts("xw1 w2", "w1 w2x", "w1", "x", "w2"))


@given(TERMS, st.sampled_from(["a", "aa", "b", "ü", "机", "x"]))
def test_terms_are_found_by_what_they_begin_with(terms, prefix):
    line = spaced(encode_terms(terms).encode())

    found = occurrences_with_prefix(prefix.encode(), line)

    every = {term.encode() for field in fields_of(terms) for term in field if term.startswith(prefix)}
    assert found == {term: occurrences_by_field(term, line) for term in every}


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
