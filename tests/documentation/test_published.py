"""published.toml: each published requirement names a test that exists."""

import re
import tomllib

from pages import REPOSITORY


def test_every_requirement_has_a_test():
    sections = tomllib.loads((REPOSITORY / "tests/documentation/published.toml").read_text("utf-8"))
    named = {test for requirements in sections.values() for test in requirements.values()}
    defined = {
        test
        for file in (REPOSITORY / "tests").rglob("test_*.py")
        for test in re.findall(r"^def (test_\w+)\(", file.read_text("utf-8"), re.MULTILINE)
    }

    assert named - defined == set()
    assert len(named) > 30
