"""The command line: each module one group of commands over the sidecar's client."""
