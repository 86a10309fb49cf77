"""The engine's state and settings become wire values."""

from quarry.interfaces import protocol as wire
from quarry.interfaces import translate
from quarry.settings import Settings


def test_missing_legs_come_in_a_fixed_order():
    missing = translate.missing_legs({"dense": "no model", "lexical": "no fts5"})

    assert [leg.leg for leg in missing] == ["lexical", "dense"]


def test_every_setting_is_told():
    told = translate.settings(Settings(("In",), ("Out",), "model", ("Links",), 2.0, 0.5, "rrf"))

    assert told == wire.Settings(
        include_folders=["In"],
        exclude_folders=["Out"],
        model="model",
        skip_sections=["Links"],
        lexical_weight=2.0,
        dense_weight=0.5,
        fusion="rrf",
    )
