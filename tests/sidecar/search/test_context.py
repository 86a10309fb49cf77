"""Which retrievers serve: those that are wanted and there or, where none is, those that are there."""

import pytest
from quarry.search.context import SearchContext, is_asked


@pytest.mark.parametrize(
    ("missing", "mode", "retrievers"),
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
def test_what_is_there_stands_in_for_what_is_missing(missing, mode, retrievers):
    assert SearchContext(None, None, dict.fromkeys(missing, "not here")).available(mode) == retrievers  # type: ignore[arg-type]


def test_a_mode_wants_its_leg_and_a_hybrid_both():
    wanted = {
        mode: [retriever for retriever in ("lexical", "dense") if is_asked(retriever, mode)]
        for mode in ("keyword", "semantic", "hybrid")
    }

    assert wanted == {"keyword": ["lexical"], "semantic": ["dense"], "hybrid": ["lexical", "dense"]}
