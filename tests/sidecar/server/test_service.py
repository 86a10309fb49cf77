"""The watch on a vault: one that fails is begun again."""

import threading

from quarry.server import service
from quarry.vault.watch import Batch


def test_a_watch_that_fails_is_begun_again_and_the_vault_compared(monkeypatch):
    class Engine:
        root = None
        reconciled = 0

        def reconcile(self):
            self.reconciled += 1

    engine, stop, tries = Engine(), threading.Event(), []

    def watch(root, stop):
        tries.append(root)
        if len(tries) == 1:
            raise RuntimeError("the watcher broke")
        yield Batch(())
        stop.set()

    monkeypatch.setattr("quarry.vault.watch.watch_vault", watch)
    monkeypatch.setattr(service, "WATCH_RETRY_S", 0.01)

    service.watch_vault_of(engine, stop).join()

    assert len(tries) == 2
    assert engine.reconciled == 1
