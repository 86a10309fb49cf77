"""Which folder is the vault that a caller named?"""

import os
from pathlib import Path

from quarry import errors


def vault_root(vault: str | os.PathLike[str]) -> Path:
    """
    The folder that *vault* names; `~` is the home folder.

    Raises:
        VaultMissing: There is no such folder.
        BadRequest: It is a home folder or a whole disk, which nobody marked as a vault.
    """
    root = Path(vault).expanduser()
    if not root.is_dir():
        raise errors.VaultMissing(f"there is no folder {root}")
    from quarry.client.scope import refuse_scope  # here, as it imports more than everything else here

    refuse_scope(root)
    return root
