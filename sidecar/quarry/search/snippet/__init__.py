"""Which part of a chunk is shown for a query, and what is highlighted in it. Pure."""
