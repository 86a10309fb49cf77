"""The doors: each knows the engine and one outside format."""
