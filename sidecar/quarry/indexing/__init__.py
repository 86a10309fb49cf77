"""
Keeping the index equal to the vault.

`diff.py` finds and plans what has to be done, `indexer.py` does it, `sync.py` says when, `worker.py` is the one thread
on which all of it happens.
"""
