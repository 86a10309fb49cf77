"""What commands that search say of an answer, in the words of people."""

from collections.abc import Sequence

from quarry.interfaces import protocol as wire

SIGNALS = {
    "passage": "words in a passage",
    "note": "words in the note",
    "phrase": "words side by side",
    "meaning": "meaning",
    "title": "title",
    "exact": "title is the query",
}


def signal_name(signal: wire.Signal) -> str:
    """What a signal is called; one of a newer sidecar keeps its own name."""
    return SIGNALS.get(signal.name, signal.name)


def shares(signals: Sequence[wire.Signal], total: float) -> str:
    """What spoke for a note, on one line."""
    return f"{' + '.join(f'{signal_name(one)} {one.share:.3f}' for one in signals)} = {total:.3f}"


def corrected(corrections: Sequence[wire.Correction]) -> str:
    """Which words were looked for instead of those that were typed."""
    used = _joined([one.used for one in corrections])
    typed = _joined([f"“{one.typed}”" for one in corrections], "or")
    return f"Showing results for {used} (no note has {typed})"


def _joined(words: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
