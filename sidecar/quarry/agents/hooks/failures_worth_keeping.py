"""
Which output of a command is worth a note? A failure that says what failed: a test, a trace, an error of a compiler.

Anything else is left: what succeeded says nothing that a later conversation would look for. A failure is kept once,
whatever its times and addresses, and there are at most `MAX_A_DAY` a day.
"""

import contextlib
import hashlib
import os
import re
import time
from pathlib import Path
from typing import NamedTuple

from quarry.agents.hooks.compression.command import parse_command
from quarry.agents.hooks.compression.lines import MAX_MATCHED, cleaned_lines
from quarry.lazy_pattern import lazy_pattern

MIN_CHARACTERS = 500  # a shorter output is read at a glance, and found again by running the command
MAX_CHARACTERS = 8_000  # of a note; a failure is told in its first pages
MAX_A_DAY = 10  # more is a session of debugging, of which nobody reads the notes
MAX_TITLE = 100
LEDGER = "captured"
MAX_REMEMBERED = 500

_FAILURE = lazy_pattern(
    r"(?:FAILED \S|\S+::\S+ FAILED\b|E {3,}\S*(?:Error|Exception|assert)|--- FAIL: \S"
    r"|error(?:\[\w+\])?: (?!test failed|could not compile)"
    r"|thread '.*' .*panicked at|panic: |  ● .+|(?:[\w.]+\.)?\w*(?:Error|Exception): \S"
    r"|\S+[:(]\d+(?:[:,]\d+)?\)?: (?:fatal )?error\b"
    r"|Exception in thread |Caused by: |\[ERROR\] \S+:\[?\d+)"
)
_CHANGING = lazy_pattern(r"0x[0-9a-f]+|\d+")


class Failure(NamedTuple):
    """A failure as a note: its title, its text, and a hash that is equal for the same failure another time."""

    title: str
    text: str
    key: str


def find_failure(command: str, folder: str, output: str) -> Failure | None:
    """The failure that *output* of *command*, run in *folder*, tells of; None where it tells of none."""
    if len(output) < MIN_CHARACTERS or parse_command(command) is None:
        return None
    lines = cleaned_lines(output)
    text = "\n".join(lines)
    failing = next((line[:MAX_MATCHED] for line in lines if _FAILURE.match(line[:MAX_MATCHED])), None)
    if failing is None:
        return None
    line = re.sub(r"^(?:E {2,}| *● )", "", failing).strip()  # the marks of pytest and Jest
    shown = (
        text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS // 2]}\n...\n{text[-MAX_CHARACTERS // 2 :]}"
    )
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    ran = " ".join(command.split())[:200].replace("`", "'")
    where = re.split(r"[\\/]", folder.rstrip("\\/"))[-1].replace("`", "'")
    note = f"`{ran}` in `{where}` failed:\n\n{fence}text\n{shown}\n{fence}\n"
    key = hashlib.blake2b(_CHANGING.sub("0", f"{ran}\n{line}").encode("utf-8", "replace"), digest_size=8).hexdigest()
    return Failure(" ".join(line.split())[:MAX_TITLE], note, key)


def claim(folder: Path, key: str) -> bool:
    """Whether the failure *key* is to be kept: it never was, and fewer than `MAX_A_DAY` were today. It counts now."""
    file, today = folder / LEDGER, time.strftime("%Y-%m-%d")
    lines: list[str] = []
    with contextlib.suppress(OSError):
        lines = file.read_text(encoding="ascii", errors="replace").splitlines()
    if any(line.endswith(key) for line in lines) or sum(line.startswith(today) for line in lines) >= MAX_A_DAY:
        return False
    temporary = file.with_suffix(f".{os.getpid()}.new")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(temporary, flags, 0o600), "w", encoding="ascii", errors="replace") as opened:
            opened.writelines(f"{line}\n" for line in [*lines, f"{today} {key}"][-MAX_REMEMBERED:])
        temporary.replace(file)
    except OSError:  # what cannot be counted is not kept: without the count there would be no bound
        return False
    return True
