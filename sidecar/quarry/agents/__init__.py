"""Quarry for AI agents: hooks, context blocks, installation into clients, and what a conversation was shown."""
