"""
The keyword index: which chunks and notes contain the words of a query, and BM25 over them.

    fields                        terms of a note by field and in order: the forward index; terms of a query
    query, query_scorer           keyword queries; scores of chunks and notes for all terms of one query
    scorer, bm25                  scores for single terms; the formula and its weights
    phrases                       terms that are adjacent
    spelling                      terms that a mistyped word may mean

    snapshot                      the documents and postings of one generation, from memory: an immutable segment, and
                                  the notes that changed since
    stored_snapshot, fts5         from the forward index, for the terms of one query; FTS5 proposes the notes
    segment, dictionary, builder  the segment, its terms, and how it is built
    segment_file, cache           its file; the newest snapshot, what changed since, and the life of the file

Postings in memory are a base with changes on top. An example with two saves since the segment file was written:

    SegmentFile         generation 40: two `Segment`s, of chunks and of names, which never change
    MutableSegment      the documents of the notes that were saved in generations 41 and 42
    SegmentDelta        both, and which documents of the segments are dead; brought up to date by `apply_note`
    SegmentSnapshot     what generation 42 sees: the living documents of the segment, then the first n added ones

All of it but the forward index is derived, and may be dropped at any time.
"""
