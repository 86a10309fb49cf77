"""
How are AI clients told to use Quarry? `clients.py` is a table of the clients, with the files that they read;
`places.py` says where those lie on this system. `jsonc.py`, `toml_tables.py` and `sections.py` change a text and leave
the rest of it byte for byte; `targets.py` says what goes into which file, `plan.py` which files would change and how,
`apply.py` writes them, `record.py` remembers what was written, `proof.py` starts what was configured.
"""
