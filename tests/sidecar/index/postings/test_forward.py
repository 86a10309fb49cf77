import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quarry.index.postings.columns import (
    CHUNK_COLUMNS,
    IN_ORDER,
    NAME_COLUMNS,
    NoteTerms,
    chunk_lengths,
    chunks_in_order,
    column_length,
    decode_terms,
    encode_terms,
    name_length,
    occurrences_by_column,
    occurrences_with_prefix,
    spaced,
    stands_in_text,
)

TERM = st.sampled_from(["a", "aa", "b", "ab", "ü", "机", "\u2028", "\x85"])
COLUMN = st.lists(TERM, max_size=6).map(" ".join)
TERMS = st.builds(
    NoteTerms,
    st.tuples(*[COLUMN] * NAME_COLUMNS),
    st.lists(st.tuples(*[COLUMN] * CHUNK_COLUMNS), max_size=4).map(tuple),
)
PHRASE = st.lists(TERM, min_size=1, max_size=3)
NO_NAMES = ("",) * NAME_COLUMNS


def columns_of(terms):
    return [column.split(" ") if column else [] for columns in (terms.names, *terms.chunks) for column in columns]


def count(phrase, column):
    return sum(column[at : at + len(phrase)] == phrase for at in range(len(column)))


def of_texts(*texts):
    """The line of a note whose chunks have these *texts* and nothing else."""
    return encode_terms(NoteTerms(NO_NAMES, tuple((text, "", "", "", "") for text in texts))).encode()


@given(TERMS)
def test_terms_come_back_as_they_were_from_one_line(terms):
    line = encode_terms(terms)

    assert "\n" not in line
    assert decode_terms(line) == terms


@given(TERMS, st.data())
def test_the_columns_in_order_are_cut_out_for_the_chunks_that_are_asked_about(terms, data):
    assume(terms.chunks)
    numbers = data.draw(st.lists(st.sampled_from(range(len(terms.chunks))), min_size=1, unique=True))

    found = chunks_in_order(encode_terms(terms).encode(), numbers)

    assert found == [spaced("\x1f".join(terms.chunks[number][:IN_ORDER]).encode()) for number in numbers]


@pytest.mark.parametrize("count", [0, 1, 5, 7, 10, 12])
def test_another_number_of_columns_than_any_note_has_is_no_note(count):
    with pytest.raises(ValueError, match="columns"):
        decode_terms("\x1f".join(["a"] * count))


def test_a_note_may_have_no_chunks():
    assert decode_terms("\x1f".join(["a"] * NAME_COLUMNS)) == NoteTerms(("a",) * NAME_COLUMNS, ())


@given(TERMS)
def test_each_term_stands_once_among_the_distinct_ones(terms):
    found = terms.distinct().split(" ") if terms.distinct() else []

    assert sorted(found) == sorted({term for column in columns_of(terms) for term in column})


@given(TERMS)
def test_lengths_are_numbers_of_terms(terms):
    columns = columns_of(terms)

    assert name_length(terms.names) == sum(map(len, columns[:NAME_COLUMNS]))
    for number, chunk in enumerate(terms.chunks):
        text, section, context, compounds, parts = columns[NAME_COLUMNS + number * CHUNK_COLUMNS :][:CHUNK_COLUMNS]
        assert chunk_lengths(chunk) == (
            sum(map(len, (text, section, context, compounds, parts))),
            len(text) + len(compounds),
        )
    assert (column_length(""), column_length("a"), column_length("a b")) == (0, 1, 2)


@given(TERMS, PHRASE)
def test_a_phrase_is_counted_in_every_column_where_its_terms_stand_side_by_side(terms, phrase):
    found = occurrences_by_column(" ".join(phrase).encode(), spaced(encode_terms(terms).encode()))

    expected = [(at, times) for at, column in enumerate(columns_of(terms)) if (times := count(phrase, column))]
    assert found == expected


def test_occurrences_may_overlap_and_end_where_a_column_does():
    assert occurrences_by_column(b"a a", spaced(b"a\x1fa a\x1f\x1faa a\x1fa a a\x1fa")) == [(1, 1), (4, 2)]
    assert occurrences_by_column(b"a", spaced(b"a\x1fa a\x1f\x1faa a\x1fba ab")) == [(0, 1), (1, 2), (3, 1)]


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


@given(TERMS, st.sampled_from(["a", "aa", "ü", "机", "x"]))
def test_terms_are_found_by_what_they_begin_with(terms, prefix):
    line = spaced(encode_terms(terms).encode())

    found = occurrences_with_prefix(prefix.encode(), line)

    every = {term.encode() for column in columns_of(terms) for term in column if term.startswith(prefix)}
    assert found == {term: occurrences_by_column(term, line) for term in every}


def test_a_term_that_holds_a_prefix_further_in_does_not_begin_with_it():
    line = spaced(encode_terms(NoteTerms(("banana an", "and", "", "", "", "ban"), ())).encode())

    assert occurrences_with_prefix(b"an", line) == {b"an": [(0, 1)], b"and": [(1, 1)]}
    assert occurrences_with_prefix(b"ba", line) == {b"banana": [(0, 1)], b"ban": [(5, 1)]}
