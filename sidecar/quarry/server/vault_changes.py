"""Following a vault where no program reports its changes: the watch on its files, told to the engine."""

import logging
import threading

from quarry.engine import Engine

WATCH_RETRY_S = 5.0  # after the watch failed in a way that nobody foresaw

_log = logging.getLogger(__name__)


def follow_vault_changes(engine: Engine, stop: threading.Event) -> None:
    """Report changes of files to the engine until *stop* is set; a watch that fails is started again."""
    from quarry.vault.watch import watch_vault  # here, as answering comes first: 3 % of a start, where it is needed

    while not stop.is_set():
        try:
            is_first = True
            for batch in watch_vault(engine.root, stop):
                # Between the scan of the start and the moment the watch stood, changes were nobody's to tell.
                if batch.missed or is_first:
                    engine.reconcile()
                if batch.changes:
                    engine.vault_changed(batch.changes)
                is_first = False
        except Exception:  # a watch that dies without a word leaves an index that falls behind without a word
            _log.exception("watching the vault failed; trying again in %.0f s", WATCH_RETRY_S)
            stop.wait(WATCH_RETRY_S)
