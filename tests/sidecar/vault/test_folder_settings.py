"""Single folders of the settings: those that hold them, and no others, change."""

import pytest

from quarry.settings import Settings
from quarry.vault.folder_settings import folder_changes


@pytest.mark.parametrize(
    ("excluded", "included", "exclude", "include", "changes"),
    [
        ((), (), ["A"], [], {"exclude_folders": ("A",)}),
        (("a",), (), ["A/B"], [], {}),
        (("A/B",), (), ["A"], [], {"exclude_folders": ("A/B", "A")}),
        (("A", "B"), (), [], ["a"], {"exclude_folders": ("B",)}),
        (("A", "B"), (), [], ["A/C/D"], {"exclude_folders": ("B",)}),
        (("A/B",), (), [], ["A"], {}),
        (("Ab",), (), [], ["A"], {}),
        ((), ("W",), [], ["A"], {"include_folders": ("W", "A")}),
        ((), ("W",), [], ["W/X"], {}),
        ((), (), [], ["A"], {}),
        (("caf\u00e9",), (), [], ["cafe\u0301"], {"exclude_folders": ()}),
    ],
)
def test_what_changes(excluded, included, exclude, include, changes):
    settings = Settings(exclude_folders=excluded, include_folders=included)

    assert folder_changes(settings, exclude, include) == changes
