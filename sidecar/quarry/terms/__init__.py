"""What counts as a term: texts and queries go in, the words that the keyword index knows come out. Pure."""
