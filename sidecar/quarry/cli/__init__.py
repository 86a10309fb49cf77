"""The command line: each module one command over the sidecar's client."""
