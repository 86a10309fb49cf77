"""The exit codes of the command line: one table, which `quarry --help` and `quarry help exit-codes` print."""

OK = 0
FAILED = 1
BAD_USAGE = 2
LOCKED = 3
NO_VAULT = 4
TOO_NEW = 5
OTHER_PROTOCOL = 6
NOT_INDEXED_YET = 7
INTERRUPTED = 130

MEANINGS = {
    OK: "success, also when nothing was found",
    FAILED: "failure; the message gives the reason",
    BAD_USAGE: "invalid usage, query or setting; of several queries, at least one failed",
    LOCKED: "another sidecar serves this vault (serve), or a program has opened it exclusively",
    NO_VAULT: "no such vault folder",
    TOO_NEW: "the index was written by a newer version of Quarry",
    OTHER_PROTOCOL: "the sidecar and this tool speak different protocol versions",
    NOT_INDEXED_YET: "nothing found, and the vault is not fully indexed yet; see --wait",
    INTERRUPTED: "interrupted with Ctrl-C; everything indexed until then is kept",
}


def exit_code_table() -> str:
    """All codes with their meanings, one on a line."""
    return "\n".join(f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items())
