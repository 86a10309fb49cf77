"""The Python API: a vault's notes as an object, through its sidecar or in the caller's own process."""
