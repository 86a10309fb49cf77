"""
Vector search: stored embeddings, their copy in memory, and the nearest of them by cosine.

    query                         the nearest chunks and titles of a query vector
    matrix, binary_codes          the vectors of one snapshot in memory, and their codes of one bit a dimension
    quantize                      embeddings to int8, and exact products of them
    cache, rows                   the newest snapshot's vectors; their rows in the database, and what waits for one
"""
