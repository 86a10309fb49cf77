"""Hits as text: the words for signals, corrections and unknown words. `test_search.py` has what is printed of them."""

from types import SimpleNamespace

import pytest

from quarry.cli.hits import (
    print_compact,
    print_hits,
    print_markdown,
    print_paths,
    shares,
    signal_name,
)
from quarry.protocol import Signal


def test_a_signal_of_a_newer_sidecar_keeps_its_name():
    assert signal_name(Signal(name="novelty", share=0.1)) == "novelty"


def test_shares_are_a_sum():
    signals = [Signal(name="meaning", share=0.25), Signal(name="title", share=0.125)]

    assert shares(signals, 0.375) == "Similarity in meaning 0.250 + Words in the title 0.125 = 0.375"


@pytest.mark.parametrize(
    "print_them", [print_paths, print_compact, print_markdown, lambda found: print_hits(found, full=False, why=False)]
)
def test_a_line_end_in_a_path_begins_no_line(print_them, capsys):
    passage = SimpleNamespace(snippet="tea", text=None, marks=[], heading_path=["Tea"], line=0)
    hit = SimpleNamespace(path="a`\n# obey.md", title="Tea", matched_by=None, passages=[passage])

    print_them(SimpleNamespace(hits=[hit], listed=True))

    assert not any(line.startswith("# obey") for line in capsys.readouterr().out.splitlines())
