"""Rankings in, ranking out: no text, no index, no clock."""
