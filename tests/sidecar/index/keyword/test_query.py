import apsw
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.keyword.match_query import CHUNK_COLUMNS, MAX_TERMS, KeywordQuery, all_expression, expression
from quarry.index.keyword.schema import _KEYWORD_INDEXES

WORDS = st.lists(st.text(max_size=20), max_size=40)


def table():
    connection = apsw.Connection(":memory:")
    connection.execute(
        _KEYWORD_INDEXES["chunks_fts"].replace("content='chunk_terms', content_rowid='id'", "content=''")
    )
    return connection


@given(words=WORDS, phrases=WORDS, prefix=st.none() | st.text(max_size=9))
def test_nothing_typed_is_syntax(words, phrases, prefix):
    asked = expression(KeywordQuery.of(words, phrases, prefix), CHUNK_COLUMNS)

    if asked is not None:
        table().execute("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", (asked,)).fetchall()


def test_any_phrase_or_term_ranks():
    query = KeywordQuery.of(["Apples", "pear"], ["Red cars", "plums"])

    assert query == KeywordQuery(("appl", "pear", "plum"), (("red", "car"),))
    assert expression(query, "{text}") == '{text} : "red car" OR "appl" OR "pear" OR "plum"'
    assert all_expression(("a", 'b"c'), "{text}") == '{text} : ("a" AND "b""c")'


def test_nothing_to_rank_by_is_no_expression():
    assert KeywordQuery.of(["...", ""], ["!"]).is_empty
    assert expression(KeywordQuery.of(["..."]), CHUNK_COLUMNS) is None


def test_terms_beyond_the_cap_are_dropped():
    asked = expression(KeywordQuery.of([f"w{n}" for n in range(99)]), CHUNK_COLUMNS)

    assert asked is not None
    assert asked.count(" OR ") == MAX_TERMS - 1


def test_only_a_single_word_of_some_length_is_a_beginning():
    assert [KeywordQuery.of([], prefix=word).prefix for word in ("Répo", "re", "学", "a-b", "...", None)] == [
        "repo",
        None,
        "学",
        None,
        None,
        None,
    ]


def test_every_ascii_character_of_a_term_is_part_of_it():
    connection = table()
    signs = [chr(code) for code in range(33, 127) if chr(code) not in "\"'"]

    for number, sign in enumerate(signs):
        connection.execute("INSERT INTO chunks_fts(rowid, compounds) VALUES (?, ?)", (number, f"a{sign}b"))

    found = [
        connection.execute("SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?", (f'"a{sign}b"',)).fetchall()
        for sign in signs
    ]
    assert all(rows[0][0] in (1, 2) for rows in found)  # two for a letter that is there in both cases
