"""Which legs serve: those that are wanted and there or, where none is, those that are there."""

import pytest

from quarry.search.legs import Legs, is_wanted


@pytest.mark.parametrize(
    ("missing", "mode", "serving"),
    [
        ((), "hybrid", ("lexical", "dense")),
        ((), "keyword", ("lexical",)),
        ((), "semantic", ("dense",)),
        (("dense",), "hybrid", ("lexical",)),
        (("dense",), "semantic", ("lexical",)),
        (("lexical",), "keyword", ("dense",)),
        (("lexical", "dense"), "hybrid", ()),
        (("lexical", "dense"), "semantic", ()),
    ],
)
def test_what_is_there_stands_in_for_what_is_missing(missing, mode, serving):
    assert Legs(None, None, dict.fromkeys(missing, "not here")).serving(mode) == serving  # type: ignore[arg-type]


def test_a_mode_wants_its_leg_and_a_hybrid_both():
    wanted = {
        mode: [leg for leg in ("lexical", "dense") if is_wanted(leg, mode)]
        for mode in ("keyword", "semantic", "hybrid")
    }

    assert wanted == {"keyword": ["lexical"], "semantic": ["dense"], "hybrid": ["lexical", "dense"]}
