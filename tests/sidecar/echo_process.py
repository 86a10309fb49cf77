"""A process for tests: says what it is told; `work` has it log and end, `hang` has it hang, `fail` has it fail."""

import logging
import threading

from quarry.errors import VaultMissing
from quarry.indexing.process import ParentConnection


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
                return
            case "hang":
                threading.Event().wait()
            case said:
                parent.send(said)
