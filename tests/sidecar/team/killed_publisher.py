"""A process for tests to kill: `python -I killed_publisher.py URL INDEX` publishes two notes a batch, printing each."""

import sys
from pathlib import Path

from quarry.team import publish
from quarry.team.connection import connect

if __name__ == "__main__":
    publish.BATCH_NOTES = 2
    publication = publish.Publication("v-1", "Vault", Path(sys.argv[2]), "guild", ("Handbook",))
    with connect(sys.argv[1]) as connection:
        publish.publish(connection, publication, lambda done, total: print(done, total, flush=True))
