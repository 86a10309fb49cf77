"""
The Python API: a vault's notes as an object, through its sidecar or in the caller's own process.

`quarry` has these names; what is imported for them, is so when one is first used.
"""
