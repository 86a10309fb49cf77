"""What of an output is there for a terminal alone? Colours, cursor movements, progress bars, rulers of full width."""

from quarry.agents.hooks.compression.reduction import MAX_MATCHED
from quarry.lazy_pattern import lazy_pattern

_ESCAPES = lazy_pattern(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # strings for the terminal
    r"|\x1b[ -/]*[0-~]"  # two characters and more
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\x1b"
)
_PROGRESS = lazy_pattern(
    r"^\s*+(?:"
    r".{0,200}?\d{1,3}%\|[^|]{0,400}\|.*"  # tqdm
    r"|(?=[ ─]*[━╸╺]{3})[━╸╺─ ]++(?:[\d.]+.*)?"  # pip, rich
    r"|\[[=#>. -]{8,}\]\s*\d{0,3}%?.*"  # [====>    ] 45%
    r"|[⠁-⣿⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]\s.*"  # spinners of npm, ora, uv
    r"|(?:[\d.]+[kMG]?\s++){3,}[-\d:]+\s+[-\d:]+\s+[-\d:]+\s+[\d.]+[kMG]?"  # curl's meter
    r")$"
)
_RULER = lazy_pattern(r"^([=_\-─━*#~])\1{7,}$|^([=_\-─━*#~])\2{3,}( .*? )\2{3,}$")
_SPACED_RULER = lazy_pattern(r"(?:_ ){8,}_?")  # of pytest, between the frames of a failure
_RULER_WIDTH = 3


def cleaned_lines(text: str) -> list[str]:
    """The lines of *text* as a terminal would show them in the end, without colours, progress bars and wide rulers."""
    plain = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    lines = (_overwritten(line).rstrip() for line in plain.rstrip("\n").split("\n"))
    return [_narrow(line) for line in lines if not is_progress(line)]


def is_progress(line: str) -> bool:
    """Whether *line* shows how far something is, and nothing else."""
    return bool(line) and len(line) <= MAX_MATCHED and _PROGRESS.match(line) is not None


def _overwritten(line: str) -> str:
    """*line* as a terminal shows it in the end: a carriage return goes back to its beginning."""
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line


def _narrow(line: str) -> str:
    """A ruler of a few characters in place of one as wide as the terminal."""
    if _SPACED_RULER.fullmatch(line[:MAX_MATCHED]):
        return "_ _ _"
    if len(line) > MAX_MATCHED or (found := _RULER.match(line)) is None:
        return line
    mark = (found[1] or found[2]) * _RULER_WIDTH
    return f"{mark}{found[3]}{mark}" if found[3] else mark
