"""Credentials are found in a note and replaced by markers before anything else reads it. Pure."""
