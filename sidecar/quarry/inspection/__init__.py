"""Which notes are in the index, which are not, and why? For a person who misses one."""
