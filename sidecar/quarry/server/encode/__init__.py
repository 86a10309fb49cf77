"""Values of the engine become messages: offsets count UTF-16, paths are in NFC, every text is scrubbed once more."""
