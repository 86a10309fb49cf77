"""
Configuration of AI clients, so that they start Quarry.

`clients.py` is a table of the clients and of their files; `config_paths.py` finds those files on this system.
`server_entry.py` says what is written and recognises it later, `desired_state.py` what each file should contain.
`config_edit.py` changes the text of a file, `config_files.py` reads and replaces files and runs the clients' own
commands, `verify.py` starts a configured server.
"""
