"""
The keyword index: BM25 over chunks, whole notes and names, by FTS5 and, with the same scores, in memory.

    columns, schema, writer                  what FTS5 is given, and its tables
    fts5, match_query, cross_chunk_phrase    answers from FTS5
    searcher                                 answers from memory, or from FTS5 where memory has none

In memory:

    term_dictionary, segment, codec          an immutable segment: terms and postings, encoded in blocks
    term_counts, builder                     builds segments from counted documents, or by merging
    build_from_database                      builds them from all that is stored
    segment_file, file_slice                 stores segments in a file and reads them block by block
    mutable_segment, segment_delta           documents that changed since
    segment_snapshot                         both together, for one snapshot of the index
    postings_cache                           the newest snapshot, and the life of its segment file
    bm25, snapshot_scorer, query_scorer      the scores of a term, and of the terms of a query
    note_scoring, proximity, adjacent_tf     scores of a few notes, and of neighbouring words
    byte_limited_lru, fts5_tokens, spelling  caches, tokens as FTS5 splits them, and terms for mistyped words

Segments are derived from the database and may be dropped at any time: FTS5 answers wherever they are missing.
"""
