"""Lexical analysis: texts and queries in, the terms of the keyword index out. Pure."""
