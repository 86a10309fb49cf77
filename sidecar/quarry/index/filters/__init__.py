"""Filters: a condition compiled to SQL, and the notes that match it."""
