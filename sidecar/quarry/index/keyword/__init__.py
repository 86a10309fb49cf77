"""
The keyword index in memory: the postings of every term, scored exactly as FTS5's bm25() scores them.

    tokens -> terms, segment       what is stored: an immutable set of postings
    counting, building, merging    how it comes to be
    files, filed                   and to disk, and is read from there piece by piece
    additions, moment              what changed since, and both together at one moment of the index
    scoring, words, kept           BM25 over chunks, whole notes and names
    noting                         which notes hold a term, and what a few of them score
    asking                         all that one search asks of it
    neighbours, beside             which words stand side by side, which FTS5 knows
    cache                          the newest moment that was asked for

All of it is derived from the database and may be dropped at any time: FTS5 answers wherever it is missing.
"""
