"""Context blocks: named queries with stored quotes, rebuilt when a note that they depend on changes."""
