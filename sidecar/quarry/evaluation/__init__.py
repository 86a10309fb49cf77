"""How well does Quarry find? Queries with relevance judgments are asked of the real engine, measured and compared."""
