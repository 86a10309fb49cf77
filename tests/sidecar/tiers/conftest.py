"""A home of its own for every test, and a small vault."""

from sidecars import in_home, small_vault  # noqa: F401  (fixtures)
