"""How well does Quarry find? Collections with judged queries, asked of the real engine, measured and compared."""
