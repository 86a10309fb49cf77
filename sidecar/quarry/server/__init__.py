"""The sidecar's server: one WebSocket for the plugin, the command line, MCP and every other client."""
