"""A team's index on PostgreSQL: published by those who have the notes, searched by every member without a copy."""
