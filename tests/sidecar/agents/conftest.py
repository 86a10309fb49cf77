"""A home of its own for every test, and a small vault."""

from sidecars import in_home  # noqa: F401  (a fixture)
from sidecars import small_vault as vault  # noqa: F401
