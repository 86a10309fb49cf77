"""Clients of the sidecar: finding it or starting it, and asking it over the socket."""
