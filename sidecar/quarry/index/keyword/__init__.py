"""
The keyword index: which chunks and notes hold the words of a query, and BM25 over them.

    columns, forward              a note's terms, by column and in order: the forward index
    schema, writer                what FTS5 keeps, which proposes notes, and how it is written
    searcher, retrievers          what a reader asks; from memory or by way of FTS5, chosen once a snapshot
    query, query_scorer           what is ranked by, and its scores
    snapshot_scorer, bm25         what single terms add to a score; the formula and its weights
    note_scoring, phrases         whole notes; terms that stand side by side
    spelling                      terms that a mistyped word may stand for

    snapshot                      what is scored at one moment: documents and their postings
    segment_snapshot              from memory: an immutable segment, and the notes that changed since
    stored_snapshot               from the forward index, for the terms of one query
    segment, term_dictionary, codec, builder, term_counts      the segment and how it is built
    segment_file, segment_delta, mutable_segment               its file, and what changed since
    postings_cache                                             the newest snapshot, and the life of the file

All of it but the forward index is derived, and may be dropped at any time.
"""
