"""Which notes are in the index, which are not, and why? Asked by a person who misses one."""
