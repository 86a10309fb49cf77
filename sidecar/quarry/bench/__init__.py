"""How fast is Quarry, and how small? The real engine and the real server, measured beside the published design."""
