"""
Vector search: stored embeddings, their copy in memory, and the nearest of them by cosine.

    query                         the nearest chunks and titles of a query vector
    matrix, quantize              the vectors of one snapshot in memory; embeddings to int8 and to binary codes
    cache, rows                   the newest snapshot's vectors; their rows in the database, and what waits for one
    stored_vectors                writes vectors that are made after their notes were indexed
"""
