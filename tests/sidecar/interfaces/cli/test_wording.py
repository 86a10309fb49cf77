from quarry.interfaces.cli.wording import SIGNALS, corrected, shares, signal_name
from quarry.interfaces.protocol import Correction, Signal
from quarry.ranking.signals import SIGNAL_NAMES


def correction(typed, used):
    return Correction(typed=typed, used=used)


def test_every_signal_has_words():
    assert SIGNALS.keys() == set(SIGNAL_NAMES)


def test_a_signal_of_a_newer_sidecar_keeps_its_name():
    assert signal_name(Signal(name="recency", share=0.1)) == "recency"


def test_shares_are_a_sum():
    signals = [Signal(name="meaning", share=0.25), Signal(name="title", share=0.125)]

    assert shares(signals, 0.375) == "meaning 0.250 + title 0.125 = 0.375"


def test_corrections_name_what_was_typed_and_what_was_looked_for():
    one = corrected([correction("refrences", "references")])
    three = corrected([correction("a", "x"), correction("b", "y"), correction("c", "z")])

    assert one == "Showing results for references (no note has “refrences”)"
    assert three == "Showing results for x, y and z (no note has “a”, “b” or “c”)"
