"""
Configuration of AI clients, so that they start Quarry.

`clients.py` has the clients with their files. `server_entry.py` says what is written, recognises it later and tries it,
`desired_state.py` what each file should contain. `config_edit.py` changes the text of a file, `config_files.py` reads
and replaces files and runs the clients' own commands.
"""
