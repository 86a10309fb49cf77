"""A process for tests: says what it is told; `"work"` has it log, be busy and end, `"fail"` has it fail."""

import logging
import time

from quarry.errors import VaultMissing
from quarry.indexing.worker_process import ParentConnection

BUSY_S = 2.0


def main(parent: ParentConnection) -> None:
    """Echo."""
    while True:
        match parent.receive():
            case "fail":
                raise VaultMissing("it is gone")
            case "crash":
                raise ValueError("a defect")
            case "work":
                logging.getLogger("quarry.echo").warning("working")
                end_s = time.monotonic() + BUSY_S
                while time.monotonic() < end_s:
                    pass
                return
            case said:
                parent.send(said)
