"""Vector search: stored embeddings, their copy in memory, and the nearest of them by cosine."""
