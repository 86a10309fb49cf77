"""A process for tests to kill: `python orphaned_rebuild.py VAULT INDEX` rebuilds, prints its processes, and waits."""

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.append(str(Path(__file__).resolve().parents[2] / "performance"))

from benchmark.measurement import process_tree
from builders import load_hash_encoder, settle

from quarry.engine import Engine


def main(root: str, path: str) -> None:
    """Stand still in the middle of a rebuild."""
    engine = Engine.open(Path(root), Path(path), load=load_hash_encoder)
    settle(engine)

    def stand_still(_: object) -> None:
        progress = engine.status().progress
        if engine.status().state == "rebuilding" and progress and progress.done_notes:
            print(*(pid for pid in process_tree(os.getpid()) if pid != os.getpid()), flush=True)
            threading.Event().wait()

    engine.listen(stand_still)
    engine.rebuild()
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
