"""A process for tests to kill: `python orphaning.py VAULT` starts processes, prints their ids, and waits."""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from builders import HashEncoder, load_hash_encoder

from quarry.indexing.errands import Employment
from quarry.indexing.preparers import Preparers
from quarry.indexing.staffing import Staffing
from quarry.text.note import ReadingRules

if __name__ == "__main__":
    rules = ReadingRules((), 10_000, 100)
    employment = Employment(Path(sys.argv[1]), rules, Staffing(load_hash_encoder, "hash"), HashEncoder().fingerprint)
    preparers = Preparers(employment, lambda: None, print)
    print(*preparers.pids, flush=True)
    threading.Event().wait()
