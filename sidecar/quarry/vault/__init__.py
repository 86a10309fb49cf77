"""The folder on disk: which files are notes, what is in them, and when that changes."""
