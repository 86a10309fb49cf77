"""A home of its own for every test, and a small vault."""

from sidecars import home, in_home, small_vault, start  # noqa: F401  (fixtures)
