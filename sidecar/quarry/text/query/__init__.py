"""What was typed into the search box becomes words, phrases and a condition. Pure."""
