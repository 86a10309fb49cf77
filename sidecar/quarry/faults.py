"""
Named points at which a test can kill the process, to show that a crash is safe at every stage of indexing.

`QUARRY_FAULT_AT=commit:3` kills the process with SIGKILL the third time it reaches `fault_point("commit")`.
Without that variable a call costs one comparison.
"""

import os
import signal
from collections import Counter
from typing import Literal, get_args

Stage = Literal[
    "scan",
    "read",
    "scrub",
    "chunk",
    "embed",
    "insert",
    "commit",
    "checkpoint",
    "migrate",
    "swap",
    "remove",
    "rename",
    "postings",
    "backfill",
    "choose",
]
STAGES: tuple[Stage, ...] = get_args(Stage)

_wanted = os.environ.get("QUARRY_FAULT_AT", "")
_reached: Counter[str] = Counter()


def fault_point(stage: Stage) -> None:
    """Kill the process if `QUARRY_FAULT_AT` says so for this call."""
    if not _wanted:
        return
    _reached[stage] += 1
    if _wanted == f"{stage}:{_reached[stage]}":
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has no SIGKILL
