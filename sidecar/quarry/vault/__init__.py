"""The folder on disk: which files are notes, their content, and their changes."""
