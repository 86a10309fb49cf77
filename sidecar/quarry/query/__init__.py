"""A typed query becomes words, phrases and a condition. Pure."""
