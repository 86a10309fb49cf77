"""The sidecars that run for this user: found by their discovery files, asked for their state, and ended."""

import contextlib
import os
import signal
import time
from pathlib import Path

from quarry.client.client import SidecarClient
from quarry.client.discovery import NO_PORT, Discovery, VaultLock, read_discovery
from quarry.config import runtime_dir
from quarry.errors import QuarryError

ANSWER_TIMEOUT_S = 2.0  # for an answer of one that works; it takes milliseconds
LEAVE_TIMEOUT_S = 20.0  # one that leaves finishes the notes that it has begun
LEAVE_POLL_S = 0.05


def running() -> list[Discovery]:
    """The discovery files of the sidecars that run, by the path of their vault."""
    folder = runtime_dir()
    found = [(file.stem, read_discovery(file)) for file in folder.glob("*.json")]
    held = [discovery for vault, discovery in found if discovery and VaultLock(folder, vault).is_held()]
    return sorted(
        (discovery for discovery in held if discovery.port != NO_PORT), key=lambda discovery: discovery.vault.path
    )


def stop(discovery: Discovery) -> bool:
    """End the sidecar of *discovery* in order, by a signal if it does not listen; returns whether it ended."""
    lock = VaultLock(runtime_dir(), discovery.vault.id)
    try:
        with client_of(discovery, as_owner=True) as client:
            client.shut_down()
    except QuarryError:
        if lock.is_held():  # else its number may be another's by now
            with contextlib.suppress(OSError):
                os.kill(discovery.pid, signal.SIGTERM)
    deadline_s = time.monotonic() + LEAVE_TIMEOUT_S
    while lock.is_held():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(LEAVE_POLL_S)
    return True


def client_of(discovery: Discovery, *, as_owner: bool = False) -> SidecarClient:
    """A client of the sidecar of *discovery*, which is not started again if it has ended."""
    root = Path(discovery.vault.path)
    patience_s, only = ANSWER_TIMEOUT_S, discovery.only
    return SidecarClient(root, "cli", may_start=False, as_owner=as_owner, patience_s=patience_s, only=only)
