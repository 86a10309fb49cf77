"""A home of its own for every test, and a small vault."""

import pytest
from sidecars import in_home  # noqa: F401  (a fixture)
from sidecars import small_vault as vault  # noqa: F401


@pytest.fixture
def long_indexed(vault, tools):  # noqa: F811
    """A vault that is still being indexed when a command that does not wait asks for it."""
    return tools.write_vault(
        vault, {f"Many/{n}.md": f"# Number {n}\n\n" + f"word{n} in a sentence.\n" * 60 for n in range(800)}
    )
