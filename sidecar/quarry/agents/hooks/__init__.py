"""Hooks of AI agents: an event of the agent in, what the user's notes say about it out, or silence. Never an error."""
