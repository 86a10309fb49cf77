"""Hooks of AI agents: an event of the agent in, text from the user's notes about it out, or nothing. Never an error."""
