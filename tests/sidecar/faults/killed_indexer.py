"""
Processes for tests to kill: each indexes, backfills, follows changes, tries another model and goes back, rebuilds.

`python -I killed_indexer.py` forks one for each line of its input, so that the imports are made once. A line has the
vault, the index, the fault to die at, and after how many seconds to die (0: never), in JSON; the answer is the exit
code. Batches are tiny, so that twenty notes have as many moments between two commits as a vault has.
"""

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from builders import Vault, open_with_contextual_model, settle_deeply, wait_until

from quarry import faults
from quarry.index import writer
from quarry.indexing import backfill
from quarry.indexing.process import IndexingLimits, PlanLimits
from quarry.types import VaultChange

SMALL_BATCHES = IndexingLimits(plan=PlanLimits(batch_notes=4))
RENAMES = (("f1", "moved/f1"), ("f0/00.md", "f0/first.md"), ("f2/02.md", "f2/06.md"))  # a folder, a note, over another
REMOVALS = ("f3/03.md", "f3/07.md")
WRITTEN_NS = 1_750_000_000_000_000_000  # the same in every run: runs that write the same notes leave the same vault
WRITES = ("f0/04.md", "f2/10.md", "new/one.md", "new/two.md")


def change_everything(vault: Vault) -> list[VaultChange]:
    """Rename, remove and write what was not yet, as an earlier run may have died in the middle of it."""
    changes = [vault.rename(old, new) for old, new in RENAMES if (vault.root / old).exists()]
    changes += [vault.remove(path) for path in REMOVALS if (vault.root / path).exists()]
    for path in WRITES:
        text = f"# {path}\nwalnut pear plum\n\n## More\n" + "quince and medlar words " * 5
        vault.write(path, text, mtime_ns=WRITTEN_NS)
        changes.append(VaultChange("modified", path))
    return changes


def run(root: str, index: str) -> None:
    """Pass every stage of indexing."""
    engine = open_with_contextual_model(Path(root), Path(index), SMALL_BATCHES)
    settle_deeply(engine)
    engine.vault_changed(change_everything(Vault(Path(root))))
    settle_deeply(engine)
    for model in ("other", "contextual"):
        engine.write_settings({"model": model})
        wait_until(lambda model=model: (status := engine.status().backfill) is not None and status.model == model)
        settle_deeply(engine)
    engine.rebuild()
    settle_deeply(engine)
    engine.close()


def main() -> None:
    """Fork, and tell how it ended."""
    writer.BATCH_NOTES, backfill.BATCH_CHUNKS = 3, 4
    for line in sys.stdin:
        root, index, fault, after_s = json.loads(line)
        child = os.fork()
        if child == 0:
            faults._wanted = fault
            signal.setitimer(signal.ITIMER_REAL, after_s)  # nobody handles it, so it kills in the middle of anything
            sys.exit(run(root, index))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
