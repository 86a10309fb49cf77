"""A process for tests to kill: `python orphaned_pool.py VAULT` starts processes, prints their ids, and waits."""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from builders import HashEncoder, load_hash_encoder

from quarry.documents.note import ParserSettings
from quarry.indexing.vector_model import WorkerOptions
from quarry.indexing.workforce import WorkerPool, WorkerSetup

if __name__ == "__main__":
    rules = ParserSettings((), 10_000, 100)
    setup = WorkerSetup(Path(sys.argv[1]), rules, WorkerOptions(load_hash_encoder, "hash"), HashEncoder().fingerprint)
    pool = WorkerPool(setup, lambda: None, print)
    print(*pool.pids, flush=True)
    threading.Event().wait()
