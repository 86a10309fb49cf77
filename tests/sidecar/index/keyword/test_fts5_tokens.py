import apsw
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.keyword.fts5_tokens import as_fts5_tokenizes, encoded, needs_fts5_tokenizer, tokens_of
from quarry.index.keyword.schema import _KEYWORD_INDEXES


@given(st.text())
def test_what_is_no_odd_token_is_what_fts5_makes_of_a_column(column):
    connection = apsw.Connection(":memory:")
    table = _KEYWORD_INDEXES["chunks_fts"].replace("content='chunk_terms', content_rowid='id',", "")
    connection.execute(table)
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab('chunks_fts', 'instance')")
    connection.execute("INSERT INTO chunks_fts(rowid, text) VALUES (1, ?)", (column,))
    known = [term for (term,) in connection.execute("SELECT term FROM v ORDER BY offset")]
    tokens = tokens_of(column)
    if any(map(needs_fts5_tokenizer, tokens)):
        tokens = tokens_of(as_fts5_tokenizes(column))

    assert [token for token in tokens if token] == known
    assert not any(needs_fts5_tokenizer(token) and as_fts5_tokenizes(token) == token for token in tokens)


def test_a_token_is_cut_where_fts5_cuts_it():
    assert len(encoded("ä" * 40_000)) == 32_768
    assert needs_fts5_tokenizer("a" * 40_000)
